// SPDX-License-Identifier: Apache-2.0
// Vectors between global memory, shared local memory and registers.
#include "kernel.hpp"

namespace grid::inline KITTENS_NS {

/// matrix 1 = matrix 0, vector by vector: number 0 says which way.
template <class T, vector_layout V, int N>
struct vector_movement : kernel {
    using reg = rv<T, N, V>;
    using shared = sv<T, N>;
    static constexpr int slm_bytes = 4 * slm_bytes_for<shared>;
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const auto in = matrix<const T>(g, 0);
        const auto out = matrix<T>(g, 1);
        const shared mine = subvec<N>(shared_allocator(sg).template allocate<sv<T, 4 * N>>(), sg.id());
        const shared all = subvec<N>(shared_allocator(sg).template allocate<sv<T, 4 * N>>(), 0);
        const int row = sg.group(1), col = sg.group(0) * sg.count() + sg.id();
        reg v;
        switch (g.number[0]) {
            case 0:  // through registers
                load(v, in, coord<reg>{row, col});
                store(out, v, coord<reg>{row, col});
                break;
            case 1:  // through SLM, the subgroups together
                with_group(sg, [&](const auto& group) { group.load(all, in, coord<shared>{row, sg.group(0)}); });
                sync(sg);
                with_group(sg, [&](const auto& group) { group.store(out, all, coord<shared>{row, sg.group(0)}); });
                break;
            case 2:  // SLM to registers
                load(mine, in, coord<shared>{row, col});
                load(v, mine);
                store(out, v, coord<reg>{row, col});
                break;
            default:  // registers to SLM
                load(v, in, coord<reg>{row, col});
                store(mine, v);
                store(out, mine, coord<shared>{row, col});
        }
    }
#endif
};

}  // namespace grid::inline KITTENS_NS

#define GRID_VECTOR(N, NAME, T, V) KITTENS_KERNEL(grid_vector_##NAME##_##V##_##N, grid::vector_movement<grid::T, grid::V, N>)
#define GRID_VECTORS(NAME, T)                                                                                     \
    GRID_LENGTHS(GRID_VECTOR, NAME, T, align) GRID_LENGTHS(GRID_VECTOR, NAME, T, ortho) GRID_LENGTHS(GRID_VECTOR, NAME, T, naive) \
    GRID_VECTOR(8, NAME, T, naive) GRID_VECTOR(24, NAME, T, naive) GRID_VECTOR(128, NAME, T, wide) GRID_VECTOR(256, NAME, T, wide)
GRID_VECTORS(bf16, bf16)
GRID_VECTORS(fp16, fp16)
GRID_VECTORS(fp32, fp32)
