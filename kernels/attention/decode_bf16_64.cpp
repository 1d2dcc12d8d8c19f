// SPDX-License-Identifier: Apache-2.0
#include "attention.hpp"
#include "policies.hpp"

using namespace kernels;

KITTENS_KERNEL(attention_bf16_64_decode, attention<attention_decode(dtype::bf16, 64)>)
