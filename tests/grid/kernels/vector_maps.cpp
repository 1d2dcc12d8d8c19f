// SPDX-License-Identifier: Apache-2.0
// Copies, maps and norms of register vectors; copies, maps and reductions of shared vectors.
#include "kernel.hpp"

namespace grid::inline KITTENS_NS {

/// matrix 1 = f(matrix 0), vector by vector; number 0 says which f.
template <vector_layout V, int N>
struct register_vector : kernel {
    using vec = rv<float, N, V>;
#if KITTENS_HAS_TILE_OPS
    template <vector_layout To> KITTENS_INLINE static void convert_form(const globals& g, const subgroup& sg) {
        rv<bf16, N, V> from;
        rv<bf16, N, To> to;
        load(from, matrix<const bf16>(g, 0), coord<rv<bf16, N, V>>{sg.group(1), sg.group(0)});
        copy(to, from);
        store(matrix<bf16>(g, 1), to, coord<rv<bf16, N, To>>{sg.group(1), sg.group(0)});
    }
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        switch (g.number[0]) {
            case 0: return convert_form<align>(g, sg);
            case 1: return convert_form<ortho>(g, sg);
            case 2: return convert_form<naive>(g, sg);
            default: break;
        }
        const coord<vec> at{sg.group(1), sg.group(0)};
        vec v, w;
        load(v, matrix<const float>(g, 0), at);
        switch (g.number[0]) {
            case 3:  // every element one more
                add(w, v, 1.0f);
                break;
            case 4:  // (v + 2) v + 3
                add(w, v, 2.0f);
                mul(w, w, v);
                add(w, w, 3.0f);
                break;
            case 5: {  // unit length
                mul(w, v, v);
                fill(w, sum(w));
                sqrt(w, w);
                div(w, v, w);
                break;
            }
            case 6:  // reductions, in every element
                fill(w, max(v));
                break;
            case 7: fill(w, min(v)); break;
            default: fill(w, prod(v));
        }
        store(matrix<float>(g, 1), w, at);
    }
#endif
};

/// The same in shared local memory; all subgroups work on one vector.
template <int N>
struct shared_vector : kernel {
    using vec = sv<float, N>;
    static constexpr int slm_bytes = 2 * slm_bytes_for<vec>;
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const coord<vec> at{sg.group(1), sg.group(0)};
        shared_allocator memory(sg);
        const vec v = memory.template allocate<vec>(), w = memory.template allocate<vec>();
        with_group(sg, [&](const auto& all) { all.load(v, matrix<const float>(g, 0), at); });
        sync(sg);
        const int op = g.number[0];
        if (op == 0) with_group(sg, [&](const auto& all) { all.copy(w, v); });
        else if (op == 1) with_group(sg, [&](const auto& all) { all.template bin_map<base_ops::mul>(w, v, v); });
        else {
            const float total = op == 2 ? sum(v) : op == 3 ? max(v) : min(v);
            if (sg.id() == 0) {
                copy(w, v);
                bin_map<base_ops::sub>(w, v, total);
            }
        }
        sync(sg);
        with_group(sg, [&](const auto& all) { all.store(matrix<float>(g, 1), w, at); });
    }
#endif
};

}  // namespace grid::inline KITTENS_NS

#define GRID_REGISTER_VECTOR(N, V) KITTENS_KERNEL(grid_register_vector_##V##_##N, grid::register_vector<grid::V, N>)
#define GRID_SHARED_VECTOR(N, ...) KITTENS_KERNEL(grid_shared_vector_##N, grid::shared_vector<N>)
GRID_LENGTHS(GRID_REGISTER_VECTOR, align)
GRID_LENGTHS(GRID_REGISTER_VECTOR, ortho)
GRID_LENGTHS(GRID_REGISTER_VECTOR, naive)
GRID_REGISTER_VECTOR(8, naive)
GRID_REGISTER_VECTOR(24, naive)
GRID_LENGTHS(GRID_SHARED_VECTOR)
