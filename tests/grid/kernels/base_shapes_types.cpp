// SPDX-License-Identifier: Apache-2.0
#include "base_shapes.hpp"

GRID_BASE_SHAPE(fp16, row, 8, 16)
GRID_BASE_SHAPE(fp16, row, 16, 32)
GRID_BASE_SHAPE(fp16, col, 32, 16)
GRID_BASE_SHAPE(fp16, col, 16, 32)
GRID_BASE_SHAPE(tf32, row, 8, 16)
GRID_BASE_SHAPE(tf32, col, 16, 16)
GRID_BASE_SHAPE(int32, row, 16, 32)
// Eight bits: 32 columns in row layout, 32 rows in col layout.
#define GRID_BYTE_SHAPES(NAME)                                                                                       \
    GRID_BASE_SHAPE(NAME, row, 8, 32) GRID_BASE_SHAPE(NAME, row, 16, 32) GRID_BASE_SHAPE(NAME, row, 32, 32)          \
    GRID_BASE_SHAPE(NAME, col, 32, 16) GRID_BASE_SHAPE(NAME, col, 32, 32)
GRID_BYTE_SHAPES(int8)
GRID_BASE_SHAPE(uint8, row, 16, 32)
GRID_BASE_SHAPE(uint8, col, 32, 16)
GRID_BASE_SHAPE(fp8e4m3, row, 16, 32)
GRID_BASE_SHAPE(fp8e5m2, col, 32, 32)
