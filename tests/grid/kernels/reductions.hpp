// SPDX-License-Identifier: Apache-2.0
// Reductions and broadcasts of register tiles.
#pragma once

#include "kernel.hpp"

namespace grid::inline KITTENS_NS {

/// Matrix 0 is the tiles. Matrix 1 has the row results of tile (r, c) in row c, from column r * M on; matrix 2 the column
/// results in row r, from column c * N on. Matrix 3 is tiles. Number 0: which operation.
template <class T, layout L, int M, int N>
struct tile_reduction : kernel {
    using tile = rt<T, M, N, L>;
    using per_row = col_vec<tile>;
    using per_col = row_vec<tile>;
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int r = sg.group(1) * sg.count() + sg.id(), c = sg.group(0);
        tile t;
        per_row rows;
        per_col cols;
        load(t, matrix<const T>(g, 0), coord<tile>{r, c});
        switch (g.number[0]) {
            case 0:  // normalise the rows
                row_sum(rows, t);
                div_row(t, t, rows);
                break;
            case 1:
                col_sum(cols, t);
                div_col(t, t, cols);
                break;
            case 2:
                load(rows, matrix<const T>(g, 4), coord<per_row>{c, r});
                broadcast_row(t, rows);
                break;
            case 3:
                load(cols, matrix<const T>(g, 4), coord<per_col>{r, c});
                broadcast_col(t, cols);
                break;
            case 4: row_max(rows, t); break;
            case 5: row_min(rows, t); break;
            case 6: row_prod(rows, t); break;
            case 7: col_max(cols, t); break;
            case 8: col_min(cols, t); break;
            case 9: col_prod(cols, t); break;
            case 10:  // onto a start
                load(rows, matrix<const T>(g, 4), coord<per_row>{c, r});
                row_sum(rows, t, rows);
                break;
            case 11:
                load(cols, matrix<const T>(g, 4), coord<per_col>{r, c});
                col_sum(cols, t, cols);
                break;
            default: {  // over everything
                const auto total = g.number[0] == 12 ? sum(t) : max(t);
                fill(rows, total);
            }
        }
        const int op = g.number[0];
        if (op <= 3) store_any(matrix<T>(g, 3), t, coord<tile>{r, c});
        if (op == 0 || (op >= 4 && op <= 6) || op == 10 || op >= 12) store(matrix<T>(g, 1), rows, coord<per_row>{c, r});
        if (op == 1 || (op >= 7 && op <= 9) || op == 11) store(matrix<T>(g, 2), cols, coord<per_col>{r, c});
    }
#endif
};

}  // namespace grid::inline KITTENS_NS

#define GRID_REDUCTION(M, N, NAME, T, L) KITTENS_KERNEL(grid_reduction_##NAME##_##L##_##M##x##N, grid::tile_reduction<grid::T, grid::L, M, N>)
