// SPDX-License-Identifier: Apache-2.0
#include "gemm/cases.hpp"

GEMM_TEST_BF16(GEMM_TEST_KERNEL)
