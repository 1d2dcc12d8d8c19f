// SPDX-License-Identifier: Apache-2.0
// Eight-bit floats: among Intel's GPUs only the newest multiply them, so their module is compiled for it.
#if defined(KITTENS_TARGET_XE)
#define KITTENS_XE_ARCH_CRI
#endif
#include "products.hpp"

GRID_PAIR(fp8e4m3_fp8e4m3, fp8e4m3, fp8e4m3)
GRID_PAIR(fp8e4m3_fp8e5m2, fp8e4m3, fp8e5m2)
GRID_PAIR(fp8e5m2_fp8e4m3, fp8e5m2, fp8e4m3)
GRID_PAIR(fp8e5m2_fp8e5m2, fp8e5m2, fp8e5m2)
