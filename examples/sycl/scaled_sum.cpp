// SPDX-License-Identifier: Apache-2.0
#include "scaled_sum.hpp"

KITTENS_KERNEL(scaled_sum, example::scaled_sum)
