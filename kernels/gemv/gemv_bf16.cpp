// SPDX-License-Identifier: Apache-2.0
#include "gemv.hpp"

using namespace kernels;

KITTENS_KERNEL(gemv_bf16, gemv<default_gemv(dtype::bf16, 1, false)>)
KITTENS_KERNEL(gemv_rows_bf16, gemv<default_gemv(dtype::bf16, 8, false)>)
KITTENS_KERNEL(gemv_gated_bf16, gemv<default_gemv(dtype::bf16, 1, true)>)
KITTENS_KERNEL(gemv_gated_rows_bf16, gemv<default_gemv(dtype::bf16, 8, true)>)
