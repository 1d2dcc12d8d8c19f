// SPDX-License-Identifier: Apache-2.0
#include "argmax.hpp"

using namespace kernels;

KITTENS_KERNEL(argmax_bf16, argmax<default_argmax(dtype::bf16)>)
