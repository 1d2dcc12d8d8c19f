// SPDX-License-Identifier: Apache-2.0
#include "type_conversions.hpp"

GRID_CONVERSIONS(fp32)
GRID_CONVERSIONS(bf16)
GRID_CONVERSIONS(fp16)
GRID_CONVERSIONS(tf32)
