// SPDX-License-Identifier: Apache-2.0
// Layout changes, transposition and conversions of register tiles, over all sizes.
#include "kernel.hpp"

namespace grid::inline KITTENS_NS {

/// matrix 1 = matrix 0 (number 0: 0 row to col layout, seen through SLM; 1 col to row) or its transpose (2 row to row,
/// 3 col to col, 4 row to col, 5 col to row).
template <class T, int M, int N>
struct layout_change : kernel {
    using row_t = rt<T, M, N, row>;
    using col_t = rt<T, M, N, col>;
    using row_tt = rt<T, N, M, row>;
    using col_tt = rt<T, N, M, col>;
    static constexpr int slm_bytes = slm_bytes_for<st<T, M, N>>;
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int op = g.number[0], r = sg.group(1), c = sg.group(0);
        const auto in = matrix<const T>(g, 0);
        const auto out = matrix<T>(g, 1);
        row_t a;
        col_t b;
        if (op == 0 || op == 2 || op == 4) load(a, in, coord<row_t>{r, c});
        else load(b, in, coord<col_t>{r, c});
        if (op == 0) {
            swap_layout(b, a);
            const auto s = shared_allocator(sg).template allocate<st<T, M, N>>();
            store(s, b);
            store(out, s, coord<st<T, M, N>>{r, c});
        } else if (op == 1) {
            swap_layout(a, b);
            store(out, a, coord<row_t>{r, c});
        } else if (op == 2 || op == 5) {
            row_tt t;
            if (op == 2) transpose(t, a);
            else transpose(t, b);
            store(out, t, coord<row_tt>{c, r});
        } else {
            col_tt t;
            if (op == 3) transpose(t, b);
            else transpose(t, a);
            store_any(out, t, coord<col_tt>{c, r});
        }
    }
#endif
};

/// matrix 1 = matrix 0 in another element type; number 0 says from which to which.
template <int M, int N>
struct float_conversion : kernel {
#if KITTENS_HAS_TILE_OPS
    template <class To, class From> KITTENS_INLINE static void convert_tile(const globals& g, const subgroup& sg) {
        rt<From, M, N> from;
        rt<To, M, N> to;
        load(from, matrix<const From>(g, 0), coord<rt<From, M, N>>{sg.group(1), sg.group(0)});
        copy(to, from);
        store(matrix<To>(g, 1), to, coord<rt<To, M, N>>{sg.group(1), sg.group(0)});
    }
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        switch (g.number[0]) {
            case 0: return convert_tile<bf16, float>(g, sg);
            case 1: return convert_tile<float, bf16>(g, sg);
            case 2: return convert_tile<half, float>(g, sg);
            case 3: return convert_tile<float, half>(g, sg);
            case 4: return convert_tile<half, bf16>(g, sg);
            default: return convert_tile<bf16, half>(g, sg);
        }
    }
#endif
};

/// matrix 1 = matrix 0 with the 16 x 16 blocks of each tile in reverse order.
template <class T, layout L, int M, int N>
struct block_exchange : kernel {
    using tile = rt<T, M, N, L, rt_16x16>;
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const coord<tile> at{sg.group(1), sg.group(0)};
        tile from, to;
        load(from, matrix<const T>(g, 0), at);
        zero(to);
        for (int i = 0; i < M / 16; ++i)
            for (int j = 0; j < N / 16; ++j) {
                const auto part = subtile<16, 16>(from, i, j);
                insert(to, part, M / 16 - 1 - i, N / 16 - 1 - j);
            }
        store_any(matrix<T>(g, 1), to, at);
    }
#endif
};

}  // namespace grid::inline KITTENS_NS

#define GRID_LAYOUT_CHANGE(M, N, NAME, T) KITTENS_KERNEL(grid_layout_change_##NAME##_##M##x##N, grid::layout_change<grid::T, M, N>)
#define GRID_FLOAT_CONVERSION(M, N, ...) KITTENS_KERNEL(grid_float_conversion_##M##x##N, grid::float_conversion<M, N>)
#define GRID_BLOCK_EXCHANGE(M, N, NAME, T, L) KITTENS_KERNEL(grid_block_exchange_##NAME##_##L##_##M##x##N, grid::block_exchange<grid::T, grid::L, M, N>)
GRID_SIZES(GRID_LAYOUT_CHANGE, bf16, bf16)
GRID_SIZES(GRID_FLOAT_CONVERSION)
GRID_SIZES(GRID_BLOCK_EXCHANGE, bf16, bf16, row)
GRID_SIZES(GRID_BLOCK_EXCHANGE, bf16, bf16, col)
