// SPDX-License-Identifier: Apache-2.0
#include "attention.hpp"
#include "policies.hpp"

using namespace kernels;

KITTENS_KERNEL(attention_bf16_128, attention<attention_default(dtype::bf16, 128)>)
KITTENS_KERNEL(attention_bf16_128_rows8, attention<attention_rows8(dtype::bf16, 128)>)
