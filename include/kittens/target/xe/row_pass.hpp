// SPDX-License-Identifier: Apache-2.0
// Passes over two rows, one after the other: there are other subgroups to go on with while memory is waited for.
#pragma once

#include <kittens/ops/maps.hpp>
#include <kittens/ops/shared.hpp>
#include <kittens/target/xe/wide.hpp>

namespace kittens::inline KITTENS_NS::lower {

/// Moments of the first n elements of a vector.
template <class RV> KITTENS_INLINE void moments_of_vector(float& sum, float& squares, RV& x, float shift, int n) {
    apply(x, x, [=](int i, float v) { return i < n ? v - shift : 0.0f; });
    sum = reduce_with<base_ops::sum, RV>([](auto d) { return d; }, x);
    squares = reduce_with<base_ops::sum, RV>([](auto d) { return d * d; }, x);
}

template <class RV, class GL, class F, class X, class... S>
KITTENS_INLINE void store_with_moments(float& sum, float& squares, const GL& dst, const place& at, bool streaming, bool finish, F f, float shift, const X& next, const S&... src) {
    if (finish) store_with<RV>(dst, at, streaming, f, src...);
    rv<float, RV::length, RV::form> x;
    map_with(x, [](auto v) { return v; }, next);
    moments_of_vector(sum, squares, x, shift, next.from.cols() - next.at.c * RV::length);
}

template <class RV, class GL, class F, class K, class G, class A, class B, class... S>
KITTENS_INLINE void store_with_moments_of_sum(float& sum, float& squares, const GL& dst, const place& at, bool streaming, bool finish, F f, bool measure, float shift, const K& kept, const G& sums,
                                              const place& next_at, const A& a, const B& b, const S&... src) {
    rv<float, RV::length, RV::form> x;
    if (finish) {
        load(x, kept);
        store_with<RV>(dst, at, streaming, f, x, src...);
    }
    if (!measure) return;
    map_with(x, [](auto v, auto w) { return round_as<typename K::element>(v + w); }, a, b);
    store(kept, x);
    store_vector_as(sums, x, next_at, streaming);
    moments_of_vector(sum, squares, x, shift, sums.cols() - next_at.col);
}

}  // namespace kittens::inline KITTENS_NS::lower
