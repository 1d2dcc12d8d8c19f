// SPDX-License-Identifier: Apache-2.0
// One pass over two rows: results of the one leave while the other is measured. A kernel that first measures a row and then stores
// it has memory wait for the measuring; taken line by line beside each other, the two overlap.
#pragma once

#include <kittens/ops/shared.hpp>
#include <kittens/ops/wide.hpp>

#if KITTENS_HAS_TILE_OPS

#if defined(KITTENS_TARGET_CPU)
#include <kittens/target/cpu/row_pass.hpp>
#else
#include <kittens/target/xe/row_pass.hpp>
#endif

namespace kittens::inline KITTENS_NS {

/// The sum of d(x) = x - shift over a part of a row, and of its square. With a shift that is the mean of some of a row's elements,
/// squares - sum^2 / n loses at most as many units in the last place as the row is longer than they (their mean's distance to
/// the row's is bounded by the row's own variance).
struct row_moments {
    float sum = 0, squares = 0;
};

/// Stores f(src...) to elements at.c * RV::length + i of a row of dst, as store_with does, where `finish` (the same in all lanes),
/// and returns the moments of `next`, which is in_memory; elements outside of its tensor do not count.
template <ducks::rv::wide RV, ducks::gl::all GL, class F, class X, class... S>
KITTENS_INLINE row_moments store_with_moments(const GL& dst, coord<RV> at, store_policy how, bool finish, F f, float shift, const X& next, const S&... src) {
    static_assert(!GL::is_read_only, "store_with_moments: the global layout (first argument) holds const elements");
    const lower::operation<RV> op("store_with_moments", at);
    row_moments m;
    lower::store_with_moments<RV>(m.sum, m.squares, dst, lower::place{at.b, at.d, at.r, at.c * RV::length}, how == store_policy::streaming, finish, f, shift, next, src...);
    return m;
}

/// The same of a sum of two operands: its elements, rounded, replace those of `kept`, which f takes first, and are
/// stored where the row `next_at` of `sums` has its place, which may be where b lies. All that where `measure`.
template <ducks::rv::wide RV, ducks::gl::all GL, class F, ducks::sv::all K, ducks::gl::all G, class A, class B, class... S>
KITTENS_INLINE row_moments store_with_moments_of_sum(const GL& dst, coord<RV> at, store_policy how, bool finish, F f, bool measure, float shift, const K& kept, const G& sums,
                                                     coord<RV> next_at, const A& a, const B& b, const S&... src) {
    static_assert(!GL::is_read_only && !G::is_read_only, "store_with_moments_of_sum: a global layout that is stored to holds const elements");
    static_assert(K::length == RV::length && std::is_same_v<typename K::element, typename G::value_type>, "store_with_moments_of_sum: the shared vector must be as long as the wide vector, and of the sums' element type");
    const lower::operation<RV> op("store_with_moments_of_sum", at);
    row_moments m;
    lower::store_with_moments_of_sum<RV>(m.sum, m.squares, dst, lower::place{at.b, at.d, at.r, at.c * RV::length}, how == store_policy::streaming, finish, f, measure, shift, kept, sums,
                                         lower::place{next_at.b, next_at.d, next_at.r, next_at.c * RV::length}, a, b, src...);
    return m;
}

}  // namespace kittens::inline KITTENS_NS

#endif
