// SPDX-License-Identifier: Apache-2.0
// Masks: an element that a mask drops becomes `value`. Any diagonal, any base shape, any layout.
#pragma once

#include <kittens/ops/lowering.hpp>
#include <kittens/ops/maps.hpp>

#if KITTENS_HAS_TILE_OPS

namespace kittens::inline KITTENS_NS {

/// Keeps (i, j) where j <= i + diagonal.
template <ducks::rt::all T>
KITTENS_INLINE void tril(T& dst, const T& src, int diagonal = 0, compute_t<typename T::element> value = 0) {
    apply(dst, src, [=](int i, int j, auto x) { return j <= i + diagonal ? x : value; });
}
/// Keeps (i, j) where j >= i + diagonal.
template <ducks::rt::all T>
KITTENS_INLINE void triu(T& dst, const T& src, int diagonal = 0, compute_t<typename T::element> value = 0) {
    apply(dst, src, [=](int i, int j, auto x) { return j >= i + diagonal ? x : value; });
}
/// Keeps (i, j) where key `first_key + j` is not after query `first_query + i`.
template <ducks::rt::all T>
KITTENS_INLINE void make_causal(T& dst, const T& src, compute_t<typename T::element> value = 0, int first_query = 0, int first_key = 0) {
    tril(dst, src, first_query - first_key, value);
}
/// The transpose of make_causal: keeps (i, j) where i is not after j.
template <ducks::rt::all T>
KITTENS_INLINE void make_causal_t(T& dst, const T& src, compute_t<typename T::element> value = 0, int first_query = 0, int first_key = 0) {
    triu(dst, src, first_key - first_query, value);
}
/// Drops columns before `col` (left), from `col` on (right); rows before `row` (upper), from `row` on (lower).
template <ducks::rt::all T>
KITTENS_INLINE void left_fill(T& dst, const T& src, int col, compute_t<typename T::element> value = 0) {
    apply(dst, src, [=](int, int j, auto x) { return j < col ? value : x; });
}
template <ducks::rt::all T>
KITTENS_INLINE void right_fill(T& dst, const T& src, int col, compute_t<typename T::element> value = 0) {
    apply(dst, src, [=](int, int j, auto x) { return j >= col ? value : x; });
}
template <ducks::rt::all T>
KITTENS_INLINE void upper_fill(T& dst, const T& src, int row, compute_t<typename T::element> value = 0) {
    apply(dst, src, [=](int i, int, auto x) { return i < row ? value : x; });
}
template <ducks::rt::all T>
KITTENS_INLINE void lower_fill(T& dst, const T& src, int row, compute_t<typename T::element> value = 0) {
    apply(dst, src, [=](int i, int, auto x) { return i >= row ? value : x; });
}
/// Drops the corner of rows before `row` and columns from `col` on.
template <ducks::rt::all T>
KITTENS_INLINE void upper_right_fill(T& dst, const T& src, int row, int col, compute_t<typename T::element> value = 0) {
    apply(dst, src, [=](int i, int j, auto x) { return i < row && j >= col ? value : x; });
}

}  // namespace kittens::inline KITTENS_NS

#endif
