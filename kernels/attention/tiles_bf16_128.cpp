// SPDX-License-Identifier: Apache-2.0
// Blocks of keys of other lengths, for the cpu target's table of measured choices to choose from.
#include "attention.hpp"
#include "policies.hpp"

using namespace kernels;

KITTENS_KERNEL(attention_bf16_128_keys256, attention<attention_keys(dtype::bf16, 128, 256)>)
KITTENS_KERNEL(attention_bf16_128_keys1024, attention<attention_keys(dtype::bf16, 128, 1024)>)
