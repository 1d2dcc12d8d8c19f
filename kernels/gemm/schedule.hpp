// SPDX-License-Identifier: Apache-2.0
// Which tile of C a workgroup computes, and which part of K.
#pragma once

#include "policy.hpp"

namespace kernels::inline KITTENS_NS {

struct tile_index {
    int m, n;
};

/// The `index`-th workgroup tile of a `rows` x `cols` grid. In snake order the grid is cut into bands of `Band` columns (the
/// last may be narrower); a band is walked row by row, every second one upwards. In grouped order it is cut into groups of
/// `Band` rows, and a group is walked column by column.
template <tile_order O, int Band>
KITTENS_INLINE tile_index workgroup_tile(int index, int rows, int cols) {
    if constexpr (O == tile_order::linear) return {index / cols, index % cols};
    else {
        constexpr bool snake = O == tile_order::snake;
        const int across = snake ? cols : rows, along = snake ? rows : cols;
        const int band = index / (Band * along);
        const int width = (band + 1) * Band <= across ? Band : across - band * Band;
        const int inside = index - band * Band * along;
        const int r = inside / width, c = band * Band + inside % width;
        if constexpr (snake) return {band & 1 ? rows - 1 - r : r, c};
        else return {c, r};
    }
}

/// What a workgroup does in one go: K steps [k_begin, k_end) of a workgroup tile of C.
struct share {
    int batch, plane, m, n, k_begin, k_end;
    bool whole;  ///< all K steps of the tile
};

/// K steps of a GEMM.
template <gemm_policy P, class Globals> KITTENS_INLINE int k_steps(const Globals& g) {
    constexpr int per_word = 4 / size_of(P.in);
    const int n = ceil_div(P.b == stored::normal ? g.b.rows() : P.b == stored::packed ? g.b.rows() * per_word : g.b.cols(), P.k_step);
    // No dimension is less than 1; saying so spares the loop over the steps a guard.
    if (n < 1) __builtin_unreachable();
    return n;
}

/// Workgroup tiles that cover C.
template <gemm_policy P, class Globals> constexpr tile_index tile_grid(const Globals& g) {
    return {ceil_div(g.c.rows(), P.tile_m * P.sg_rows), ceil_div(g.c.cols(), P.tile_n * P.sg_cols)};
}

/// The workgroups of a launch. `parts`: planes of K (split_kind::atomic), or workgroups per batch (split_kind::stream).
template <gemm_policy P, class Globals> kittens::launch_shape gemm_grid(const Globals& g) {
    const auto [rows, cols] = tile_grid<P>(g);
    const int subgroups = P.sg_rows * P.sg_cols, batches = g.c.batch();
    if constexpr (P.split == split_kind::stream) return {.groups = {g.split.parts, 1, batches}, .subgroups = subgroups};
    else if constexpr (P.split == split_kind::atomic) return {.groups = {cols, rows, batches * g.split.parts}, .subgroups = subgroups};
    else return {.groups = {cols, rows, batches * g.c.depth()}, .subgroups = subgroups};
}

#if KITTENS_HAS_TILE_OPS
/// Calls body(share) for each share of this workgroup: one, but for stream-K.
template <gemm_policy P, class Globals, class Body>
KITTENS_INLINE void for_each_share(const Globals& g, const subgroup& sg, Body body) {
    const int steps = k_steps<P>(g);
    if constexpr (P.split == split_kind::stream) {
        // All steps of all tiles in a row, cut into equal pieces: a piece ends one tile, does some whole, begins another.
        const auto [rows, cols] = tile_grid<P>(g);
        const int all = rows * cols * steps, pieces = sg.groups(0), rest = all % pieces;
        const int id = sg.group(0), length = all / pieces;
        int at = id * length + (id < rest ? id : rest);
        const int end = at + length + (id < rest ? 1 : 0);
        while (at < end) {
            const auto [m, n] = workgroup_tile<P.order, P.band>(at / steps, rows, cols);
            const int first = at % steps, last = first + (end - at) < steps ? first + (end - at) : steps;
            body(share{sg.group(2), 0, m, n, first, last, last - first == steps});
            at += last - first;
        }
    } else {
        const auto [m, n] = workgroup_tile<P.order, P.band>(sg.group(1) * sg.groups(0) + sg.group(0), sg.groups(1), sg.groups(0));
        if constexpr (P.split == split_kind::none) body(share{sg.group(2), 0, m, n, 0, steps, true});
        else {
            int parts;
            if constexpr (P.split == split_kind::atomic) parts = g.split.parts;
            else parts = g.c.depth();
            const int plane = sg.group(2) % parts, length = steps / parts, rest = steps % parts;
            const int first = plane * length + (plane < rest ? plane : rest);
            body(share{sg.group(2) / parts, plane, m, n, first, first + length + (plane < rest ? 1 : 0), parts == 1});
        }
    }
}
#endif

}  // namespace kernels::inline KITTENS_NS
