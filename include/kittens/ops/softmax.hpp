// SPDX-License-Identifier: Apache-2.0
// The steps of an online softmax, where a separate map for each would read and write the tile once more than it needs.
// A `band` says which elements take part, so that the masked part of a tile costs nothing where a target can skip it.
#pragma once

#include <kittens/base/shape.hpp>
#include <kittens/ops/lowering.hpp>
#include <kittens/ops/maps.hpp>
#include <kittens/ops/masks.hpp>

#if KITTENS_HAS_TILE_OPS

namespace kittens::inline KITTENS_NS {

/// dst(i, j) = value where (i, j) is outside the band, src(i, j) inside.
template <ducks::rt::all T>
KITTENS_INLINE void keep_band(T& dst, const T& src, band inside, compute_t<typename T::element> value = 0) {
    apply(dst, src, [=](int i, int j, auto x) { return inside.holds(i, j) ? x : value; });
}

/// dst(i, j) = 2^(scale * src(i, j) - per_row[i]).
template <ducks::rt::all T, ducks::rv::all V>
KITTENS_INLINE void exp2_scaled(T& dst, const T& src, float scale, const V& per_row) {
    static_assert(V::length == T::rows, "exp2_scaled: the vector (fourth argument) must have one element per row of the tile: col_vec<tile>");
    static_assert(!is_integer_element<typename T::element>, "exp2_scaled: the tile must hold floats");
    const lower::operation<T> op("exp2_scaled");
    lower::map_rows(dst, src, per_row, [scale](auto x, auto v) { return lower::exp2(x * scale - v); });
}

/// dst[i] = the largest scale * src(i, j) of row i inside the band; -infinity where the band holds none of the row. A NaN is
/// ignored where another element is a number. scale is positive.
template <ducks::rv::all V, ducks::rt::all T>
KITTENS_INLINE void band_row_max(V& dst, const T& src, float scale, band inside) {
    static_assert(V::length == T::rows, "band_row_max: the vector (first argument) must have one element per row of the tile: col_vec<tile>");
    static_assert(std::is_same_v<typename T::element, float> && std::is_same_v<typename V::element, float>, "band_row_max: tile and vector must hold float");
    const lower::operation<T> op("band_row_max");
    lower::band_row_max(dst, src, scale, inside);
}

/// The weights of a softmax relative to a reference, which need not be the row's largest score:
///   dst(i, j) = 2^(scale * src(i, j) - reference[i]) inside the band, 0 outside, rounded to dst's element type
///   sums[i]  += the weights of row i, unrounded
///   peaks[i]  = the largest exponent of row i; -infinity where the band holds none of the row
/// Exponents below -126 give 0; a NaN gives NaN. Weights are within 2^-12 (relative) for bf16, 2^-16 for half.
/// A large peak tells the caller that the reference is out of date, and that sums and dst may have overflowed.
template <ducks::rt::all P, ducks::rv::all V, ducks::rt::all T>
KITTENS_INLINE void band_weights(P& dst, V& sums, V& peaks, const T& src, float scale, const V& reference, band inside) {
    static_assert(P::rows == T::rows && P::cols == T::cols, "band_weights: dst (first argument) and src must have the same rows and columns");
    static_assert(V::length == T::rows, "band_weights: the vectors must have one element per row of the tile: col_vec<tile>");
    static_assert(std::is_same_v<typename T::element, float> && std::is_same_v<typename V::element, float>, "band_weights: scores and vectors must hold float");
    static_assert(sizeof(typename P::element) == 2, "band_weights: dst (first argument) must hold bf16 or half");
    const lower::operation<T> op("band_weights");
    lower::band_weights(dst, sums, peaks, src, scale, reference, inside);
}

/// band_weights of the scores a * b, which are not kept; returns the largest of the peaks, ignoring NaN, or a
/// number that is up to 1 + log2(N) above it. a: M x K row layout; b: K x N
/// col layout.
template <ducks::rt::all P, ducks::rv::all V, ducks::rt::all A, ducks::rt::all B>
KITTENS_INLINE float band_weights_AB(P& dst, V& sums, const A& a, const B& b, float scale, const V& reference, band inside) {
    static_assert(A::tile_layout == layout::row && B::tile_layout == layout::col, "band_weights_AB: a (third argument) must have row layout, b (fourth argument) col layout");
    static_assert(P::rows == A::rows && P::cols == B::cols && A::cols == B::rows, "band_weights_AB: dst (first argument) must be M x N where a is M x K and b is K x N");
    static_assert(std::is_same_v<typename P::element, typename A::element> && std::is_same_v<typename A::element, typename B::element> && sizeof(typename A::element) == 2,
                  "band_weights_AB: dst, a and b must all hold bf16, or all half");
    static_assert(V::length == P::rows && std::is_same_v<typename V::element, float>, "band_weights_AB: the vectors must hold one float per row of the tile");
    const lower::operation<P> op("band_weights_AB");
    return lower::band_weights_AB(dst, sums, a, b, scale, reference, inside);
}

/// band_row_max of the scores a * b, which are not kept. a: M x K row layout; b: K x N col layout.
template <ducks::rv::all V, ducks::rt::all A, ducks::rt::all B>
KITTENS_INLINE void band_row_max_AB(V& dst, const A& a, const B& b, float scale, band inside) {
    static_assert(A::tile_layout == layout::row && B::tile_layout == layout::col, "band_row_max_AB: a (second argument) must have row layout, b (third argument) col layout");
    static_assert(A::cols == B::rows, "band_row_max_AB: a must be M x K where b is K x N");
    static_assert(std::is_same_v<typename A::element, typename B::element> && sizeof(typename A::element) == 2, "band_row_max_AB: a and b must both hold bf16, or both half");
    static_assert(V::length == A::rows && std::is_same_v<typename V::element, float>, "band_row_max_AB: the vector (first argument) must hold one float per row of a");
    const lower::operation<A> op("band_row_max_AB");
    lower::band_row_max_AB(dst, a, b, scale, inside);
}

}  // namespace kittens::inline KITTENS_NS

#endif
