// SPDX-License-Identifier: Apache-2.0
#include "attention.hpp"
#include "policies.hpp"

using namespace kernels;

KITTENS_KERNEL(attention_bf16_96, attention<attention_default(dtype::bf16, 96)>)
