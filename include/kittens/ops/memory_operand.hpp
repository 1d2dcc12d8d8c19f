// SPDX-License-Identifier: Apache-2.0
// A part of a row in memory as an operand of the operations on long vectors.
#pragma once

#include <kittens/ops/place.hpp>
#include <kittens/tile/gl.hpp>
#include <kittens/tile/rt.hpp>

namespace kittens::inline KITTENS_NS {

/// Memory that is read soon: at a distance from `first`, in bytes, in so many that lie there without gaps, or 0.
struct lines_soon {
    const char* first = nullptr;
    std::uint64_t at = 0, whole = 0;
};

/// A part of a row in memory as an operand of map_with and store_with: what load_wide into a vector of type RV would bring.
/// Swapped: neighbouring blocks of `distance` elements have changed places.
template <ducks::rv::wide RV, ducks::gl::all GL, bool Swapped = false> struct memory_operand {
    using vector = RV;
    static constexpr bool swapped = Swapped;
    const GL& from;
    coord<RV> at;
    lines_soon soon[2] = {};
    int distance = 0;

    /// The same with neighbouring blocks of so many elements exchanged, as swap_blocks does: 1, or a power of two from 8 on below
    /// the vector's length; the same in all lanes.
    KITTENS_INLINE memory_operand<RV, GL, true> with_blocks_swapped(int blocks) const { return {from, at, {soon[0], soon[1]}, blocks}; }

    /// What lies at `next` is read soon, or, of a tensor without gaps between its rows, what lies some kilobytes behind it: a target
    /// without hardware that sees it (cpu) asks memory for it while it works on this one. Twice at most.
    template <class G> KITTENS_INLINE memory_operand asking_for(const G& g, coord<RV> next) const {
        memory_operand r = *this;
#if defined(KITTENS_TARGET_CPU)
        if (next.r < g.rows()) {
            const auto* const first = reinterpret_cast<const char*>(g.matrix(next.b, next.d));
            const auto size = std::uint64_t(sizeof(*g.ptr)), row = std::uint64_t(g.row_stride) * size;
            r.soon[r.soon[0].first ? 1 : 0] = {first, std::uint64_t(next.r) * row + std::uint64_t(next.c) * RV::length * size, g.row_stride == g.cols() ? std::uint64_t(g.rows()) * row : 0};
        }
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
