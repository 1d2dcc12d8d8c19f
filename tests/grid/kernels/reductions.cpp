// SPDX-License-Identifier: Apache-2.0
#include "reductions.hpp"

GRID_SIZES(GRID_REDUCTION, bf16, bf16, row)
