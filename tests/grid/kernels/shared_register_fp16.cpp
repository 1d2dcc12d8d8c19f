// SPDX-License-Identifier: Apache-2.0
#include "shared_register.hpp"

GRID_SIZES(GRID_SHARED_REGISTER, fp16, fp16, row)
GRID_SIZES(GRID_SHARED_REGISTER, fp16, fp16, col)
