// SPDX-License-Identifier: Apache-2.0
// A part of a row in memory as an operand of the operations on long vectors.
#pragma once

#include <kittens/ops/place.hpp>
#include <kittens/tile/gl.hpp>
#include <kittens/tile/rt.hpp>

namespace kittens::inline KITTENS_NS {

/// A part of a row in memory as an operand of map_with and store_with: what load_wide into a vector of type RV would bring.
template <ducks::rv::wide RV, ducks::gl::all GL> struct memory_operand {
    using vector = RV;
    const GL& from;
    coord<RV> at;
    const void* soon[2] = {};

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
/// An operand as a register vector.
template <class D, class S> KITTENS_INLINE decltype(auto) as_vector(const S& s) {
    if constexpr (is_memory_operand<S>) {
        rv<float, D::length, D::form> v;
        load_vector(v, s.from, place{s.at.b, s.at.d, s.at.r, s.at.c * D::length});
        return v;
    } else return (s);
}
}  // namespace kittens::inline KITTENS_NS::lower
