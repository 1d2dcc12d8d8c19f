// SPDX-License-Identifier: Apache-2.0
#include "gemm.hpp"
#include "ladder.hpp"

using namespace kernels;

// "masked" is in gemm_bf16.cpp.
KITTENS_KERNEL(gemm_bf16_base_16x16, gemm<base_16x16(dtype::bf16)>)
KITTENS_KERNEL(gemm_bf16_base_32x32, gemm<base_32x32(dtype::bf16)>)
KITTENS_KERNEL(gemm_bf16_unroll_32, gemm<unroll_32(dtype::bf16)>)
KITTENS_KERNEL(gemm_bf16_snake, gemm<snake(dtype::bf16)>)
KITTENS_KERNEL(gemm_bf16_cooperative, gemm<cooperative(dtype::bf16)>)
KITTENS_KERNEL(gemm_bf16_shape_distance, gemm<shape_distance(dtype::bf16)>)
