// SPDX-License-Identifier: Apache-2.0
#include "gemm/cases.hpp"

GEMM_TEST_SPLIT(GEMM_TEST_KERNEL)
GEMM_TEST_PACKED(GEMM_TEST_KERNEL)
KITTENS_KERNEL(test_packing, kernels::gemm<gemm_tests::packing_policy()>)
