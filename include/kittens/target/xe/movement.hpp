// SPDX-License-Identifier: Apache-2.0
// Movement by 2-D block instructions, and element by element where the layout's access mode is `plain`.
#pragma once

#include <kittens/ops/place.hpp>
#include <kittens/target/xe/conversions.hpp>
#include <kittens/target/xe/plain_movement.hpp>
#include <kittens/tile/gl.hpp>
#include <kittens/tile/rt.hpp>

namespace kittens::inline KITTENS_NS::lower {

template <class GL> KITTENS_INLINE isa::surface surface_of(const GL& g, const place& at) {
    constexpr int size = sizeof(typename GL::element);
    return {g.matrix(at.b, at.d), g.cols() * size, g.rows(), g.row_stride * size};
}

/// One base tile of a type that equals the memory's, by the fewest instructions that the hardware allows.
template <class T, layout L, base_shape S>
KITTENS_INLINE void load_fragment(fragment<T, L, S>& f, const isa::surface& s, int x, int y) {
    using map = lane_map<T, L, S>;
    if constexpr (sizeof(T) == 4) {
        // Four-byte blocks are at most 64 bytes wide in all: one column block per instruction.
        KITTENS_UNROLL
        for (int b = 0; b < map::blocks; ++b) isa::load_2d<4, 16, S.rows, 1>(s, x + 16 * (b + int(mutated(mutant::next_block_column))), y, f.v + b * f.vectors_per_block);
    } else if constexpr (L == layout::row) isa::load_2d<int(sizeof(T)), map::block_cols, S.rows, map::blocks>(s, x + map::block_cols * int(mutated(mutant::next_block_column)), y, f.v);
    else isa::load_2d_transform<int(sizeof(T)), 16, S.rows, map::blocks>(s, x, y, f.v);
}

template <class RT, class GL>
KITTENS_INLINE void load(RT& dst, const GL& src, const place& at) {
    using T = typename RT::element;
    using G = typename GL::value_type;
    if constexpr (GL::mode == access::plain) load_plain(dst, src, at);
    else if constexpr (std::is_same_v<T, G>) {
        const auto s = surface_of(src, at);
        KITTENS_UNROLL
        for (int r = 0; r < RT::grid_rows; ++r) {
            KITTENS_UNROLL
            for (int c = 0; c < RT::grid_cols; ++c)
                load_fragment<T, RT::tile_layout, RT::base>(dst.tiles[r][c], s, at.col + c * RT::base.cols, at.row + r * RT::base.rows);
        }
    } else {
        static_assert(legal_base<G>(layout::row, RT::base), "load: this tile's base shape cannot hold the global layout's element type: 8-bit memory needs a base shape 32 columns wide");
        rt<G, RT::rows, RT::cols, layout::row, RT::base> raw;
        load(raw, src, at);
        if constexpr (!RT::frag::map::paired) {
            if (mutated(mutant::load_not_converted)) {
                for (int r = 0; r < RT::rows; ++r)
                    for (int c = 0; c < RT::cols / 16; ++c) detail::write_bits(dst, r, c, detail::read_bits(raw, r, c));
                return;
            }
        }
        lower::copy(dst, raw);
    }
}

template <class RT, class GL>
KITTENS_INLINE void load_packed(RT& dst, const GL& src, const place& at) {
    using frag = typename RT::frag;
    constexpr int pack = 4 / int(sizeof(typename RT::element));
    if constexpr (GL::mode == access::plain) load_plain_packed(dst, src, at);
    else {
        // Words of memory are words of the tile: plain loads of four-byte elements, one column block each.
        const auto s = surface_of(src, at);
        KITTENS_UNROLL
        for (int r = 0; r < RT::grid_rows; ++r) {
            KITTENS_UNROLL
            for (int c = 0; c < RT::grid_cols; ++c) {
                KITTENS_UNROLL
                for (int b = 0; b < frag::map::blocks; ++b)
                    isa::load_2d<4, 16, RT::base.rows / pack, 1>(s, at.col / pack + c * RT::base.cols + 16 * b, at.row + r * (RT::base.rows / pack), dst.tiles[r][c].v + b * frag::vectors_per_block);
            }
        }
    }
}

template <class RT, class GL>
KITTENS_INLINE void load_transposed(RT& dst, const GL& src, const place& at) {
    using T = typename RT::element;
    using frag = typename RT::frag;
    if constexpr (GL::mode == access::plain || frag::map::paired) load_plain<true>(dst, src, at);
    else {
        // The hardware transposes four-byte elements only: narrower ones go in packs along a memory row, which is the
        // packed form of a col tile. Lane = memory row = tile column, component = pack of memory columns = tile rows.
        const auto s = surface_of(src, at);
        constexpr int pack_size = 4 / int(sizeof(T)), rows = 8 * pack_size;  // tile rows that one instruction brings
        KITTENS_UNROLL
        for (int r = 0; r < RT::rows / rows; ++r) {
            KITTENS_UNROLL
            for (int c = 0; c < RT::cols / 16; ++c) {
                xe_vec::vec<word_t<T, layout::col>, 8> packed;
                isa::load_2d_transpose<4, 8, 16, 1>(s, at.col / pack_size + (mutated(mutant::transpose_load_row) ? 4 : 8) * r, at.row + 16 * c, &packed);
                if constexpr (frag::per_word == pack_size) {
                    constexpr int per_base = frag::vectors_per_block;
                    dst.tiles[r / per_base][c * 16 / RT::base.cols].v[c % frag::map::blocks * per_base + r % per_base] = packed;
                } else {
                    KITTENS_UNROLL
                    for (int i = 0; i < rows; ++i)
                        detail::write_bits(dst, r * rows + i, c, int(packed[i / pack_size]) >> (i % pack_size * 8 * int(sizeof(T))) & detail::element_mask<T>);
                }
            }
        }
    }
}

template <class GL, class RT>
KITTENS_INLINE void store(const GL& dst, const RT& src, const place& at) {
    using T = typename RT::element;
    using G = typename GL::value_type;
    if constexpr (GL::mode == access::plain) store_plain(dst, src, at);
    else if constexpr (std::is_same_v<T, G>) {
        const auto s = surface_of(dst, at);
        for_each_vector<RT>([&](int r, int c, int v) {
            using frag = typename RT::frag;
            const int x = at.col + c * RT::base.cols + block_of_vector<frag>(v) * frag::map::block_cols;
            const int y = at.row + r * RT::base.rows + v % frag::vectors_per_block * 8;
            if (mutated(mutant::last_rows_not_stored) && r == RT::grid_rows - 1 && (v + 1) % frag::vectors_per_block == 0) return;
            isa::store_2d<int(sizeof(T)), frag::map::block_cols, 8>(s, x, y, &src.tiles[r][c].v[v]);
        });
    } else {
        static_assert(legal_base<G>(layout::row, RT::base), "store: this tile's base shape cannot hold the global layout's element type: 8-bit memory needs a base shape 32 columns wide");
        rt<G, RT::rows, RT::cols, layout::row, RT::base> converted;
        lower::copy(converted, src);
        store(dst, converted, at);
    }
}

/// Warms `Block` elements: one instruction of at most 64 bytes a row and 32 rows.
template <base_shape Block, class GL>
KITTENS_INLINE void prefetch_block(const GL& src, place at) {
    if (mutated(mutant::prefetch_region_shifted)) at.col += Block.cols;
    constexpr int size = sizeof(typename GL::element), bytes = Block.cols * size;
    static_assert(bytes == 64 || bytes == 32, "prefetch: a block's row must be 32 or 64 bytes");
    if constexpr (GL::mode == access::block) {
        const auto s = surface_of(src, at);
        if constexpr (size == 4) isa::prefetch_2d<4, Block.cols, Block.rows, 1>(s, at.col, at.row);
        else isa::prefetch_2d<size, 32 / size, Block.rows, bytes / 32>(s, at.col, at.row);
    }
}

template <class RT, class GL>
KITTENS_INLINE void prefetch(const GL& src, const place& at) {
    constexpr int size = sizeof(typename GL::element);
    constexpr int width = RT::cols * size % 64 ? 32 / size : 64 / size, height = RT::rows % 32 == 0 ? 32 : RT::base.rows;
    KITTENS_UNROLL
    for (int r = 0; r < RT::rows; r += height) {
        KITTENS_UNROLL
        for (int c = 0; c < RT::cols; c += width)
            prefetch_block<base_shape{height, width}>(src, place{at.b, at.d, at.row + r, at.col + c});
    }
}

}  // namespace kittens::inline KITTENS_NS::lower
