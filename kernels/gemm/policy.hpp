// SPDX-License-Identifier: Apache-2.0
// What a GEMM leaves open: tile and workgroup shapes, prefetch, order, operand layouts, how sums over K are shared out,
// types. A policy is a template argument; what does not change the instructions is a kernel argument (epilogue.hpp).
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

/// How far ahead.
enum class prefetch_distance : int {
    fixed,     ///< distance_a and distance_b
    by_shape,  ///< distance_for(): a scalar that is computed from M, N and K when the kernel starts
};

/// In which order workgroups take the tiles of C.
enum class tile_order : int {
    linear,   ///< row by row
    snake,    ///< bands of `band` columns, each walked down and up in turn, so that neighbours share panels in L2
    grouped,  ///< groups of `band` rows, each walked column by column
};

/// How an operand lies in memory.
enum class stored : int {
    normal,      ///< A: M x K, B: K x N, row-major
    transposed,  ///< A: K x M, B: N x K
    packed,      ///< B alone: ahead of the product put into the form that it reads (pack_b.hpp)
};

/// Where B gets the form that matrix instructions read (VNNI: rows that fill 32 bits side by side).
enum class packing : int {
    load,       ///< on its way from memory
    registers,  ///< in registers, by every subgroup for itself, in every K step
};

/// How the sum over K is shared out among workgroups.
enum class split_kind : int {
    none,    ///< a workgroup computes its tile of C whole
    staged,  ///< C has a depth of planes; plane p gets the sum over the p-th part of K, for reduce_planes to add up
    atomic,  ///< the grid has planes (an argument) that add their sums to C, which is zero before, atomically
    stream,  ///< a fixed number of workgroups (an argument) share all K steps of all tiles evenly; parts are added as in atomic
};

struct gemm_policy {
    dtype in = dtype::bf16;
    dtype out = dtype::bf16;
    int tile_m = 32, tile_n = 64, k_step = 32;  ///< per subgroup
    base_shape base = kittens::rt_32x32;        ///< fitted to what the element type allows and the tiles divide into
    int sg_rows = 8, sg_cols = 4;               ///< subgroups per workgroup
    prefetch_kind prefetch = prefetch_kind::cooperative;
    prefetch_distance distance = prefetch_distance::fixed;
    int distance_a = 2, distance_b = 2;  ///< K steps ahead
    /// What one cooperative prefetch of A and B takes, in memory's orientation; {0, 0}: the subgroup's part in one piece.
    base_shape prefetch_block_a{0, 0}, prefetch_block_b{0, 0};
    int unroll = 1;
    tile_order order = tile_order::snake;
    int band = 8;
    kittens::access access = kittens::access::block;
    int grf = 256;
    stored a = stored::normal, b = stored::normal;
    packing pack = packing::load;
    split_kind split = split_kind::none;
    /// Whether the kernel takes epilogue arguments: alpha, beta, bias, activation, residual.
    bool epilogue = false;
    /// Rows and columns that the epilogue works on at a time; 0: the whole tile.
    int piece_m = 0, piece_n = 0;
};

/// The layout of both operands, as BLAS names it: "nn", "nt" (B is N x K), "tn" (A is K x M), "tt".
constexpr gemm_policy with_layout(gemm_policy p, stored a, stored b) {
    p.a = a;
    p.b = b;
    return p;
}

/// The base shape nearest to `wanted` that a tile of M x N elements of T in layout L can be built from.
template <class T> constexpr base_shape fitted(base_shape wanted, kittens::layout l, int m, int n) {
    if (sizeof(T) == 1) (l == kittens::row ? wanted.cols : wanted.rows) = 32;
    if (sizeof(T) == 2 && l == kittens::col && wanted.rows < 16) wanted.rows = 16;
    while (wanted.rows > 8 && m % wanted.rows != 0) wanted.rows /= 2;
    while (wanted.cols > 16 && n % wanted.cols != 0) wanted.cols /= 2;
    return wanted;
}

/// K steps ahead for a shape: 2 where C is square; 3 where it is not, since then one operand's panels are fetched for
/// fewer tiles and more of them come from memory; never more than there are steps. The values are those that were
/// found best on a Max 1550 for this kind of kernel; nothing of them was measured with this one.
constexpr int distance_for(int m, int n, int steps) {
    const int ahead = m == n ? 2 : 3;
    return ahead < steps ? ahead : steps;
}

}  // namespace kernels
