// SPDX-License-Identifier: Apache-2.0
// Other element types, and tiles of eight rows.
#include "reductions.hpp"

GRID_REDUCTION(8, 16, fp32, fp32, row)
GRID_REDUCTION(8, 32, bf16, bf16, row)
GRID_REDUCTION(24, 48, fp16, fp16, row)
GRID_REDUCTION(32, 32, fp32, fp32, row)
GRID_REDUCTION(32, 32, fp32, fp32, col)
GRID_REDUCTION(16, 256, fp32, fp32, row)
GRID_REDUCTION(32, 48, fp16, fp16, col)
