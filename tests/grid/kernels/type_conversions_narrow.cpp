// SPDX-License-Identifier: Apache-2.0
#include "type_conversions.hpp"

GRID_CONVERSIONS(int8)
GRID_CONVERSIONS(uint8)
GRID_CONVERSIONS(int32)
GRID_CONVERSIONS(fp8e4m3)
GRID_CONVERSIONS(fp8e5m2)
