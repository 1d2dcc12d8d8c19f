// SPDX-License-Identifier: Apache-2.0
#include "merge.hpp"

using namespace kernels;

KITTENS_KERNEL(attention_merge_bf16, attention_merge<default_merge(dtype::bf16)>)
KITTENS_KERNEL(attention_gather_bf16, attention_gather<default_merge(dtype::bf16)>)
