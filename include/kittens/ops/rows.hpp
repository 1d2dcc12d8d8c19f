// SPDX-License-Identifier: Apache-2.0
// More for kernels over rows: functions that map_with, reduce_with and store_with may use inside a function of `auto`, rows
// whose elements alternate, and pieces of rows that go from memory to memory as they are.
#pragma once

#include <kittens/ops/wide.hpp>

#if KITTENS_HAS_TILE_OPS

#if defined(KITTENS_TARGET_CPU)
#include <kittens/target/cpu/rows.hpp>
#else
#include <kittens/target/xe/rows.hpp>
#endif

namespace kittens::inline KITTENS_NS {

/// 2^x and 1 / x, for a float or, inside a function of `auto`, for what it is given; as exp2 and recip of tiles.
template <class X> KITTENS_INLINE X exp2_of(X x) { return lower::exp2_of(x); }
template <class X> KITTENS_INLINE X recip_of(X x) { return lower::recip_of(x); }
/// x / (1 + e^-x)
template <class X> KITTENS_INLINE X silu_of(X x) { return x * recip_of(exp2_of(x * -1.44269504088896340736f) + 1.0f); }

/// even[i] = element 2 (at.c * length + i) of a row of src, odd[i] = the element after it; zero outside the tensor. `at` counts
/// in vectors of pairs. Where the row allows it, a lane reads its 16 elements by accesses of 128 bits.
template <ducks::rv::wide RV, ducks::gl::all GL>
KITTENS_INLINE void load_interleaved(RV& even, RV& odd, const GL& src, coord<RV> at) {
    static_assert(sizeof(typename GL::value_type) == 2 && std::is_same_v<typename RV::element, float>, "load_interleaved: 16-bit elements in memory, vectors of float");
    const lower::operation<RV> op("load_interleaved", at);
    lower::load_interleaved(even, odd, src, lower::place{at.b, at.d, at.r, at.c * 2 * RV::length});
}

/// Elements to.c * RV::length + i of a row of dst become elements from.c * RV::length + i of a row of src, bit for bit; what is
/// outside of dst is dropped, outside of src zero. 128 bits a lane where both rows allow it.
template <ducks::rv::wide RV, ducks::gl::all D, ducks::gl::all S>
KITTENS_INLINE void move_wide(const D& dst, coord<RV> to, const S& src, coord<RV> from, store_policy how) {
    static_assert(!D::is_read_only, "move_wide: the global layout (first argument) holds const elements");
    static_assert(std::is_same_v<typename D::value_type, typename S::value_type> && sizeof(typename D::value_type) >= 2, "move_wide: both layouts must have the same element type, of 16 or 32 bits");
    const lower::operation<RV> op("move_wide", to);
    lower::move_wide<RV>(dst, lower::place{to.b, to.d, to.r, to.c * RV::length}, src, lower::place{from.b, from.d, from.r, from.c * RV::length}, how == store_policy::streaming);
}

}  // namespace kittens::inline KITTENS_NS

#endif
