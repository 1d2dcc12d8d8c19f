// SPDX-License-Identifier: Apache-2.0
// Movement between global memory and registers. Outside a tensor's extent loads give zero and stores do nothing,
// on every target. Coordinates are in units of the tile or vector moved.
#pragma once

#include <kittens/ops/lowering.hpp>
#include <kittens/ops/place.hpp>
#include <kittens/ops/scope.hpp>
#include <kittens/tile/gl.hpp>
#include <kittens/tile/rt.hpp>

#if KITTENS_HAS_TILE_OPS

namespace kittens::inline KITTENS_NS {

/// dst(i, j) = src(at.r * rows + i, at.c * cols + j), converted to the tile's element type.
/// A `col` tile is packed on the way (as `load_transform`).
template <ducks::rt::all RT, ducks::gl::all GL>
KITTENS_INLINE void load(RT& dst, const GL& src, coord<RT> at) {
    const lower::operation<RT> op("load", at);
    lower::load(dst, src, lower::place_of(at));
}

/// The B operand: a 2-D load fused with VNNI packing. dst(i, j) = src(at.r * rows + i, at.c * cols + j).
template <ducks::rt::all RT, ducks::gl::all GL>
KITTENS_INLINE void load_transform(RT& dst, const GL& src, coord<RT> at) {
    static_assert(RT::tile_layout == layout::col, "load_transform: the tile (first argument) is the B operand of a product and must have col layout; use load for row layout");
    static_assert(sizeof(typename RT::element) <= 2, "load_transform: packing exists for 8-bit and 16-bit elements; use load for 32-bit elements");
    static_assert(std::is_same_v<typename RT::element, typename GL::value_type>, "load_transform: tile and global layout must have the same element type; use load to convert");
    const lower::operation<RT> op("load_transform", at);
    lower::load(dst, src, lower::place_of(at));
}

/// The B operand from memory that holds it packed: row r of src has, for each column j, the p elements (p r, j), (p r + 1, j), ...
/// side by side, where p of them fill 32 bits. dst(i, j) = element (at.r * rows + i, at.c * cols + j) of the matrix so held. `at` counts
/// in tiles of dst, as for `load_transform`; where the matrix has no multiple of p rows, src is filled up with zeros.
template <ducks::rt::all RT, ducks::gl::all GL>
KITTENS_INLINE void load_packed(RT& dst, const GL& src, coord<RT> at) {
    static_assert(RT::tile_layout == layout::col, "load_packed: the tile (first argument) is the B operand of a product and must have col layout");
    static_assert(sizeof(typename RT::element) <= 2, "load_packed: packing exists for 8-bit and 16-bit elements; use load for 32-bit elements");
    static_assert(std::is_same_v<typename RT::element, typename GL::value_type>, "load_packed: tile and global layout must have the same element type");
    constexpr int p = 4 / int(sizeof(typename RT::element));
    const lower::operation<RT> op("load_packed", at);
    lower::load_packed(dst, src, lower::place{at.b, at.d, at.r * (RT::rows / p), at.c * (RT::cols * p)});
}

/// Transposed load: dst(i, j) = src(at.c * cols + j, at.r * rows + i). `at` counts in tiles of dst, so a kernel reads
/// the same coordinates whether B is stored K x N or N x K. Into `col` layout this gives the B operand of a product
/// with a transposed matrix in one instruction per 16 x 16 block.
template <ducks::rt::all RT, ducks::gl::all GL>
KITTENS_INLINE void load_transpose(RT& dst, const GL& src, coord<RT> at) {
    static_assert(std::is_same_v<typename RT::element, typename GL::value_type>, "load_transpose: tile and global layout must have the same element type");
    const lower::operation<RT> op("load_transpose", at);
    lower::load_transposed(dst, src, lower::place{at.b, at.d, at.c * RT::cols, at.r * RT::rows});
}

/// dst(at.r * rows + i, at.c * cols + j) = src(i, j), rounded to nearest even in registers where types differ.
template <ducks::gl::all GL, ducks::rt::row_layout RT>
KITTENS_INLINE void store(const GL& dst, const RT& src, coord<RT> at) {
    static_assert(!GL::is_read_only, "store: the global layout (first argument) holds const elements");
    const lower::operation<RT> op("store", at);
    lower::store(dst, src, lower::place_of(at));
}

/// dst(at.r * rows + i, at.c * cols + j) += src(i, j), each element atomically and in no order: several subgroups of the device
/// may add to the same place at a time. Element by element on every target, for float and int32.
template <ducks::gl::all GL, ducks::rt::row_layout RT>
KITTENS_INLINE void store_add(const GL& dst, const RT& src, coord<RT> at) {
    static_assert(!GL::is_read_only, "store_add: the global layout (first argument) holds const elements");
    static_assert(std::is_same_v<typename RT::element, typename GL::value_type> && (std::is_same_v<typename RT::element, float> || std::is_same_v<typename RT::element, int32>), "store_add: tile and global layout must both be float or both int32");
    const lower::operation<RT> op("store_add", at);
    lower::store_add(dst, src, lower::place_of(at));
}

/// Warms the cache with what a later `load(tile, src, at)` reads. A hint: `tile` names type and shape and is not
/// changed; the load needs no wait.
template <ducks::rt::all RT, ducks::gl::all GL>
KITTENS_INLINE void prefetch_load(const RT& tile, const GL& src, coord<RT> at) {
    (void)tile;
    const lower::operation<RT> op("prefetch_load", at);
    lower::prefetch<RT>(src, lower::place_of(at));
}

/// Warms one region of `block` (default: 8 rows by two 16-column blocks) at `part` rows and columns inside the tile
/// that `load(tile, src, at)` will read. The subgroups of a workgroup that share an operand panel each take a
/// different part, so that every byte is requested once.
template <base_shape Block = base_shape{8, 32}, ducks::rt::all RT, ducks::gl::all GL>
KITTENS_INLINE void prefetch_load_coop(const RT& tile, const GL& src, coord<RT> at, offset part) {
    (void)tile;
    static_assert(Block.rows <= 32 && (Block.rows & (Block.rows - 1)) == 0, "prefetch_load_coop: a block has 1, 2, 4, 8, 16 or 32 rows");
    static_assert(Block.cols * sizeof(typename GL::value_type) <= 64, "prefetch_load_coop: a block's row is at most 64 bytes");
    const lower::operation<RT> op("prefetch_load_coop", at);
    lower::prefetch_block<Block>(src, lower::place_of(at, part));
}

/// Vectors: dst[i] = src(row at.r, at.c * length + i).
template <ducks::rv::all RV, ducks::gl::all GL>
KITTENS_INLINE void load(RV& dst, const GL& src, coord<RV> at) {
    const lower::operation<RV> op("load", at);
    lower::load_vector(dst, src, lower::place{at.b, at.d, at.r, at.c * RV::length});
}

template <ducks::gl::all GL, ducks::rv::all RV>
KITTENS_INLINE void store(const GL& dst, const RV& src, coord<RV> at) {
    static_assert(!GL::is_read_only, "store: the global layout (first argument) holds const elements");
    const lower::operation<RV> op("store", at);
    lower::store_vector(dst, src, lower::place{at.b, at.d, at.r, at.c * RV::length});
}

/// The same for wide vectors, 128 bits a lane, where the row is a multiple of 8 elements long and aligned (otherwise
/// element by element, correctly).
template <ducks::rv::all RV, ducks::gl::all GL>
KITTENS_INLINE void load_wide(RV& dst, const GL& src, coord<RV> at) {
    static_assert(RV::form == vector_layout::wide, "load_wide: the vector (first argument) must have wide form: rv<T, N, wide>");
    load(dst, src, at);
}
template <ducks::gl::all GL, ducks::rv::all RV>
KITTENS_INLINE void store_wide(const GL& dst, const RV& src, coord<RV> at) {
    static_assert(RV::form == vector_layout::wide, "store_wide: the vector (second argument) must have wide form: rv<T, N, wide>");
    store(dst, src, at);
}

}  // namespace kittens::inline KITTENS_NS

#endif
