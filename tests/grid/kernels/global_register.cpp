// SPDX-License-Identifier: Apache-2.0
#include "global_register.hpp"

GRID_SIZES(GRID_GLOBAL_REGISTER, bf16, bf16, row)
GRID_SIZES(GRID_GLOBAL_REGISTER, bf16, bf16, col)
