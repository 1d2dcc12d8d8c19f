// SPDX-License-Identifier: Apache-2.0
#include "gemm/cases.hpp"

GEMM_TEST_OTHER(GEMM_TEST_KERNEL)
