// SPDX-License-Identifier: Apache-2.0
// Prefetches change nothing and are shared out without gaps; parts of a tile; barriers.
#include "kernel.hpp"

namespace grid::inline KITTENS_NS {

/// matrix 1 = matrix 0, tile by tile, with prefetches of everything on the way. Number 0: 0 each subgroup its own tile,
/// 1 all subgroups one panel of `subgroups` tiles, a region each.
template <class T, layout L, int M, int N>
struct prefetching : kernel {
    using tile = rt<T, M, N, L>;
    static constexpr base_shape region{8, 32 / int(sizeof(T)) < 32 ? 32 * 2 / int(sizeof(T)) : 32};
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const auto in = matrix<const T>(g, 0);
        const coord<tile> at{sg.group(1), sg.group(0) * sg.count() + sg.id()};
        tile t;
        load(t, in, at);
        if (g.number[0] == 0) {
            prefetch_load(t, in, coord<tile>{at.r + 1, at.c});
            prefetch_load(t, in, coord<tile>{at.r + 100, at.c});
        } else {
            // The next row of tiles is this workgroup's panel: its regions, dealt out to the subgroups.
            const int across = N * sg.count() / region.cols;
            for (int i = sg.id(); i < M / region.rows * across; i += sg.count())
                prefetch_load_coop<region>(t, in, coord<tile>{at.r + 1, sg.group(0) * sg.count()}, offset{i / across * region.rows, i % across * region.cols});
        }
        store_any(matrix<T>(g, 1), t, at);
        load(t, in, coord<tile>{at.r + 1, at.c});
        store_any(matrix<T>(g, 1), t, coord<tile>{at.r + 1, at.c});
    }
#endif
};

/// matrix 1 = matrix 0 with the parts of each tile in reverse order; a logical tile is `Parts` times as wide.
template <class T, int M, int N, int Parts>
struct parts : kernel {
    using tile = rt<T, M, N>;
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const coord<tile> at{sg.group(1), sg.group(0)};
        for (int i = 0; i < Parts; ++i) {
            tile t;
            load_part<Parts>(t, matrix<const T>(g, 0), at, i);
            store_part<Parts>(matrix<T>(g, 1), t, at, Parts - 1 - i);
        }
    }
#endif
};

/// matrix 1 = matrix 0 with the rows of each band handed on to the next subgroup through SLM. Number 0: 0 barrier, 1 split
/// barrier.
struct hand_over : kernel {
    using vec = sv<float, 64>;
    static constexpr int slm_bytes = 8 * slm_bytes_for<vec>;
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const auto all = shared_allocator(sg).allocate<sv<float, 8 * 64>>();
        rv<float, 64> v;
        for (int step = 0; step < 3; ++step) {
            const int first = step * sg.count();
            load(v, matrix<const float>(g, 0), coord<rv<float, 64>>{first + sg.id(), 0});
            store(subvec<64>(all, sg.id()), v);
            if (g.number[0] == 0) sync(sg);
            else {
                arrive(sg);
                add(v, v, 1.0f);
                wait(sg);
            }
            load(v, subvec<64>(all, (sg.id() + 1) % sg.count()));
            store(matrix<float>(g, 1), v, coord<rv<float, 64>>{first + sg.id(), 0});
            sync(sg);
        }
    }
#endif
};

/// Barriers of some subgroups; eight subgroups. Matrix 1 = matrix 0 with rows handed on through SLM. Number 0: 0 in each group of
/// four to the next of the group, its subgroups doing as many rounds as the group's number says; 1 from subgroups 0 to 2 to
/// 3 to 7, who wait at a barrier of all but the first, while that one ends.
struct hand_over_in_groups : kernel {
    static constexpr int steps = 3;
    using vec = sv<float, 64>;
    using row = rv<float, 64>;
    static constexpr int slm_bytes = 8 * slm_bytes_for<vec>;
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const group_barriers<4, 2> own(sg);
        const named_barrier<2, 1, 7> rest(sg);
        const auto all = shared_allocator(sg).allocate<sv<float, 8 * 64>>();
        const group<4> four(sg);
        row v;
        if (g.number[0] == 0) {
            // The second group does one round more: nobody waits for it.
            for (int step = 0; step < steps - 1 + four.id(); ++step) {
                load(v, matrix<const float>(g, 0), coord<row>{step * 8 + sg.id(), 0});
                store(subvec<64>(all, sg.id()), v);
                four.sync(own);
                load(v, subvec<64>(all, four.id() * 4 + (four.rank() + 1) % 4));
                store(matrix<float>(g, 1), v, coord<row>{step * 8 + sg.id(), 0});
                four.sync(own);
            }
        } else {
            load(v, matrix<const float>(g, 0), coord<row>{sg.id(), 0});
            if (sg.id() == 0) {
                store(matrix<float>(g, 1), v, coord<row>{0, 0});
                return;
            }
            if (sg.id() < 3) store(subvec<64>(all, sg.id()), v);
            sync(rest);
            if (sg.id() >= 3) load(v, subvec<64>(all, 1 + sg.id() % 2));
            store(matrix<float>(g, 1), v, coord<row>{sg.id(), 0});
        }
    }
#endif
};

/// matrix 1 = matrix 0 with keys after queries dropped. Numbers 0 and 1: first query and key; number 2: 1 for the transpose.
template <layout L, int M, int N>
struct causal : kernel {
    using tile = rt<float, M, N, L>;
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const coord<tile> at{sg.group(1), sg.group(0)};
        tile t;
        load(t, matrix<const float>(g, 0), at);
        if (g.number[2] == 0) make_causal(t, t, g.scalar, g.number[0] + at.r * M, g.number[1] + at.c * N);
        else make_causal_t(t, t, g.scalar, g.number[0] + at.c * N, g.number[1] + at.r * M);
        store_any(matrix<float>(g, 1), t, at);
    }
#endif
};

}  // namespace grid::inline KITTENS_NS

#define GRID_PREFETCH(NAME, L, M, N) KITTENS_KERNEL(grid_prefetch_##NAME##_##L##_##M##x##N, grid::prefetching<grid::NAME, grid::L, M, N>)
GRID_PREFETCH(bf16, row, 32, 32)
GRID_PREFETCH(bf16, col, 32, 64)
GRID_PREFETCH(bf16, row, 8, 32)
GRID_PREFETCH(fp16, col, 16, 32)
GRID_PREFETCH(fp32, row, 16, 16)
GRID_PREFETCH(int8, col, 32, 64)

#define GRID_PARTS(NAME, M, N, PARTS) KITTENS_KERNEL(grid_parts_##NAME##_##M##x##N##_##PARTS, grid::parts<grid::NAME, M, N, PARTS>)
GRID_PARTS(bf16, 16, 64, 2)
GRID_PARTS(bf16, 32, 32, 4)
GRID_PARTS(fp32, 8, 16, 2)
GRID_PARTS(fp16, 32, 16, 3)

KITTENS_KERNEL(grid_hand_over, grid::hand_over)
KITTENS_KERNEL(grid_hand_over_in_groups, grid::hand_over_in_groups)

#define GRID_CAUSAL(L, M, N) KITTENS_KERNEL(grid_causal_##L##_##M##x##N, grid::causal<grid::L, M, N>)
GRID_CAUSAL(row, 8, 16)
GRID_CAUSAL(row, 8, 32)
GRID_CAUSAL(row, 16, 32)
GRID_CAUSAL(row, 32, 32)
GRID_CAUSAL(row, 32, 64)
GRID_CAUSAL(col, 16, 16)
GRID_CAUSAL(col, 32, 32)
