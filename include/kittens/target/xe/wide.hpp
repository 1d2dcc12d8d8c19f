// SPDX-License-Identifier: Apache-2.0
// Maps and reductions of several vectors in one pass.
#pragma once

#include <kittens/ops/memory_operand.hpp>
#include <kittens/target/xe/maps.hpp>
#include <kittens/target/xe/plain_movement.hpp>
#include <kittens/target/xe/reductions.hpp>

namespace kittens::inline KITTENS_NS::lower {

template <class T> KITTENS_INLINE float round_as(float x) { return rounded<T>(x); }

KITTENS_INLINE void finish_stores(bool) {}

template <int Distance, vector V> KITTENS_INLINE void swap_blocks(V& dst, const V& src) {
    V r;
    KITTENS_UNROLL
    for (int w = 0; w < V::words; ++w) {
        if constexpr (Distance < 8) r.v[w] = src.v[w ^ Distance];
        else if constexpr (Distance >= 128) r.v[w] = src.v[w ^ Distance / 16];
        else r.v[w] = isa::shuffle_xor(src.v[w], Distance / 8);
    }
    dst = r;
}
template <vector V> KITTENS_INLINE void swap_blocks(V& dst, const V& src, int distance) {
    V r;
    KITTENS_UNROLL
    for (int w = 0; w < V::words; ++w) r.v[w] = isa::shuffle_xor(src.v[w], distance / 8);
    dst = r;
}

/// An operand as a register vector.
template <class D, class S> KITTENS_INLINE decltype(auto) as_vector(const S& s) {
    if constexpr (is_memory_operand<S>) {
        rv<float, D::length, D::form> v;
        load_vector(v, s.from, place{s.at.b, s.at.d, s.at.r, s.at.c * D::length});
        if constexpr (S::swapped) {
            rv<float, D::length, D::form> w;
            if (s.distance == 1) lower::swap_blocks<1>(w, v);
            else if (s.distance < 128) lower::swap_blocks(w, v, s.distance);
            else if constexpr (D::length > 128) lower::swap_blocks<128>(w, v);
            return w;
        } else return v;
    } else return (s);
}

template <vector D, class F, class... S>
KITTENS_INLINE void map_with(D& dst, F f, const S&... src) {
    KITTENS_INLINE_CALLS [&](const auto&... v) {
        KITTENS_UNROLL
        for (int i = 0; i < words_of<D>(); ++i) dst.v[i] = rounded<typename D::element>(f(v.v[i]...));
    }(as_vector<D>(src)...);
}

template <class Op, vector V, class F, class... S>
KITTENS_INLINE auto reduce_with(F f, const S&... src) {
    KITTENS_INLINE_CALLS return [&](const auto&... v) {
        auto x = f(v.v[0]...);
        KITTENS_UNROLL
        for (int i = 1; i < V::full_words; ++i) x = Op::op(x, f(v.v[i]...));
        KITTENS_UNROLL
        for (int s = 1; s < subgroup_size; s *= 2) x = Op::op(x, isa::shuffle_xor(x, s));
        return x;
    }(as_vector<V>(src)...);
}

template <class GL, class RV>
KITTENS_INLINE void store_vector_as(const GL& dst, const RV& src, const place& at, bool) { store_vector(dst, src, at); }

template <class RV, class GL, class F, class... S>
KITTENS_INLINE void store_with(const GL& dst, const place& at, bool, F f, const S&... src) {
    rv<float, RV::length, RV::form> v;
    lower::map_with(v, f, src...);
    store_vector(dst, v, at);
}

}  // namespace kittens::inline KITTENS_NS::lower
