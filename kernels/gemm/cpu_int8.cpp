// SPDX-License-Identifier: Apache-2.0
#include "cpu_policies.hpp"

using namespace kernels;

#define KITTENS_TILE(M, N, K) KITTENS_CPU_GEMM(int8, dtype::i8, M, N, K)
KITTENS_GEMM_TILES_8(KITTENS_TILE)
#define KITTENS_SPLIT_TILE(M, N, K) KITTENS_CPU_GEMM_SPLIT(int8, dtype::i8, M, N, K)
KITTENS_GEMM_SPLIT_8(KITTENS_SPLIT_TILE)
KITTENS_CPU_REDUCE(int8, dtype::i8)
