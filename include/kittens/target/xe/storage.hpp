// SPDX-License-Identifier: Apache-2.0
// How a register tile lies in the registers of 16 lanes.
//
// A tile is a grid of base tiles. A base tile is held as 16-lane column blocks, each block as `rows` values per lane,
// eight rows to a vector: what the matrix instructions take. For a lane l:
//
//   row layout, 16- and 32-bit  block b, row r         = element (r, 16 b + l)
//   row layout, 8-bit           block b, row r         = elements (r, 32 b + 2 l) and (r, 32 b + 2 l + 1), low byte first
//   col layout, 32-bit          block b, row r         = element (r, 16 b + l)
//   col layout, 16-bit (VNNI)   block b, row pair p    = elements (2 p, 16 b + l) low half, (2 p + 1, 16 b + l) high half
//   col layout, 8-bit (VNNI)    block b, row quad q    = elements (4 q .. 4 q + 3, 16 b + l), lowest row in the low byte
//
// Seen as an array of elements per lane, all of these are "block, then row", but for 8-bit row layout, where a row
// holds two elements. So a change between row and col layout of 16-bit data moves nothing between lanes.
#pragma once

#include <kittens/base/shape.hpp>
#include <kittens/base/target.hpp>
#include <kittens/base/types.hpp>
#include <kittens/target/xe/isa.hpp>
#include <kittens/target/xe/mutants.hpp>

namespace kittens::inline KITTENS_NS::storage {

/// The scalar that carries elements of T in layout L: what one component of a register vector is.
template <class T, layout L> constexpr auto word_of() {
    if constexpr (sizeof(T) == 4) {
        if constexpr (is_integer_element<T>) return int(0);
        else return float(0);
    } else if constexpr (L == layout::col) return int(0);
    else if constexpr (std::is_same_v<T, half>) return half(0);
    else return short(0);
}
template <class T, layout L> using word_t = decltype(word_of<T, L>());

/// Element positions of one base tile, from the point of view of a lane.
template <class T, layout L, base_shape S>
struct lane_map {
    static constexpr bool paired = sizeof(T) == 1 && L == layout::row;
    static constexpr int block_cols = paired ? 32 : 16;
    static constexpr int blocks = S.cols / block_cols;
    /// Elements per lane, in the order block, row, (column of a pair).
    static constexpr int elements = S.rows * S.cols / subgroup_size;
    static constexpr int per_row = paired ? 2 : 1;

    static constexpr int block_of(int e) { return e / (S.rows * per_row); }
    static constexpr int row_of(int e) { return e / per_row % S.rows; }
    static constexpr int col_of(int e, int lane) {
        return paired ? block_of(e) * 32 + 2 * lane + e % 2 : block_of(e) * 16 + lane;
    }
};

/// One base tile. `words` components per lane, in vectors of eight (or fewer where the tile is that small).
template <class T, layout L, base_shape S>
struct fragment {
    using map = lane_map<T, L, S>;
    using word = word_t<T, L>;
    static constexpr int per_word = int(sizeof(word) / sizeof(T));
    static constexpr int words = map::elements / per_word;
    static constexpr int words_per_block = words / map::blocks;
    static constexpr int vector_length = words_per_block < 8 ? words_per_block : 8;
    static constexpr int vectors_per_block = words_per_block / vector_length;
    using vector = xe_vec::vec<word, vector_length>;

    vector v[words / vector_length];
};

template <class T, int M, int N, layout L, base_shape S>
struct tile_storage {
    static_assert(M % S.rows == 0 && N % S.cols == 0);
    static_assert(sizeof(T) * M * N <= 16 * 1024, "rt: the tile (rows x columns x element size) exceeds the 16384 bytes of a subgroup's 256 registers: use a smaller tile, or load_part");
    using frag = fragment<T, L, S>;
    static constexpr int grid_rows = M / S.rows;
    static constexpr int grid_cols = N / S.cols;

    frag tiles[grid_rows][grid_cols];
#if defined(KITTENS_TARGET_EMULATED)
    tile_storage() { isa::undefined(this, sizeof *this); }
#endif
};

/// How many components of a vector are worked on: all.
template <class V> constexpr int words_of() {
#if defined(KITTENS_MUTANTS)
    if (!__builtin_is_constant_evaluated() && mutated(mutant::vector_first_word)) return 1;
#endif
    return V::words;
}

/// A vector: component w of a lane is element `index_of(w, lane)`.
template <class T, int N, vector_layout V>
struct vector_storage {
    using word = std::conditional_t<std::is_same_v<T, int32>, int, float>;
    static constexpr int full_words = N / subgroup_size;
    static constexpr int words = (N + subgroup_size - 1) / subgroup_size;
    static constexpr int index_of(int w, int lane) {
        return V == vector_layout::wide ? w / 8 * 128 + 8 * lane + w % 8 : 16 * w + lane;
    }
    /// In the compute type; the value is always one that T can represent.
    word v[words];
#if defined(KITTENS_TARGET_EMULATED)
    vector_storage() { isa::undefined(this, sizeof *this); }
#endif
};

}  // namespace kittens::inline KITTENS_NS::storage

// Bases of rt and rv stay out of `lower`: an unqualified call on a tile would otherwise find the hooks there too.
namespace kittens::inline KITTENS_NS::lower {
using storage::fragment, storage::lane_map, storage::word_t, storage::words_of;
}  // namespace kittens::inline KITTENS_NS::lower
