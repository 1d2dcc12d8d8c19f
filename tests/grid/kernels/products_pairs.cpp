// SPDX-License-Identifier: Apache-2.0
// Every legal pair of element types.
#include "products.hpp"

#define GRID_PAIR(NAME, A, B) GRID_PRODUCT(16, 16, 32, NAME, A, B) GRID_PRODUCT(32, 32, 32, NAME, A, B) GRID_PRODUCT(16, 48, 64, NAME, A, B)
GRID_PAIR(fp16_fp16, fp16, half)
GRID_PAIR(tf32_tf32, tf32, tf32)
GRID_PAIR(int8_int8, int8, int8)
GRID_PAIR(int8_uint8, int8, uint8)
GRID_PAIR(uint8_int8, uint8, int8)
GRID_PAIR(uint8_uint8, uint8, uint8)
GRID_PAIR(fp8e4m3_fp8e4m3, fp8e4m3, fp8e4m3)
GRID_PAIR(fp8e4m3_fp8e5m2, fp8e4m3, fp8e5m2)
GRID_PAIR(fp8e5m2_fp8e4m3, fp8e5m2, fp8e4m3)
GRID_PAIR(fp8e5m2_fp8e5m2, fp8e5m2, fp8e5m2)
