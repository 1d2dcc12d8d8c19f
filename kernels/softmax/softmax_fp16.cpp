// SPDX-License-Identifier: Apache-2.0
#include "softmax.hpp"

using namespace kernels;

KITTENS_KERNEL(softmax_fp16, softmax<default_softmax(dtype::f16)>)
