// SPDX-License-Identifier: Apache-2.0
// Which tile of C a workgroup computes, and which part of the shared panels a subgroup prefetches.
#pragma once

#include "policy.hpp"

namespace kernels::inline KITTENS_NS {

struct tile_index {
    int m, n;
};

/// Tile of a workgroup of a `rows` x `cols` grid, in units of workgroup tiles. In snake order the grid is cut into bands of
/// `band` columns (the last may be narrower); a band is walked row by row, every second one upwards.
template <tile_order O, int Band>
KITTENS_INLINE tile_index workgroup_tile(int x, int y, int rows, int cols) {
    if constexpr (O == tile_order::linear) return {y, x};
    else {
        const int id = y * cols + x;
        const int band = id / (Band * rows);
        const int width = (band + 1) * Band <= cols ? Band : cols - band * Band;
        const int inside = id - band * Band * rows;
        const int r = inside / width;
        return {band & 1 ? rows - 1 - r : r, band * Band + inside % width};
    }
}

/// Disjoint ownership of the operand panels that a workgroup shares: the subgroups of a row share one A tile and cut
/// it into bands of rows; the subgroups of a column share one B tile and cut it into row bands and 64-byte column
/// blocks. Every panel byte belongs to one subgroup.
template <gemm_policy P>
struct panel_parts {
    static constexpr int line = 64 / kittens::size_of(P.in);  // elements: a prefetch message takes 64 bytes of a row

    static constexpr base_shape a_block{P.tile_m / P.sg_cols, P.k_step};
    static_assert(P.k_step <= line && a_block.rows * P.sg_cols == P.tile_m && a_block.rows <= 32,
                  "gemm: cooperative prefetch needs k_step of at most 64 bytes, and tile_m = sg_cols * (at most 32 rows)");

    static constexpr int b_col_parts = P.tile_n > line ? P.tile_n / line : 1;
    static constexpr int b_row_parts = P.sg_rows / b_col_parts;
    static constexpr base_shape b_block{P.k_step / b_row_parts, P.tile_n / b_col_parts};
    static_assert(b_row_parts * b_col_parts == P.sg_rows && b_block.rows * b_row_parts == P.k_step && b_block.rows <= 32,
                  "gemm: cooperative prefetch needs sg_rows divisible by the 64-byte column blocks of tile_n, and k_step by the quotient");

    static constexpr kittens::offset a_part(int j) { return {j * a_block.rows, 0}; }
    static constexpr kittens::offset b_part(int i) {
        return {i % b_row_parts * b_block.rows, i / b_row_parts * b_block.cols};
    }
};

}  // namespace kernels::inline KITTENS_NS
