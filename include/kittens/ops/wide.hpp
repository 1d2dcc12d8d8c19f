// SPDX-License-Identifier: Apache-2.0
// Vectors a row long: maps and reductions of several vectors in one pass, and stores that need not stay in a cache. What
// memory-bound kernels are made of.
#pragma once

#include <kittens/base/store_policy.hpp>
#include <kittens/ops/lowering.hpp>

#if KITTENS_HAS_TILE_OPS
#include <kittens/ops/memory_operand.hpp>
#include <kittens/ops/movement.hpp>
#include <kittens/ops/reductions.hpp>
#endif

#if KITTENS_HAS_TILE_OPS

#if defined(KITTENS_TARGET_CPU)
#include <kittens/target/cpu/wide.hpp>
#else
#include <kittens/target/xe/wide.hpp>
#endif

namespace kittens::inline KITTENS_NS {

/// dst[i] = f(src[i]...), in the compute type, rounded to dst's element type once. dst may be a source. A function of `auto` is
/// called with whole native vectors on cpu: write it with operators and round_as alone.
template <ducks::rv::all D, class F, class... S>
KITTENS_INLINE void map_with(D& dst, F f, const S&... src) {
    static_assert(sizeof...(S) > 0, "map_with: there must be at least one operand");
    const lower::operation<D> op("map_with");
    lower::map_with(dst, f, src...);
}

/// dst[i] = src[i ^ Distance]: neighbouring blocks of Distance elements change places. Distance is a power of two below the
/// length. On xe: no instruction for 1, 2, 4 and for 128 on, else a shuffle for each word.
template <int Distance, ducks::rv::wide V>
KITTENS_INLINE void swap_blocks(V& dst, const V& src) {
    static_assert(Distance > 0 && (Distance & (Distance - 1)) == 0 && Distance < V::length, "swap_blocks: the distance (first parameter) must be a power of two below the vector's length");
    const lower::operation<V> op("swap_blocks");
    lower::swap_blocks<Distance>(dst, src);
}
/// The same for a distance of 8, 16, 32 or 64 that is known at run time alone; it must be the same in all lanes.
template <ducks::rv::wide V>
KITTENS_INLINE void swap_blocks(V& dst, const V& src, int distance) {
    const lower::operation<V> op("swap_blocks");
    lower::swap_blocks(dst, src, distance);
}

/// Op over f(src[i]...) for all i, the same in every lane. f as for map_with.
template <class Op, class F, ducks::rv::all V, ducks::rv::all... S>
KITTENS_INLINE auto reduce_with(F f, const V& first, const S&... more) {
    static_assert(V::length % 16 == 0, "reduce_with: the length of the vectors must be a multiple of 16");
    static_assert(((S::length == V::length && S::form == V::form) && ...), "reduce_with: all vectors must have the same length and form");
    const lower::operation<V> op("reduce_with");
    return lower::reduce_with<Op, V>(f, first, more...);
}
/// The same over operands of which the first is in memory; each stands for a vector of type RV.
template <class Op, class F, ducks::rv::wide RV, ducks::gl::all GL, class... S>
KITTENS_INLINE auto reduce_with(F f, const memory_operand<RV, GL>& first, const S&... more) {
    const lower::operation<RV> op("reduce_with");
    return lower::reduce_with<Op, RV>(f, first, more...);
}

/// x rounded to T and back, for a float or, inside a function of `auto`, for what it is given.
template <class T, class X> KITTENS_INLINE X round_as(X x) { return lower::round_as<T>(x); }

/// Ends a subgroup's streaming stores: whoever is told of the results afterwards (by a barrier, or by the end of the launch) finds
/// them. A kernel that stores with a policy calls it before either.
KITTENS_INLINE void finish_stores(store_policy how) { lower::finish_stores(how == store_policy::streaming); }

/// store_wide with a policy, which must be the same in all lanes.
template <ducks::gl::all GL, ducks::rv::wide RV>
KITTENS_INLINE void store_wide(const GL& dst, const RV& src, coord<RV> at, store_policy how) {
    static_assert(!GL::is_read_only, "store_wide: the global layout (first argument) holds const elements");
    const lower::operation<RV> op("store_wide", at);
    lower::store_vector_as(dst, src, lower::place{at.b, at.d, at.r, at.c * RV::length}, how == store_policy::streaming);
}

/// Elements at.c * RV::length + i of a row of dst become f(src[i]...), rounded once: map_with and store_wide without a vector in
/// between. Operands are wide vectors or in_memory.
template <ducks::rv::wide RV, ducks::gl::all GL, class F, class... S>
KITTENS_INLINE void store_with(const GL& dst, coord<RV> at, store_policy how, F f, const S&... src) {
    static_assert(!GL::is_read_only, "store_with: the global layout (first argument) holds const elements");
    const lower::operation<RV> op("store_with", at);
    lower::store_with<RV>(dst, lower::place{at.b, at.d, at.r, at.c * RV::length}, how == store_policy::streaming, f, src...);
}

}  // namespace kittens::inline KITTENS_NS

#endif
