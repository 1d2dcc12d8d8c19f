// SPDX-License-Identifier: Apache-2.0
// Reductions of register tiles and vectors. Sums and products of 16-bit elements are kept in float and rounded once, at
// the end. The order of summation is the target's.
#pragma once

#include <kittens/ops/lowering.hpp>
#include <kittens/ops/maps.hpp>

#if KITTENS_HAS_TILE_OPS

namespace kittens::inline KITTENS_NS {

/// dst[i] = Op over row i of src.
template <class Op, ducks::rv::all V, ducks::rt::all T>
KITTENS_INLINE void row_reduce(V& dst, const T& src) {
    static_assert(V::length == T::rows, "row_reduce: the vector (first argument) must have one element per row of the tile: col_vec<tile>");
    static_assert(is_integer_element<typename V::element> == is_integer_element<typename T::element>, "row_reduce: vector and tile must both hold integers, or both floats");
    const lower::operation<T> op("row_reduce");
    lower::reduce_rows<Op>(dst, src);
}
/// dst[j] = Op over column j of src.
template <class Op, ducks::rv::all V, ducks::rt::all T>
KITTENS_INLINE void col_reduce(V& dst, const T& src) {
    static_assert(V::length == T::cols, "col_reduce: the vector (first argument) must have one element per column of the tile: row_vec<tile>");
    static_assert(is_integer_element<typename V::element> == is_integer_element<typename T::element>, "col_reduce: vector and tile must both hold integers, or both floats");
    const lower::operation<T> op("col_reduce");
    lower::reduce_cols<Op>(dst, src);
}
/// Op over all elements, in every lane.
template <class Op, ducks::rv::all V>
KITTENS_INLINE auto reduce(const V& src) {
    const lower::operation<V> op("reduce");
    return lower::reduce_vector<Op>(src);
}
template <class Op, ducks::rt::all T>
KITTENS_INLINE auto reduce(const T& src) {
    const lower::operation<T> op("reduce");
    rv<std::conditional_t<is_integer_element<typename T::element>, int32, float>, T::cols, vector_layout::align> cols;
    lower::reduce_cols<Op>(cols, src);
    return lower::reduce_vector<Op>(cols);
}

// row_sum(dst, src): dst[i] = sum of row i; row_sum(dst, src, start): start[i] + sum of row i; likewise col_, and
// max, min, prod. sum(src): over all elements of a tile or vector; sum(dst, src) stores it.
#define KITTENS_REDUCTION(NAME, OP)                                                                                                       \
    template <ducks::rv::all V, ducks::rt::all T> KITTENS_INLINE void row_##NAME(V& dst, const T& src) { row_reduce<base_ops::OP>(dst, src); } \
    template <ducks::rv::all V, ducks::rt::all T> KITTENS_INLINE void row_##NAME(V& dst, const T& src, const V& start) {                   \
        V r;                                                                                                                              \
        row_reduce<base_ops::OP>(r, src);                                                                                                 \
        bin_map<base_ops::OP>(dst, start, r);                                                                                             \
    }                                                                                                                                     \
    template <ducks::rv::all V, ducks::rt::all T> KITTENS_INLINE void col_##NAME(V& dst, const T& src) { col_reduce<base_ops::OP>(dst, src); } \
    template <ducks::rv::all V, ducks::rt::all T> KITTENS_INLINE void col_##NAME(V& dst, const T& src, const V& start) {                   \
        V r;                                                                                                                              \
        col_reduce<base_ops::OP>(r, src);                                                                                                 \
        bin_map<base_ops::OP>(dst, start, r);                                                                                             \
    }                                                                                                                                     \
    template <register_object T> KITTENS_INLINE auto NAME(const T& src) { return reduce<base_ops::OP>(src); }                             \
    template <class X, register_object T>                                                                                                 \
        requires element_type<X>                                                                                                          \
    KITTENS_INLINE void NAME(X& dst, const T& src) { dst = convert<X>(reduce<base_ops::OP>(src)); }
KITTENS_REDUCTION(sum, sum)
KITTENS_REDUCTION(max, max)
KITTENS_REDUCTION(min, min)
KITTENS_REDUCTION(prod, mul)
#undef KITTENS_REDUCTION

}  // namespace kittens::inline KITTENS_NS

#endif
