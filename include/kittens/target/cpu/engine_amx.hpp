// SPDX-License-Identifier: Apache-2.0
// Products by the AMX matrix unit: 2 x 2 tiles of sums stay in tile registers through the depth of a pass.
//
// The tile instructions are written as assembly: the intrinsics of GCC 12 lack memory operands, so that stores before them
// may be dropped.
#pragma once

#include <kittens/target/cpu/pack.hpp>
#include <kittens/target/cpu/panel_cache.hpp>

#if defined(KITTENS_CPU_AMX)

namespace kittens::inline KITTENS_NS::lower {

/// A tile register holds 16 rows of 16 units.
inline constexpr int tile_side = 16;
inline constexpr int tile_units = tile_side * tile_side;
/// Tiles of depth per pass. Longer passes write sums back less often; shorter ones would let a block of A stay in the
/// first-level cache. The former was measured to matter more.
inline constexpr int pass_tiles = 32;

template <int Tile> KITTENS_INLINE void tile_clear() { asm volatile("tilezero %%tmm%c0" : : "i"(Tile)); }
template <int Tile> KITTENS_INLINE void tile_load(const void* p, std::int64_t stride) {
    asm volatile("tileloadd (%1,%2,1), %%tmm%c0" : : "i"(Tile), "r"(p), "r"(stride) : "memory");
}
template <int Tile> KITTENS_INLINE void tile_store(void* p, std::int64_t stride) {
    asm volatile("tilestored %%tmm%c0, (%1,%2,1)" : : "i"(Tile), "r"(p), "r"(stride) : "memory");
}
/// The same with the hint that the line will not be used again soon: the right operand, which streams by, then does not push
/// the left one out of the first-level cache.
template <int Tile> KITTENS_INLINE void tile_load_stream(const void* p, std::int64_t stride) {
    asm volatile("tileloaddt1 (%1,%2,1), %%tmm%c0" : : "i"(Tile), "r"(p), "r"(stride) : "memory");
}
/// Sum += left * right.
template <class TA, class TB, int Sum, int Left, int Right> KITTENS_INLINE void tile_multiply() {
    if constexpr (!is_integer_element<TA>) asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sum), "i"(Left), "i"(Right));
    else if constexpr (std::is_same_v<TA, int8> && std::is_same_v<TB, int8>) asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sum), "i"(Left), "i"(Right));
    else if constexpr (std::is_same_v<TA, int8>) asm volatile("tdpbsud %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sum), "i"(Left), "i"(Right));
    else if constexpr (std::is_same_v<TB, int8>) asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sum), "i"(Left), "i"(Right));
    else asm volatile("tdpbuud %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sum), "i"(Left), "i"(Right));
}

/// The left operand as tiles: tile (m, k) starts at data + m * tile_step + k * depth_step bytes and has rows `stride` bytes
/// apart. In place in a matrix, or packed.
struct left_tiles {
    const std::byte* data;
    std::int64_t stride, tile_step, depth_step;
};

/// Lines to bring into the second-level cache, a few at a time, while products run: `outer` runs of `inner` lines. What does
/// not exist may be asked for: a prefetch does not fault.
struct line_prefetcher {
    const std::byte* next = nullptr;
    int inner = 0, outer = 0, per_step = 0;
    std::int64_t inner_stride = 0, outer_stride = 0;
    int done = 0;

    KITTENS_INLINE void step() {
        for (int i = 0; i < per_step && outer > 0; ++i) {
            __builtin_prefetch(next + done * inner_stride, 0, 2);
            if (++done == inner) done = 0, --outer, next += outer_stride;
        }
    }
    /// As few lines in each of `steps` steps as bring all of them in; at most `most`.
    KITTENS_INLINE void spread(int steps, int most) { per_step = std::min(most, int((std::int64_t(inner) * outer + steps - 1) / std::max(1, steps))); }
};

/// c[16 MB x 16 NB] (+)= left * right over `tiles` tiles of depth; right panels are `right_step` units apart.
template <class TA, class TB, int MB, int NB>
KITTENS_INLINE void multiply_tiles(const left_tiles& left, const unit* right, std::int64_t right_step, int tiles, unit* c, std::int64_t ldc, bool fresh, line_prefetcher& ahead) {
    unit* const c1 = c + tile_side * ldc;
    const std::int64_t c_stride = ldc * std::int64_t(sizeof(unit));
    if (fresh) {
        tile_clear<0>();
        if constexpr (NB == 2) tile_clear<1>();
        if constexpr (MB == 2) tile_clear<2>();
        if constexpr (MB == 2 && NB == 2) tile_clear<3>();
    } else {
        tile_load<0>(c, c_stride);
        if constexpr (NB == 2) tile_load<1>(c + tile_side, c_stride);
        if constexpr (MB == 2) tile_load<2>(c1, c_stride);
        if constexpr (MB == 2 && NB == 2) tile_load<3>(c1 + tile_side, c_stride);
    }
    const std::byte *a0 = left.data, *a1 = left.data + left.tile_step;
    const unit *b0 = right, *b1 = right + right_step;
    for (int k = 0; k < tiles; ++k) {
        tile_load<4>(a0, left.stride);
        tile_load_stream<6>(b0, 64);
        tile_multiply<TA, TB, 0, 4, 6>();
        if constexpr (NB == 2) {
            tile_load_stream<7>(b1, 64);
            tile_multiply<TA, TB, 1, 4, 7>();
        }
        if constexpr (MB == 2) {
            tile_load<5>(a1, left.stride);
            tile_multiply<TA, TB, 2, 5, 6>();
        }
        if constexpr (MB == 2 && NB == 2) tile_multiply<TA, TB, 3, 5, 7>();
        a0 += left.depth_step;
        a1 += left.depth_step;
        b0 += tile_units;
        b1 += tile_units;
        ahead.step();
    }
    tile_store<0>(c, c_stride);
    if constexpr (NB == 2) tile_store<1>(c + tile_side, c_stride);
    if constexpr (MB == 2) tile_store<2>(c1, c_stride);
    if constexpr (MB == 2 && NB == 2) tile_store<3>(c1 + tile_side, c_stride);
}

/// Panels of 16 lanes, each a sequence of tiles [depth][lane]: what the right operand of a tile product is.
template <class Form, class T>
KITTENS_NOINLINE void pack_right_tiles(const operand<T>& b, int tiles, unit* out) {
    const int units = tiles * tile_side;
    const std::int64_t panel = std::int64_t(units) * tile_side;
    for (int first = 0; first < units; first += pack_depth)
        for (int n = 0; n < b.lanes; n += 2 * tile_side)
            pack_two<Form>(b, n, first, std::min(first + pack_depth, units), out + std::int64_t(n) * units,
                           n + tile_side < b.lanes ? out + std::int64_t(n) * units + panel : nullptr, tile_side);
}

/// Panels of 16 lanes, each a sequence of tiles [lane][depth].
template <class Form, class T>
KITTENS_NOINLINE void pack_left_tiles(const operand<T>& a, int tiles, unit* out) {
    for (int m = 0; m < a.lanes; m += tile_side, out += tiles * tile_units) {
        if (a.along) {
            for (int l = 0; l < tile_side; ++l)
                for (int k = 0; k < tiles; ++k) vstore(out + k * tile_units + l * tile_side, load_along<Form>(a, m + l, k * tile_side));
            continue;
        }
        for (int k = 0; k < tiles; ++k) {
            vint block[16];
            for (int i = 0; i < 16; ++i) block[i] = load_across<Form>(a, m, k * tile_side + i);
            transpose(block);
            for (int i = 0; i < 16; ++i) vstore(out + k * tile_units + i * tile_side, block[i]);
        }
    }
}

/// c (+)= a * b. Sums go to a.lanes rows and b.lanes columns, both rounded up to 16, which c must have room for.
template <class Form, class TA, class TB>
KITTENS_NOINLINE void tile_product(typename Form::sum* c_, std::int64_t ldc, bool fresh, const operand<TA>& a, const operand<TB>& b) {
    auto* const c = reinterpret_cast<unit*>(c_);
    constexpr int tile_depth = tile_side * Form::group;
    const int depth = std::min(a.depth, b.depth), tiles = (depth + tile_depth - 1) / tile_depth;
    const int row_tiles = (a.lanes + tile_side - 1) / tile_side, col_tiles = (b.lanes + tile_side - 1) / tile_side;
    const std::size_t left_bytes = std::size_t(row_tiles) * tiles * tile_units * sizeof(unit);
    const std::size_t right_bytes = std::size_t(col_tiles) * tiles * tile_units * sizeof(unit);

    // Tiles of the left operand need no packing where memory has whole tiles of the right element type. Rows a multiple of a
    // page apart compete for the same few sets of every cache: packed all the same where enough columns share the work.
    const bool crowded = a.stride * std::int64_t(sizeof(TA)) % 8192 == 0 && a.shared && col_tiles >= 32;
    const bool in_place = a.along && !crowded && sizeof(TA) * Form::group == sizeof(unit) && a.lanes % tile_side == 0 && a.depth >= tiles * tile_depth;
    const bool keep_left = a.shared && panel_cache::fits(left_bytes), keep_right = b.shared && panel_cache::fits(right_bytes);
    const std::size_t left_room = in_place || keep_left ? 0 : left_bytes;
    panel_cache panels(left_room + (keep_right ? 0 : right_bytes));

    left_tiles left{reinterpret_cast<const std::byte*>(a.data), a.stride * std::int64_t(sizeof(TA)), tile_side * a.stride * std::int64_t(sizeof(TA)), 64};
    if (!in_place) {
        bool pack = true;
        unit* const panel = keep_left ? panels.find(0, key_of<Form>(a, depth), left_bytes, &pack) : panels.temporary(0);
        if (pack) pack_left_tiles<Form>(a, tiles, panel);
        left = {reinterpret_cast<const std::byte*>(panel), 64, tiles * tile_units * std::int64_t(sizeof(unit)), tile_units * sizeof(unit)};
    }
    bool pack = true;
    unit* const right = keep_right ? panels.find(1, key_of<Form>(b, depth), right_bytes, &pack) : panels.temporary(left_room);
    if (pack) pack_right_tiles<Form>(b, tiles, right);

    const std::int64_t right_step = std::int64_t(tiles) * tile_units;
    const int col_pairs = (col_tiles + 1) / 2;
    for (int k = 0; k < tiles; k += pass_tiles) {
        const int n_tiles = std::min(pass_tiles, tiles - k);
        const bool clear = fresh && k == 0, last_pass = k + pass_tiles >= tiles;
        for (int m = 0; m < row_tiles; m += 2) {
            left_tiles l = left;
            l.data += m * left.tile_step + k * left.depth_step;
            const bool two_rows = m + 1 < row_tiles;
            // Rows of a matrix are too far apart for the hardware to see the next block coming.
            line_prefetcher ahead;
            if (in_place) {
                if (m + 2 < row_tiles) ahead.next = l.data + 2 * left.tile_step;
                else if (!last_pass) ahead.next = left.data + (k + pass_tiles) * left.depth_step;
                else if (a.more_depth > 0) ahead.next = left.data + tiles * left.depth_step;
                else if (a.more_lanes > 0) ahead.next = left.data + row_tiles * left.tile_step - a.first_depth * std::int64_t(sizeof(TA));
                if (ahead.next) {
                    ahead.inner = 2 * tile_side, ahead.inner_stride = left.stride;
                    ahead.outer = n_tiles, ahead.outer_stride = 64;
                    ahead.spread(col_pairs * n_tiles, 4);
                }
            }
            for (int n = 0; n < col_tiles; n += 2) {
                const unit* const panel = right + n * right_step + k * tile_units;
                unit* const to = c + std::int64_t(m) * tile_side * ldc + n * tile_side;
                const bool two_cols = n + 1 < col_tiles;
                if (two_rows && two_cols) multiply_tiles<TA, TB, 2, 2>(l, panel, right_step, n_tiles, to, ldc, clear, ahead);
                else if (two_rows) multiply_tiles<TA, TB, 2, 1>(l, panel, right_step, n_tiles, to, ldc, clear, ahead);
                else if (two_cols) multiply_tiles<TA, TB, 1, 2>(l, panel, right_step, n_tiles, to, ldc, clear, ahead);
                else multiply_tiles<TA, TB, 1, 1>(l, panel, right_step, n_tiles, to, ldc, clear, ahead);
            }
        }
    }
}

}  // namespace kittens::inline KITTENS_NS::lower

#endif
