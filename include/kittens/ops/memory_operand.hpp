// SPDX-License-Identifier: Apache-2.0
// A part of a row in memory as an operand of the operations on long vectors.
#pragma once

#include <kittens/ops/place.hpp>
#include <kittens/tile/gl.hpp>
#include <kittens/tile/rt.hpp>

namespace kittens::inline KITTENS_NS {

/// A part of a row in memory as an operand of map_with and store_with: what load_wide into a vector of type RV would bring.
/// Swapped: neighbouring blocks of `distance` elements have changed places.
template <ducks::rv::wide RV, ducks::gl::all GL, bool Swapped = false> struct memory_operand {
    using vector = RV;
    static constexpr bool swapped = Swapped;
    const GL& from;
    coord<RV> at;
    const void* soon[2] = {};
    int distance = 0;

    /// The same with neighbouring blocks of so many elements exchanged, as swap_blocks does: 1, or a power of two from 8 on below
    /// the vector's length; the same in all lanes.
    KITTENS_INLINE memory_operand<RV, GL, true> with_blocks_swapped(int blocks) const { return {from, at, {soon[0], soon[1]}, blocks}; }

    /// What the same places of another row hold is read soon: a target without hardware that sees it (cpu) asks memory for it
    /// while it works on this one. Twice at most.
    template <class G> KITTENS_INLINE memory_operand asking_for(const G& g, coord<RV> next) const {
        memory_operand r = *this;
#if defined(KITTENS_TARGET_CPU)
        if (next.r < g.rows()) r.soon[r.soon[0] ? 1 : 0] = g.matrix(next.b, next.d) + (std::int64_t(next.r) * g.row_stride + next.c * RV::length);
#else
        (void)g, (void)next;
#endif
        return r;
    }
};
template <ducks::rv::wide RV, ducks::gl::all GL> KITTENS_INLINE memory_operand<RV, GL> in_memory(const GL& from, coord<RV> at) { return {from, at}; }

}  // namespace kittens::inline KITTENS_NS

namespace kittens::inline KITTENS_NS::lower {
template <class S> inline constexpr bool is_memory_operand = requires { typename S::vector; };
}  // namespace kittens::inline KITTENS_NS::lower
