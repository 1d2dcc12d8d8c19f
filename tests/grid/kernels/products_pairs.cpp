// SPDX-License-Identifier: Apache-2.0
// Every legal pair of element types but 8-bit floats.
#include "products.hpp"

GRID_PAIR(fp16_fp16, fp16, half)
GRID_PAIR(tf32_tf32, tf32, tf32)
GRID_PAIR(int8_int8, int8, int8)
GRID_PAIR(int8_uint8, int8, uint8)
GRID_PAIR(uint8_int8, uint8, int8)
GRID_PAIR(uint8_uint8, uint8, uint8)
