// SPDX-License-Identifier: Apache-2.0
#include "double_it.hpp"

KITTENS_KERNEL(double_it, outside::double_it)
