// SPDX-License-Identifier: Apache-2.0
#include "merge.hpp"

using namespace kernels;

KITTENS_KERNEL(attention_merge_fp16, attention_merge<default_merge(dtype::f16)>)
KITTENS_KERNEL(attention_gather_fp16, attention_gather<default_merge(dtype::f16)>)
