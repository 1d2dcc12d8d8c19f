// SPDX-License-Identifier: Apache-2.0
#include "cpu_policies.hpp"

using namespace kernels;

#define KITTENS_TILE(M, N, K) KITTENS_CPU_GEMM(fp16, dtype::f16, M, N, K)
KITTENS_GEMM_VECTOR_TILES(KITTENS_TILE)
#define KITTENS_SPLIT_TILE(M, N, K) KITTENS_CPU_GEMM_SPLIT(fp16, dtype::f16, M, N, K)
KITTENS_GEMM_VECTOR_SPLIT(KITTENS_SPLIT_TILE)
KITTENS_CPU_REDUCE(fp16, dtype::f16)
