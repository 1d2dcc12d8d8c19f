// SPDX-License-Identifier: Apache-2.0
// Element-wise work on register tiles: exp and the masks over all sizes.
#include "kernel.hpp"

namespace grid::inline KITTENS_NS {

/// matrix 1 = f(matrix 0). Number 0: which f; number 1: diagonal, row or column; the scalar is what dropped elements become.
template <class T, layout L, int M, int N>
struct tile_map : kernel {
    using tile = rt<T, M, N, L>;
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        tile t;
        const coord<tile> at{sg.group(1) * sg.count() + sg.id(), sg.group(0)};
        load(t, matrix<const T>(g, 0), at);
        const int n = g.number[1];
        switch (g.number[0]) {
            case 0: exp(t, t); break;
            case 1: tril(t, t, n, g.scalar); break;
            case 2: triu(t, t, n, g.scalar); break;
            case 3: left_fill(t, t, n, g.scalar); break;
            case 4: right_fill(t, t, n, g.scalar); break;
            case 5: upper_fill(t, t, n, g.scalar); break;
            case 6: lower_fill(t, t, n, g.scalar); break;
            default: upper_right_fill(t, t, n, g.number[2], g.scalar);
        }
        store_any(matrix<T>(g, 1), t, at);
    }
#endif
};

}  // namespace grid::inline KITTENS_NS

#define GRID_MAP(M, N, NAME, T, L) KITTENS_KERNEL(grid_map_##NAME##_##L##_##M##x##N, grid::tile_map<grid::T, grid::L, M, N>)
GRID_SIZES(GRID_MAP, bf16, bf16, row)
GRID_SIZES(GRID_MAP, bf16, bf16, col)
