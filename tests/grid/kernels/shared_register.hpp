// SPDX-License-Identifier: Apache-2.0
// Tiles between shared local memory and registers.
#pragma once

#include "kernel.hpp"

namespace grid::inline KITTENS_NS {

/// matrix 1 = matrix 0, through SLM to registers; matrix 2 = matrix 0, from there through SLM again. Each subgroup of a
/// workgroup has an M x N band of the shared tile.
template <class T, layout L, int M, int N>
struct shared_register : kernel {
    using tile = rt<T, M, N, L>;
    static constexpr int slm_bytes = 2 * slm_bytes_for<st<T, 64, N>>;
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        with_group(sg, [&](const auto& all) {
            constexpr int count = std::remove_cvref_t<decltype(all)>::subgroups;
            if constexpr (M * count <= 64) {
                using shared = st<T, M * count, N>;
                shared_allocator memory(sg);
                const auto from = memory.template allocate<shared>(), to = memory.template allocate<shared>();
                const coord<shared> at{sg.group(1), sg.group(0)};
                all.load(from, matrix<const T>(g, 0), at);
                sync(sg);
                tile t;
                all.load(t, from);
                store_any(matrix<T>(g, 1), t, coord<tile>{sg.group(1) * count + sg.id(), sg.group(0)});
                all.store(to, t);
                sync(sg);
                all.store(matrix<T>(g, 2), to, at);
            }
        });
    }
#endif
};

}  // namespace grid::inline KITTENS_NS

#define GRID_SHARED_REGISTER(M, N, NAME, T, L) \
    KITTENS_KERNEL(grid_shared_register_##NAME##_##L##_##M##x##N, grid::shared_register<grid::T, grid::L, M, N>)
