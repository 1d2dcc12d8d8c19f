// SPDX-License-Identifier: Apache-2.0
#include "shared_register.hpp"

GRID_SIZES(GRID_SHARED_REGISTER, fp32, fp32, row)
GRID_SIZES(GRID_SHARED_REGISTER, fp32, fp32, col)
