// SPDX-License-Identifier: Apache-2.0
// Movement of tiles of every base shape and element type.
#pragma once

#include "kernel.hpp"

namespace grid::inline KITTENS_NS {

/// Number 0: 0 load and store of block access, 1 of plain access, 2 the transposed load (matrix 0 holds the transpose),
/// 3 load_transform beside load and swap_layout (matrix 2 gets the second), 4 the transposed load of plain access.
template <class T, layout L, base_shape S, int M, int N>
struct base_shape_movement : kernel {
    using tile = rt<T, M, N, L, S>;
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const coord<tile> at{sg.group(1), sg.group(0)};
        tile t;
        switch (g.number[0]) {
            case 0:
                load(t, matrix<const T>(g, 0), at);
                store_any(matrix<T>(g, 1), t, at);
                break;
            case 1:
                load(t, matrix<const T, access::plain>(g, 0), at);
                store_any(matrix<T, access::plain>(g, 1), t, at);
                break;
            case 2:
                load_transpose(t, matrix<const T>(g, 0), at);
                store_any(matrix<T>(g, 1), t, at);
                break;
            case 4:
                load_transpose(t, matrix<const T, access::plain>(g, 0), at);
                store_any(matrix<T>(g, 1), t, at);
                break;
            default:
                if constexpr (L == col && sizeof(T) <= 2) {
                    load_transform(t, matrix<const T>(g, 0), at);
                    store_any(matrix<T>(g, 1), t, at);
                    if constexpr (legal_base<T>(row, S)) {
                        rt<T, M, N, row, S> plain;
                        load(plain, matrix<const T>(g, 0), {at.r, at.c});
                        swap_layout(t, plain);
                        store_any(matrix<T>(g, 2), t, at);
                    }
                }
        }
    }
#endif
};

}  // namespace grid::inline KITTENS_NS

// Tiles of 2 x 2 base tiles.
#define GRID_BASE_SHAPE(NAME, L, R, C)                                                                                                     \
    KITTENS_KERNEL(grid_base_##NAME##_##L##_##R##x##C, grid::base_shape_movement<grid::NAME, grid::L, grid::rt_##R##x##C, 2 * R, 2 * C>)
