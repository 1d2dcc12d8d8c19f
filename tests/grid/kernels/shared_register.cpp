// SPDX-License-Identifier: Apache-2.0
#include "shared_register.hpp"

GRID_SIZES(GRID_SHARED_REGISTER, bf16, bf16, row)
GRID_SIZES(GRID_SHARED_REGISTER, bf16, bf16, col)
