// SPDX-License-Identifier: Apache-2.0
#include "attention.hpp"
#include "policies.hpp"

using namespace kernels;

KITTENS_KERNEL(attention_fp16_64_decode, attention<attention_decode(dtype::f16, 64)>)
