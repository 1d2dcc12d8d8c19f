// SPDX-License-Identifier: Apache-2.0
#include "gemm/cases.hpp"

#define REDUCE_KERNEL(NAME, SUM, OUT, ACCESS)                                                              \
    KITTENS_KERNEL(test_##NAME, kernels::reduce_planes<kernels::reduce_policy{                             \
                                    .sum = kittens::dtype::SUM, .out = kittens::dtype::OUT, .subgroups = 2, .access = kittens::access::ACCESS}>)
GEMM_TEST_REDUCE(REDUCE_KERNEL)
