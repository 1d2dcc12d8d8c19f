// SPDX-License-Identifier: Apache-2.0
// Changes of layout, transposition, sub-tiles and parts.
#pragma once

#include <kittens/ops/lowering.hpp>
#include <kittens/ops/maps.hpp>
#include <kittens/ops/movement.hpp>

#if KITTENS_HAS_TILE_OPS

namespace kittens::inline KITTENS_NS {

/// dst = src in the other layout, same element type. On xe 16-bit data stays in its lane: rows are paired (or parted).
template <ducks::rt::all D, ducks::rt::all S>
KITTENS_INLINE void swap_layout(D& dst, const S& src) {
    static_assert(D::rows == S::rows && D::cols == S::cols, "swap_layout: both tiles must have the same rows and columns");
    static_assert(D::tile_layout != S::tile_layout, "swap_layout: the tiles must have different layouts; use copy for equal ones");
    static_assert(std::is_same_v<typename D::element, typename S::element>, "swap_layout: both tiles must have the same element type; use copy to convert");
    const lower::operation<D> op("swap_layout");
    lower::copy_elements(dst, src);
}

/// dst(j, i) = src(i, j); layouts may differ.
template <ducks::rt::all D, ducks::rt::all S>
KITTENS_INLINE void transpose(D& dst, const S& src) {
    static_assert(D::rows == S::cols && D::cols == S::rows, "transpose: dst (first argument) must be N x M where src is M x N");
    static_assert(std::is_same_v<typename D::element, typename S::element>, "transpose: both tiles must have the same element type");
    const lower::operation<D> op("transpose");
    lower::transpose(dst, src);
}

/// The M x N part of a tile whose corner is block (r, c), counted in blocks of M x N.
template <int M, int N, ducks::rt::all T>
KITTENS_INLINE auto subtile(const T& src, int r, int c) {
    static_assert(T::rows % M == 0 && T::cols % N == 0, "subtile: the tile must divide into M x N parts");
    static_assert(M % T::base.rows == 0 && N % T::base.cols == 0, "subtile: M and N must be multiples of the tile's base shape");
    rt<typename T::element, M, N, T::tile_layout, T::base> part;
    lower::extract(part, src, r, c);
    return part;
}
/// Puts a part back: the block (r, c) of dst, counted in blocks of the part's shape.
template <ducks::rt::all T, ducks::rt::all P>
KITTENS_INLINE void insert(T& dst, const P& part, int r, int c) {
    static_assert(T::rows % P::rows == 0 && T::cols % P::cols == 0, "insert: the tile must divide into parts of this shape");
    static_assert(std::is_same_v<typename T::element, typename P::element> && T::tile_layout == P::tile_layout && T::base == P::base, "insert: tile and part must have the same element type, layout and base shape");
    lower::insert(dst, part, r, c);
}

/// Loads part `position` of a logical tile that is `Parts` times as wide as dst; `at` counts in logical tiles. What the
/// split-D schedule of attention uses where a whole tile would not fit the registers.
template <int Parts, ducks::rt::all RT, ducks::gl::all GL>
KITTENS_INLINE void load_part(RT& dst, const GL& src, coord<RT> at, int position) {
    load(dst, src, coord<RT>{at.b, at.d, at.r, at.c * Parts + position});
}
template <int Parts, ducks::gl::all GL, ducks::rt::all RT>
KITTENS_INLINE void store_part(const GL& dst, const RT& src, coord<RT> at, int position) {
    store(dst, src, coord<RT>{at.b, at.d, at.r, at.c * Parts + position});
}

}  // namespace kittens::inline KITTENS_NS

#endif
