// SPDX-License-Identifier: Apache-2.0
#include "swiglu.hpp"

using namespace kernels;

KITTENS_KERNEL(swiglu_fp16, swiglu<default_swiglu(dtype::f16, false)>)
KITTENS_KERNEL(swiglu_interleaved_fp16, swiglu<default_swiglu(dtype::f16, true)>)
