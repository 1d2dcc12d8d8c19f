// SPDX-License-Identifier: Apache-2.0
// What a GEMM leaves open: tile and workgroup shapes, prefetch, order, types. A policy is a template argument.
#pragma once

#include <kittens/kittens.hpp>

namespace kernels {

using kittens::base_shape;
using kittens::dtype;

/// Who warms the cache for the K steps ahead.
enum class prefetch_kind : int {
    none,
    masked,       ///< some subgroups warm their whole tiles: A where id % 5 != 0, B where id & 8
    cooperative,  ///< each subgroup warms its own disjoint part of the workgroup's panels
};

/// In which order workgroups take the tiles of C.
enum class tile_order : int {
    linear,  ///< row by row
    snake,   ///< bands of `band` columns, each walked down and up in turn, so that neighbours share panels in L2
};

struct gemm_policy {
    dtype in = dtype::bf16;
    dtype out = dtype::bf16;
    int tile_m = 32, tile_n = 64, k_step = 32;  ///< per subgroup
    base_shape base = kittens::rt_32x32;
    int sg_rows = 8, sg_cols = 4;  ///< subgroups per workgroup
    prefetch_kind prefetch = prefetch_kind::cooperative;
    int distance_a = 2, distance_b = 2;  ///< K steps ahead
    int unroll = 1;
    tile_order order = tile_order::snake;
    int band = 8;
    kittens::access access = kittens::access::block;
    int grf = 256;
};

}  // namespace kernels
