// SPDX-License-Identifier: Apache-2.0
#include "gemv.hpp"

using namespace kernels;

KITTENS_KERNEL(gemv_fp16, gemv<default_gemv(dtype::f16, 1, false)>)
KITTENS_KERNEL(gemv_rows_fp16, gemv<default_gemv(dtype::f16, 8, false)>)
KITTENS_KERNEL(gemv_gated_fp16, gemv<default_gemv(dtype::f16, 1, true)>)
KITTENS_KERNEL(gemv_gated_rows_fp16, gemv<default_gemv(dtype::f16, 8, true)>)
