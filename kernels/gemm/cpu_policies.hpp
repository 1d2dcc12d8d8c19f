// SPDX-License-Identifier: Apache-2.0
// Tile shapes that the cpu target is compiled with besides its default, for a table of measured choices to choose from
// (choices.hpp). A tile is a cache block there: KITTENS_GEMM_TILES(X) is X(rows, columns, K step) of each.
#pragma once

#include "gemm.hpp"
#include "policies.hpp"
#include "split_k.hpp"

#if defined(KITTENS_TARGET_CPU)

namespace kernels::inline KITTENS_NS {

/// The default policy with another tile. Access is by element: the shape of the tensors has no rules to keep.
constexpr gemm_policy cpu_policy(dtype in, int tile_m, int tile_n, int k_step) {
    auto p = plain_policy(in);
    p.tile_m = tile_m;
    p.tile_n = tile_n;
    p.k_step = k_step;
    return p;
}

/// The same with the sum over K cut into planes, for reduce_planes to add up: where C has fewer tiles than there are threads.
constexpr gemm_policy cpu_split_policy(dtype in, int tile_m, int tile_n, int k_step) {
    auto p = cpu_policy(in, tile_m, tile_n, k_step);
    p.out = kittens::accumulator_of(in);
    p.split = split_kind::staged;
    return p;
}

/// The second pass. A workgroup takes 64 x 256 of C: so much is added up sooner by one thread than two are started.
constexpr reduce_policy cpu_reduce_policy(dtype in) {
    return {.sum = kittens::accumulator_of(in), .out = default_output(in), .tile_m = 64, .tile_n = 64, .subgroups = 4, .access = kittens::access::plain};
}

}  // namespace kernels::inline KITTENS_NS

/// KITTENS_KERNEL for one tile; the kernel is cpu_gemm_<type>_<rows>x<columns>x<K step>.
#define KITTENS_CPU_GEMM(TYPE, IN, M, N, K) KITTENS_KERNEL(cpu_gemm_##TYPE##_##M##x##N##x##K, gemm<cpu_policy(IN, M, N, K)>)
/// The same with K shared out, cpu_gemm_<type>_<rows>x<columns>x<K step>_split, and the second pass, cpu_reduce_<type>.
#define KITTENS_CPU_GEMM_SPLIT(TYPE, IN, M, N, K) KITTENS_KERNEL(cpu_gemm_##TYPE##_##M##x##N##x##K##_split, gemm<cpu_split_policy(IN, M, N, K)>)
#define KITTENS_CPU_REDUCE(TYPE, IN) KITTENS_KERNEL(cpu_reduce_##TYPE, reduce_planes<cpu_reduce_policy(IN)>)

// Rows are multiples of a register block's where there is no matrix unit: 6 (256 bits), 14 (512 bits). The smallest are for
// problems with few tiles, where K is what is long.
#if defined(__AVX512F__)
#define KITTENS_GEMM_VECTOR_TILES(X) X(224, 256, 256) X(224, 512, 256) X(64, 256, 512) X(128, 128, 512) X(32, 64, 512)
#else
#define KITTENS_GEMM_VECTOR_TILES(X) X(192, 256, 384) X(192, 512, 384) X(96, 256, 384) X(96, 128, 384) X(32, 64, 384)
#endif
// Where K is split: a problem fills what it needs of a tile, so one for all small C does, and B is packed once among all threads.
#define KITTENS_GEMM_VECTOR_SPLIT(X) X(256, 128, 512)
#if defined(KITTENS_CPU_AMX)
#define KITTENS_GEMM_SPLIT_16(X) X(256, 256, 1024)
#define KITTENS_GEMM_SPLIT_8(X) X(256, 256, 2048)
#define KITTENS_GEMM_TILES_16(X) \
    X(512, 256, 1024) X(256, 128, 1024) X(64, 256, 1024) X(32, 256, 1024) X(256, 512, 512) X(64, 512, 512) X(64, 128, 1024) X(256, 64, 1024) X(32, 64, 1024)
#define KITTENS_GEMM_TILES_8(X) X(512, 256, 2048) X(256, 128, 2048) X(64, 256, 2048) X(256, 512, 1024) X(64, 512, 1024) X(32, 64, 2048)
#else
#define KITTENS_GEMM_SPLIT_16(X) KITTENS_GEMM_VECTOR_SPLIT(X)
#define KITTENS_GEMM_SPLIT_8(X) KITTENS_GEMM_VECTOR_SPLIT(X)
#define KITTENS_GEMM_TILES_16(X) KITTENS_GEMM_VECTOR_TILES(X)
#define KITTENS_GEMM_TILES_8(X) KITTENS_GEMM_VECTOR_TILES(X)
#endif

#endif
