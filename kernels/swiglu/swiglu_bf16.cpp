// SPDX-License-Identifier: Apache-2.0
#include "swiglu.hpp"

using namespace kernels;

KITTENS_KERNEL(swiglu_bf16, swiglu<default_swiglu(dtype::bf16, false)>)
KITTENS_KERNEL(swiglu_interleaved_bf16, swiglu<default_swiglu(dtype::bf16, true)>)
