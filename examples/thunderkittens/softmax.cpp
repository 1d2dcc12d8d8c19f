// SPDX-License-Identifier: Apache-2.0
#include "softmax.hpp"

KITTENS_KERNEL(example_softmax, examples::softmax)
