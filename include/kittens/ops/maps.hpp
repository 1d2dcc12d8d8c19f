// SPDX-License-Identifier: Apache-2.0
// Element-wise maps over register tiles and vectors, with ThunderKittens' names. dst may be the same object as a
// source. 8- and 16-bit elements are widened to the compute type, mapped, and rounded to nearest even once.
#pragma once

#include <kittens/ops/lowering.hpp>
#include <kittens/ops/math.hpp>
#include <kittens/ops/scope.hpp>

#if KITTENS_HAS_TILE_OPS

namespace kittens::inline KITTENS_NS {

/// A register tile or vector.
template <class T> concept register_object = ducks::rt::all<T> || ducks::rv::all<T>;

/// dst = Op(src), element by element.
template <class Op, register_object T>
KITTENS_INLINE void unary_map(T& dst, const T& src) {
    const lower::operation<T> op("unary_map");
    lower::map(dst, src, [](auto x) { return Op::op(x); });
}
/// dst = Op(a, b), element by element.
template <class Op, register_object T>
KITTENS_INLINE void bin_map(T& dst, const T& a, const T& b) {
    const lower::operation<T> op("bin_map");
    lower::map(dst, a, b, [](auto x, auto y) { return Op::op(x, y); });
}
/// dst = Op(a, s) for a scalar s, which is uniform in the subgroup.
template <class Op, register_object T>
KITTENS_INLINE void bin_map(T& dst, const T& a, compute_t<typename T::element> s) {
    const lower::operation<T> op("bin_map");
    lower::map(dst, a, [s](auto x) { return Op::op(x, s); });
}
/// dst(i, j) = f(i, j, src(i, j)); a vector's f takes (i, x). f may be called in any order.
template <ducks::rt::all T, class F>
KITTENS_INLINE void apply(T& dst, const T& src, F f) {
    const lower::operation<T> op("apply");
    lower::map_indexed(dst, src, f);
}
template <ducks::rv::all T, class F>
KITTENS_INLINE void apply(T& dst, const T& src, F f) {
    const lower::operation<T> op("apply");
    lower::map_indexed(dst, src, f);
}

/// dst(i, j) = Op(src(i, j), per_row[i]).
template <class Op, ducks::rt::all T, ducks::rv::all V>
KITTENS_INLINE void row_map(T& dst, const T& src, const V& per_row) {
    static_assert(V::length == T::rows, "row_map: the vector (third argument) must have one element per row of the tile: its length is the tile's rows (col_vec<tile>)");
    const lower::operation<T> op("row_map");
    lower::map_rows(dst, src, per_row, [](auto x, auto v) { return Op::op(x, v); });
}
/// dst(i, j) = Op(src(i, j), per_col[j]).
template <class Op, ducks::rt::all T, ducks::rv::all V>
KITTENS_INLINE void col_map(T& dst, const T& src, const V& per_col) {
    static_assert(V::length == T::cols, "col_map: the vector (third argument) must have one element per column of the tile: its length is the tile's columns (row_vec<tile>)");
    const lower::operation<T> op("col_map");
    lower::map_cols(dst, src, per_col, [](auto x, auto v) { return Op::op(x, v); });
}

template <register_object T> KITTENS_INLINE void zero(T& dst) { lower::fill(dst, compute_t<typename T::element>(0)); }
template <register_object T> KITTENS_INLINE void one(T& dst) { lower::fill(dst, compute_t<typename T::element>(1)); }
template <register_object T> KITTENS_INLINE void ones(T& dst) { one(dst); }
template <register_object T> KITTENS_INLINE void pos_infty(T& dst) { lower::fill(dst, __builtin_inff()); }
template <register_object T> KITTENS_INLINE void neg_infty(T& dst) { lower::fill(dst, -__builtin_inff()); }
template <register_object T> KITTENS_INLINE void fill(T& dst, compute_t<typename T::element> v) { lower::fill(dst, v); }

// The functions below say what they do by their name: f(dst, src), or f(dst, a, b) with b a tile, vector or scalar.
#define KITTENS_UNARY(NAME) \
    template <register_object T> KITTENS_INLINE void NAME(T& dst, const T& src) { unary_map<base_ops::NAME>(dst, src); }
KITTENS_UNARY(exp)
KITTENS_UNARY(exp2)
KITTENS_UNARY(log)
KITTENS_UNARY(log2)
KITTENS_UNARY(abs)
KITTENS_UNARY(neg)
KITTENS_UNARY(relu)
KITTENS_UNARY(sqrt)
KITTENS_UNARY(rsqrt)
KITTENS_UNARY(recip)
KITTENS_UNARY(sigmoid)
KITTENS_UNARY(silu)
KITTENS_UNARY(tanh)
KITTENS_UNARY(gelu)
#undef KITTENS_UNARY

#define KITTENS_BINARY(NAME, OP)                                                                                   \
    template <register_object T> KITTENS_INLINE void NAME(T& dst, const T& a, const T& b) { bin_map<base_ops::OP>(dst, a, b); } \
    template <register_object T> KITTENS_INLINE void NAME(T& dst, const T& a, compute_t<typename T::element> s) { bin_map<base_ops::OP>(dst, a, s); } \
    template <ducks::rt::all T, ducks::rv::all V> KITTENS_INLINE void NAME##_row(T& dst, const T& src, const V& per_row) { row_map<base_ops::OP>(dst, src, per_row); } \
    template <ducks::rt::all T, ducks::rv::all V> KITTENS_INLINE void NAME##_col(T& dst, const T& src, const V& per_col) { col_map<base_ops::OP>(dst, src, per_col); }
KITTENS_BINARY(add, sum)
KITTENS_BINARY(sub, sub)
KITTENS_BINARY(mul, mul)
KITTENS_BINARY(div, div)
KITTENS_BINARY(max, max)
KITTENS_BINARY(min, min)
#undef KITTENS_BINARY

/// dst(i, j) = per_row[i].
template <ducks::rt::all T, ducks::rv::all V> KITTENS_INLINE void broadcast_row(T& dst, const V& per_row) {
    static_assert(V::length == T::rows, "broadcast_row: the vector (second argument) must have one element per row of the tile");
    const lower::operation<T> op("broadcast_row");
    zero(dst);
    lower::map_rows(dst, dst, per_row, [](auto, auto v) { return v; });
}
/// dst(i, j) = per_col[j].
template <ducks::rt::all T, ducks::rv::all V> KITTENS_INLINE void broadcast_col(T& dst, const V& per_col) {
    static_assert(V::length == T::cols, "broadcast_col: the vector (second argument) must have one element per column of the tile");
    const lower::operation<T> op("broadcast_col");
    zero(dst);
    lower::map_cols(dst, dst, per_col, [](auto, auto v) { return v; });
}

/// dst = src, converted between element types by rounding to nearest even (integers saturate). Base shapes may differ
/// where the target moves no data between lanes for it.
template <ducks::rt::all D, ducks::rt::all S>
KITTENS_INLINE void copy(D& dst, const S& src) {
    static_assert(D::rows == S::rows && D::cols == S::cols, "copy: both tiles must have the same rows and columns");
    static_assert(D::tile_layout == S::tile_layout, "copy: both tiles must have the same layout; use swap_layout to change it");
    const lower::operation<D> op("copy");
    lower::copy(dst, src);
}
template <ducks::rv::all D, ducks::rv::all S>
KITTENS_INLINE void copy(D& dst, const S& src) {
    static_assert(D::length == S::length, "copy: both vectors must have the same length");
    const lower::operation<D> op("copy");
    lower::copy(dst, src);
}

}  // namespace kittens::inline KITTENS_NS

#endif
