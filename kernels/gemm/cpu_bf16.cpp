// SPDX-License-Identifier: Apache-2.0
#include "cpu_policies.hpp"

using namespace kernels;

#define KITTENS_TILE(M, N, K) KITTENS_CPU_GEMM(bf16, dtype::bf16, M, N, K)
KITTENS_GEMM_TILES_16(KITTENS_TILE)
#define KITTENS_SPLIT_TILE(M, N, K) KITTENS_CPU_GEMM_SPLIT(bf16, dtype::bf16, M, N, K)
KITTENS_GEMM_SPLIT_16(KITTENS_SPLIT_TILE)
KITTENS_CPU_REDUCE(bf16, dtype::bf16)
