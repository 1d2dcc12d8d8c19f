// SPDX-License-Identifier: Apache-2.0
#include "products.hpp"

GRID_SIZES(GRID_PRODUCT_SIZE, 32)
