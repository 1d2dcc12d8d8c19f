// SPDX-License-Identifier: Apache-2.0
// Other element types, and tiles of eight rows.
#include "reductions.hpp"

namespace grid::inline KITTENS_NS {

/// Bytes into 32-bit vectors. Number 0: 0 row sums, 1 row maxima (matrix 1), 2 column sums, 3 column maxima (matrix 2).
template <class T, layout L, int M, int N>
struct byte_reduction : kernel {
    using tile = rt<T, M, N, L>;
    using per_row = rv<int32, M, ortho>;
    using per_col = rv<int32, N, align>;
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int r = sg.group(1), c = sg.group(0), op = g.number[0];
        tile t;
        load(t, matrix<const T>(g, 0), coord<tile>{r, c});
        if (op < 2) {
            per_row rows;
            if (op == 0) row_sum(rows, t);
            else row_max(rows, t);
            store(matrix<int32>(g, 1), rows, coord<per_row>{c, r});
        } else {
            per_col cols;
            if (op == 2) col_sum(cols, t);
            else col_max(cols, t);
            store(matrix<int32>(g, 2), cols, coord<per_col>{r, c});
        }
    }
#endif
};

}  // namespace grid::inline KITTENS_NS

#define GRID_BYTE_REDUCTION(M, N, NAME, L) KITTENS_KERNEL(grid_byte_reduction_##NAME##_##L##_##M##x##N, grid::byte_reduction<grid::NAME, grid::L, M, N>)
GRID_BYTE_REDUCTION(16, 32, int8, row)
GRID_BYTE_REDUCTION(32, 64, uint8, row)
GRID_BYTE_REDUCTION(32, 32, int8, col)
GRID_REDUCTION(8, 16, fp32, fp32, row)
GRID_REDUCTION(8, 32, bf16, bf16, row)
GRID_REDUCTION(24, 48, fp16, fp16, row)
GRID_REDUCTION(32, 32, fp32, fp32, row)
GRID_REDUCTION(32, 32, fp32, fp32, col)
GRID_REDUCTION(16, 256, fp32, fp32, row)
GRID_REDUCTION(32, 48, fp16, fp16, col)
