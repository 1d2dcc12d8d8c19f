// SPDX-License-Identifier: Apache-2.0
#include "global_register.hpp"

GRID_SIZES(GRID_GLOBAL_REGISTER, fp32, fp32, row)
GRID_SIZES(GRID_GLOBAL_REGISTER, fp32, fp32, col)
