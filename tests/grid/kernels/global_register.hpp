// SPDX-License-Identifier: Apache-2.0
// Tiles between global memory and registers.
#pragma once

#include "kernel.hpp"

namespace grid::inline KITTENS_NS {

/// matrix 1 = matrix 0, tile by tile. A workgroup's subgroups take neighbouring tile rows.
template <class T, layout L, int M, int N>
struct global_register : kernel {
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        rt<T, M, N, L> tile;
        const coord<rt<T, M, N, L>> at{sg.group(1) * sg.count() + sg.id(), sg.group(0)};
        load(tile, matrix<const T>(g, 0), at);
        store_any(matrix<T>(g, 1), tile, at);
    }
#endif
};

}  // namespace grid::inline KITTENS_NS

#define GRID_GLOBAL_REGISTER(M, N, NAME, T, L) \
    KITTENS_KERNEL(grid_global_register_##NAME##_##L##_##M##x##N, grid::global_register<grid::T, grid::L, M, N>)
