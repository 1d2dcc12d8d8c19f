// SPDX-License-Identifier: Apache-2.0
// Tiles between global memory and shared local memory.
#include "kernel.hpp"

namespace grid::inline KITTENS_NS {

/// matrix 2 = matrix 0: loaded by all subgroups together, stored by one. matrix 3 = matrix 1: the other way round.
template <class T, int M, int N>
struct global_shared : kernel {
    using tile = st<T, M, N>;
    static constexpr int slm_bytes = slm_bytes_for<tile>;
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const auto s = shared_allocator(sg).template allocate<tile>();
        const coord<tile> at{sg.group(1), sg.group(0)};
        with_group(sg, [&](const auto& all) { all.load(s, matrix<const T>(g, 0), at); });
        sync(sg);
        if (sg.id() == sg.count() - 1) store(matrix<T>(g, 2), s, at);
        sync(sg);
        if (sg.id() == 0) load(s, matrix<const T>(g, 1), at);
        sync(sg);
        with_group(sg, [&](const auto& all) { all.store(matrix<T>(g, 3), s, at); });
    }
#endif
};

}  // namespace grid::inline KITTENS_NS

#define GRID_GLOBAL_SHARED(M, N, NAME, T) KITTENS_KERNEL(grid_global_shared_##NAME##_##M##x##N, grid::global_shared<grid::T, M, N>)
GRID_SIZES(GRID_GLOBAL_SHARED, bf16, bf16)
GRID_SIZES(GRID_GLOBAL_SHARED, fp16, fp16)
GRID_SIZES(GRID_GLOBAL_SHARED, fp32, fp32)
