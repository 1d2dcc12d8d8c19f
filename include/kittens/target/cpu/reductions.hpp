// SPDX-License-Identifier: Apache-2.0
// Reductions: sixteen partial results side by side, so that the loop over a row or column is a vector loop whatever the
// operation, and combined in pairs at the end.
#pragma once

#include <kittens/target/cpu/maps.hpp>

namespace kittens::inline KITTENS_NS::lower {

namespace detail {

template <class Op, class X> KITTENS_INLINE X combine_lanes(X (&x)[16]) {
    for (int s = 8; s > 0; s /= 2) {
        KITTENS_VECTOR_LOOP
        for (int l = 0; l < s; ++l) x[l] = Op::op(x[l], x[l + s]);
    }
    return x[0];
}

/// Op over n values, which are a multiple of 16 long.
template <class Op, class X> KITTENS_INLINE X reduce_row(const X* row, int n) {
    alignas(64) X x[16];
    for (int l = 0; l < 16; ++l) x[l] = row[l];
    for (int j = 16; j < n; j += 16) {
        KITTENS_VECTOR_LOOP
        for (int l = 0; l < 16; ++l) x[l] = Op::op(x[l], row[j + l]);
    }
    return combine_lanes<Op>(x);
}

/// Row i of a tile in the compute type: the row itself, or widened into `space`.
template <class T> KITTENS_INLINE const wide_t<T>* wide_row(const T* row, wide_t<T>* space, int n) {
    if constexpr (is_wide<T>) return row;
    else {
        widen<T>(row, space, n);
        return space;
    }
}

/// Adds rounding to the element type of a vector.
template <class V, class X> KITTENS_INLINE void set(V& v, int i, X x) {
    v.v[i] = rounded<typename V::element>(wide_t<typename V::element>(x));
}

}  // namespace detail

template <class Op, vector V, tile S> KITTENS_INLINE void reduce_rows(V& dst, const S& src) {
    using T = typename S::element;
    src.settle();
    alignas(64) wide_t<T> space[S::cols];
    for (int i = 0; i < S::rows; ++i) detail::set(dst, i, detail::reduce_row<Op>(detail::wide_row<T>(src.row(i), space, S::cols), S::cols));
}

template <class Op, vector V, tile S> KITTENS_INLINE void reduce_cols(V& dst, const S& src) {
    using T = typename S::element;
    using X = wide_t<T>;
    src.settle();
    alignas(64) X space[S::cols], x[S::cols];
    const X* first = detail::wide_row<T>(src.row(0), space, S::cols);
    for (int j = 0; j < S::cols; ++j) x[j] = first[j];
    for (int i = 1; i < S::rows; ++i) {
        const X* row = detail::wide_row<T>(src.row(i), space, S::cols);
        KITTENS_VECTOR_LOOP
        for (int j = 0; j < S::cols; ++j) x[j] = Op::op(x[j], row[j]);
    }
    for (int j = 0; j < S::cols; ++j) detail::set(dst, j, x[j]);
}

template <class Op, vector V> KITTENS_INLINE auto reduce_vector(const V& src) {
    constexpr int whole = V::length / 16 * 16;
    if constexpr (whole == V::length) return detail::reduce_row<Op>(src.v, V::length);
    else {
        auto x = src.v[whole];
        for (int i = whole + 1; i < V::length; ++i) x = Op::op(x, src.v[i]);
        if constexpr (whole > 0) x = Op::op(x, detail::reduce_row<Op>(src.v, whole));
        return x;
    }
}

}  // namespace kittens::inline KITTENS_NS::lower
