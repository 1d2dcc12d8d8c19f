// SPDX-License-Identifier: Apache-2.0
#include "base_shapes.hpp"

// Sixteen and 32 bits: every base shape; VNNI pairs need sixteen rows.
#define GRID_ROW_SHAPES(NAME)                                                                                             \
    GRID_BASE_SHAPE(NAME, row, 8, 16) GRID_BASE_SHAPE(NAME, row, 8, 32) GRID_BASE_SHAPE(NAME, row, 16, 16)               \
    GRID_BASE_SHAPE(NAME, row, 16, 32) GRID_BASE_SHAPE(NAME, row, 32, 16) GRID_BASE_SHAPE(NAME, row, 32, 32)
#define GRID_COL_SHAPES(NAME)                                                                                             \
    GRID_BASE_SHAPE(NAME, col, 16, 16) GRID_BASE_SHAPE(NAME, col, 16, 32) GRID_BASE_SHAPE(NAME, col, 32, 16) GRID_BASE_SHAPE(NAME, col, 32, 32)
GRID_ROW_SHAPES(bf16)
GRID_COL_SHAPES(bf16)
GRID_ROW_SHAPES(fp32)
GRID_COL_SHAPES(fp32)
