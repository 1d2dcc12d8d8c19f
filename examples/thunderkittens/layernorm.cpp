// SPDX-License-Identifier: Apache-2.0
#include "layernorm.hpp"

KITTENS_KERNEL(example_layernorm, examples::layernorm)
