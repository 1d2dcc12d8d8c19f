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

/// An operand as tiles: tile (m, k) starts at data + m * tile_step + k * depth_step bytes and has rows `stride` bytes
/// apart. In place in a matrix, or packed.
struct operand_tiles {
    const std::byte* data;
    std::int64_t stride, tile_step, depth_step;
};

/// Units of depth that one pass takes.
template <class Form> inline constexpr int pass_depth = pass_tiles * tile_side * Form::group;

/// Lines to bring into the second-level cache while a block's products run: in every step, one of each of `rows` rows. What
/// does not exist may be asked for: a prefetch does not fault.
struct line_prefetcher {
    std::uintptr_t next = 0;  ///< a number: pointers must not leave what they point into
    std::int64_t stride = 0;
    int rows = 0;

    KITTENS_INLINE void step() {
        for (int i = 0; i < rows; ++i) __builtin_prefetch(reinterpret_cast<const void*>(next + i * stride), 0, 2);
        next += 64;
    }
};

/// A block's final sums on their way to a sink, some rows in every step of the next block: written all at once, rows that lie a
/// power of two apart would push each other out of the cache before they are complete.
struct sum_drain {
    const storage::sum_sink* sink = nullptr;
    const unit* sums = nullptr;
    int pitch = 0, row = 0, col = 0, rows = 0, cols = 0, per_step = 1;

    KITTENS_INLINE void step() {
        if (rows > 0) take(std::min(per_step, rows));
    }
    KITTENS_INLINE void finish() {
        if (rows > 0) take(rows);
    }
    KITTENS_INLINE void take(int n) {
        sink->take(*sink, sums, pitch, row, col, n, cols);
        sums += n * pitch;
        row += n;
        rows -= n;
    }
};

/// c[16 MB x 16 NB] (+)= left * right over `tiles` tiles of depth. `backward`: from
/// the last tile of depth to the first. With `sink`, the sums go to `sums` and, while the next block runs, from there to its
/// (row, col), or there at once where it takes them as they are; what `drain` still holds of the block before goes now.
template <class TA, class TB, int MB, int NB>
KITTENS_INLINE void multiply_tiles(const operand_tiles& left, const operand_tiles& right, int tiles, bool backward, unit* c, std::int64_t ldc, bool fresh,
                                   line_prefetcher ahead, const storage::sum_sink* sink, unit* sums, sum_drain& drain, int row, int col) {
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
    // Stores to lines that are in no near cache would wait for them one after the other.
    if (sink && sink->far)
        for (int i = 0; i < tile_side * MB; ++i) __builtin_prefetch(sink->at(row + i, col), 1, 3);
    const std::int64_t a_step = backward ? -left.depth_step : left.depth_step, b_step = backward ? -right.depth_step : right.depth_step;
    const std::byte* a0 = left.data + (backward ? (tiles - 1) * left.depth_step : 0);
    const std::byte* a1 = a0 + left.tile_step;
    const std::byte* b0 = right.data + (backward ? (tiles - 1) * right.depth_step : 0);
    const std::byte* b1 = b0 + right.tile_step;
    drain.per_step = (drain.rows + tiles - 1) / tiles;
    for (int k = 0; k < tiles; ++k) {
        tile_load<4>(a0, left.stride);
        tile_load_stream<6>(b0, right.stride);
        tile_multiply<TA, TB, 0, 4, 6>();
        if constexpr (NB == 2) {
            tile_load_stream<7>(b1, right.stride);
            tile_multiply<TA, TB, 1, 4, 7>();
        }
        if constexpr (MB == 2) {
            tile_load<5>(a1, left.stride);
            tile_multiply<TA, TB, 2, 5, 6>();
        }
        if constexpr (MB == 2 && NB == 2) tile_multiply<TA, TB, 3, 5, 7>();
        a0 += a_step;
        a1 += a_step;
        b0 += b_step;
        b1 += b_step;
        ahead.step();
        drain.step();
    }
    drain.finish();
    auto* to = reinterpret_cast<std::byte*>(c);
    std::int64_t to_stride = c_stride;
    const bool straight = sink && sink->as_they_are && row + tile_side * MB <= sink->rows && col + tile_side * NB <= sink->cols;
    if (straight) to = sink->at(row, col), to_stride = sink->stride;
    else if (sink) to = reinterpret_cast<std::byte*>(sums), to_stride = tile_side * NB * sizeof(unit);
    std::byte* const to1 = to + tile_side * to_stride;
    tile_store<0>(to, to_stride);
    if constexpr (NB == 2) tile_store<1>(to + 64, to_stride);
    if constexpr (MB == 2) tile_store<2>(to1, to_stride);
    if constexpr (MB == 2 && NB == 2) tile_store<3>(to1 + 64, to_stride);
    if (sink && !straight) drain = {sink, sums, tile_side * NB, row, col, tile_side * MB, tile_side * NB};
}

/// Rows [first, first + n) of 32 x 32 sums are added to c.
template <class Sum> KITTENS_INLINE void add_sum_rows(Sum* c, std::int64_t ldc, const unit* sums, int first, int n) {
    for (int i = first; i < first + n; ++i)
        for (int half = 0; half < 2; ++half) {
            Sum* const to = c + i * ldc + half * tile_side;
            const vint sum = vload(sums + i * 2 * tile_side + half * tile_side);
            if constexpr (std::is_same_v<Sum, float>) vstore_float(to, vload_float(to) + __builtin_bit_cast(vfloat, sum));
            else vstore(to, _mm512_add_epi32(vload(to), sum));
        }
}

/// c[32 x 32 col_pairs] (+)= left * right. Tile instructions run in order: a store waits for its sums, and what follows for the store. So
/// each tile of sums goes out only just before the next block uses its register; and sums so far are not loaded into tiles but added by
/// vector instructions while the next block is multiplied.
template <class TA, class TB, class Sum>
KITTENS_NOINLINE void multiply_32_rows(const operand_tiles& left, const operand_tiles& right, int tiles, Sum* c, std::int64_t ldc, bool fresh, int col_pairs) {
    alignas(64) unit sums[2][4 * tile_units];
    const std::int64_t stride = fresh ? ldc * std::int64_t(sizeof(unit)) : 2 * tile_side * sizeof(unit);
    constexpr int begin_adding = 4;  // steps after the stores
    const int rows_a_step = (2 * tile_side + std::max(1, tiles - begin_adding) - 1) / std::max(1, tiles - begin_adding);
    const auto store = [&](auto tile, std::byte* to) __attribute__((always_inline)) { tile_store<tile()>(to + tile() / 2 * tile_side * stride + tile() % 2 * 64, stride); };
    constexpr std::integral_constant<int, 0> tile0;
    constexpr std::integral_constant<int, 1> tile1;
    constexpr std::integral_constant<int, 2> tile2;
    constexpr std::integral_constant<int, 3> tile3;
    std::byte* before = nullptr;
    for (int n = 0; n < col_pairs; ++n) {
        // What the block before has read last is read first: it is still in the first-level cache.
        const bool backward = n & 1;
        const std::int64_t a_step = backward ? -left.depth_step : left.depth_step, b_step = backward ? -right.depth_step : right.depth_step;
        const std::byte* a0 = left.data + (backward ? (tiles - 1) * left.depth_step : 0);
        const std::byte* a1 = a0 + left.tile_step;
        const std::byte* b0 = right.data + 2 * n * right.tile_step + (backward ? (tiles - 1) * right.depth_step : 0);
        const std::byte* b1 = b0 + right.tile_step;
        const auto step = [&](auto turn) __attribute__((always_inline)) {
            tile_load<4>(a0, left.stride);
            tile_load_stream<6>(b0, right.stride);
            turn(tile0);
            tile_multiply<TA, TB, 0, 4, 6>();
            tile_load_stream<7>(b1, right.stride);
            turn(tile1);
            tile_multiply<TA, TB, 1, 4, 7>();
            tile_load<5>(a1, left.stride);
            turn(tile2);
            tile_multiply<TA, TB, 2, 5, 6>();
            turn(tile3);
            tile_multiply<TA, TB, 3, 5, 7>();
            a0 += a_step, a1 += a_step, b0 += b_step, b1 += b_step;
        };
        step([&](auto tile) __attribute__((always_inline)) {
            if (before) store(tile, before);
            tile_clear<tile()>();
        });
        int added = before && !fresh ? 0 : 2 * tile_side;
        const auto add = [&](int rows) {
            rows = std::min(rows, 2 * tile_side - added);
            if (rows > 0) add_sum_rows(c + (n - 1) * 2 * tile_side, ldc, sums[~n & 1], added, rows);
            added += rows;
        };
        for (int k = 1; k < tiles; ++k) {
            step([](auto) {});
            if (k >= begin_adding) add(rows_a_step);
        }
        add(2 * tile_side);
        before = reinterpret_cast<std::byte*>(fresh ? reinterpret_cast<unit*>(c + n * 2 * tile_side) : sums[n & 1]);
    }
    store(tile0, before), store(tile1, before), store(tile2, before), store(tile3, before);
    if (!fresh) add_sum_rows(c + (col_pairs - 1) * 2 * tile_side, ldc, sums[(col_pairs - 1) & 1], 0, 2 * tile_side);
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

/// c (+)= a * b, as much of it as `part` wants. Sums go to a.lanes rows and part.lanes columns, both rounded up to 16, which c must
/// have room for. With `sink`, which the depth of one pass must suffice for, they go there, and c is only read.
template <class Form, class TA, class TB>
KITTENS_NOINLINE void tile_product(typename Form::sum* c_, std::int64_t ldc, bool fresh, const operand<TA>& a, const operand<TB>& b, const storage::sum_sink* sink, extent part) {
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
    // Memory that holds B packed has its tiles as they are wanted.
    const bool right_in_place = b.packed && sizeof(TB) * Form::group == sizeof(unit) && b.lanes % tile_side == 0 && b.depth >= tiles * tile_depth;
    const std::size_t left_room = in_place || keep_left ? 0 : left_bytes;
    panel_cache panels(left_room + (right_in_place || keep_right ? 0 : right_bytes));

    operand_tiles left{reinterpret_cast<const std::byte*>(a.data), a.stride * std::int64_t(sizeof(TA)), tile_side * a.stride * std::int64_t(sizeof(TA)), 64};
    if (!in_place) {
        bool pack = true;
        unit* const panel = keep_left ? panels.find(0, key_of<Form>(a, depth), left_bytes, &pack) : panels.temporary(0);
        if (pack) pack_left_tiles<Form>(a, tiles, panel);
        left = {reinterpret_cast<const std::byte*>(panel), 64, tiles * tile_units * std::int64_t(sizeof(unit)), tile_units * sizeof(unit)};
    }
    operand_tiles right{reinterpret_cast<const std::byte*>(b.data), b.stride * std::int64_t(sizeof(TB)), 64, tile_side * b.stride * std::int64_t(sizeof(TB))};
    if (!right_in_place) {
        bool pack = true;
        unit* const panel = keep_right ? panels.find(1, key_of<Form>(b, depth), right_bytes, &pack) : panels.temporary(left_room);
        if (pack) pack_right_tiles<Form>(b, tiles, panel);
        right = {reinterpret_cast<const std::byte*>(panel), 64, tiles * tile_units * std::int64_t(sizeof(unit)), tile_units * sizeof(unit)};
    }

    const int wanted_cols = (std::min(b.lanes, part.lanes) + tile_side - 1) / tile_side, col_pairs = (wanted_cols + 1) / 2;
    const int wanted_tiles = (std::min(depth, part.depth) + tile_depth - 1) / tile_depth;
    // Attention's weights and values: a left operand of 32 rows that is not in memory.
    if (!sink && !a.shared && row_tiles == 2 && wanted_cols % 2 == 0 && wanted_tiles <= pass_tiles)
        return multiply_32_rows<TA, TB>(left, right, wanted_tiles, c_, ldc, fresh, col_pairs);
    alignas(64) unit sums[2][4 * tile_units];
    int block_count = 0;
    sum_drain drain;
    for (int k = 0; k < wanted_tiles; k += pass_tiles) {
        const int n_tiles = std::min(pass_tiles, wanted_tiles - k);
        const bool clear = fresh && k == 0, last_pass = k + pass_tiles >= tiles;
        for (int m = 0; m < row_tiles; m += 2) {
            operand_tiles l = left;
            l.data += m * left.tile_step + k * left.depth_step;
            const bool two_rows = m + 1 < row_tiles;
            // Rows of a matrix are too far apart for the hardware to see the next block coming: each column block of this one
            // brings in some of its rows.
            const std::byte* next = nullptr;
            if (in_place) {
                if (m + 2 < row_tiles) next = l.data + 2 * left.tile_step;
                else if (!last_pass) next = left.data + (k + pass_tiles) * left.depth_step;
                else if (a.more_depth > 0) next = left.data + tiles * left.depth_step;
                else if (a.more_lanes > 0) next = left.data + row_tiles * left.tile_step - a.first_depth * std::int64_t(sizeof(TA));
            }
            const int rows_each = std::min((2 * tile_side + col_pairs - 1) / col_pairs, 8);
            for (int n = 0; n < wanted_cols; n += 2) {
                operand_tiles r = right;
                r.data += n * right.tile_step + k * right.depth_step;
                unit* const to = c + std::int64_t(m) * tile_side * ldc + n * tile_side;
                const bool two_cols = n + 1 < wanted_cols;
                // What the block before has read last is read first: it is still in the first-level cache.
                const bool backward = n / 2 & 1;
                line_prefetcher ahead;
                if (next && n / 2 * rows_each < 2 * tile_side) ahead = {reinterpret_cast<std::uintptr_t>(next) + n / 2 * rows_each * left.stride, left.stride, rows_each};
                const auto block = [&](auto mb, auto nb) __attribute__((always_inline)) {
                    multiply_tiles<TA, TB, mb, nb>(l, r, n_tiles, backward, to, ldc, clear, ahead, sink, sums[block_count++ & 1], drain, m * tile_side, n * tile_side);
                };
                constexpr std::integral_constant<int, 1> one;
                constexpr std::integral_constant<int, 2> two;
                if (two_rows && two_cols) block(two, two);
                else if (two_rows) block(two, one);
                else if (two_cols) block(one, two);
                else block(one, one);
            }
        }
    }
    drain.finish();
}

}  // namespace kittens::inline KITTENS_NS::lower

#endif
