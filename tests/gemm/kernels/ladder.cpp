// SPDX-License-Identifier: Apache-2.0
#include "gemm/cases.hpp"

#define LADDER_KERNEL(NAME) KITTENS_KERNEL(test_ladder_##NAME, kernels::gemm<kernels::NAME(kittens::dtype::bf16)>)
GEMM_TEST_LADDER(LADDER_KERNEL)
