// SPDX-License-Identifier: Apache-2.0
// Element-wise work on register tiles and vectors. Nothing moves between lanes but the broadcast of per-row values.
#pragma once

#include <kittens/target/xe/conversions.hpp>

namespace kittens::inline KITTENS_NS::lower {

template <class RT> concept tile = requires { RT::tile_layout; };
template <class RV> concept vector = requires { RV::length; };

/// Applies f(row, column, value of each source) to every element of a tile; row and column count from the tile's corner.
template <tile D, class F, class... S>
KITTENS_INLINE void map_elements(D& dst, F f, const S&... src) {
    using frag = typename D::frag;
    const int lane = isa::lane();
    for_each_vector<D>([&](int r, int c, int v) {
        unpacked<frag, typename D::element> to;
        KITTENS_INLINE_CALLS [&](const auto&... from) {
            KITTENS_UNROLL
            for (int j = 0; j < frag::per_word; ++j) {
                KITTENS_UNROLL
                for (int i = 0; i < frag::vector_length; ++i) {
                    const int row = (mutated(mutant::mask_from_base_tile) ? 0 : r * D::base.rows) + row_of_element<frag, D::tile_layout>(v, i, j);
                    const int col = c * D::base.cols + col_of_element<frag, D::tile_layout>(v, j, lane);
                    KITTENS_INLINE_CALLS detail::set_component(to.part[j], i, compute<typename D::element>(f(row, col, detail::component(from.part[j], i)...)));
                }
            }
        }(unpack_vector(src, r, c, v)...);
        pack_vector(dst, r, c, v, to);
    });
}

template <tile D, class F> KITTENS_INLINE void map(D& dst, const D& a, F f) {
    map_elements(dst, [&](int, int, auto x) { KITTENS_INLINE_CALLS return f(x); }, a);
}
template <tile D, class F> KITTENS_INLINE void map(D& dst, const D& a, const D& b, F f) {
    map_elements(dst, [&](int, int, auto x, auto y) { KITTENS_INLINE_CALLS return f(x, y); }, a, b);
}
template <tile D, class F> KITTENS_INLINE void map_indexed(D& dst, const D& a, F f) { map_elements(dst, f, a); }
template <tile D, class X> KITTENS_INLINE void fill(D& dst, X value) {
    map_elements(dst, [&](int, int) { return value; });
}

/// Element `i` of a vector, in every lane. Collective.
template <vector V> KITTENS_INLINE auto element_everywhere(const V& v, int i) { 
    return isa::broadcast(v.v[i / subgroup_size], mutated(mutant::row_map_lane_overflow) ? i % subgroup_size * 2 : i % subgroup_size);
}

template <tile D, vector V, class F> KITTENS_INLINE void map_rows(D& dst, const D& a, const V& per_row, F f) {
    map_elements(dst, [&](int row, int, auto x) { KITTENS_INLINE_CALLS return f(x, compute<typename D::element>(element_everywhere(per_row, row))); }, a);
}
template <tile D, vector V, class F> KITTENS_INLINE void map_cols(D& dst, const D& a, const V& per_col, F f) {
    if constexpr (D::frag::map::paired) {
        // A lane holds two neighbouring columns: fetch each from the lane that has it.
        map_elements(dst, [&](int, int col, auto x) {
            const int block = col / 32 * 2;
            const auto low = isa::shuffle(per_col.v[block], col % 16), high = isa::shuffle(per_col.v[block + 1], col % 16);
            KITTENS_INLINE_CALLS return f(x, compute<typename D::element>(col % 32 < 16 ? low : high));
        }, a);
    } else {
        map_elements(dst, [&](int, int col, auto x) { KITTENS_INLINE_CALLS return f(x, compute<typename D::element>(per_col.v[(col - isa::lane()) / 16])); }, a);
    }
}

// Vectors.
template <vector D, class F> KITTENS_INLINE void map(D& dst, const D& a, F f) {
    KITTENS_UNROLL
    for (int i = 0; i < words_of<D>(); ++i) dst.v[i] = rounded<typename D::element>(f(a.v[i]));
}
template <vector D, class F> KITTENS_INLINE void map(D& dst, const D& a, const D& b, F f) {
    KITTENS_UNROLL
    for (int i = 0; i < words_of<D>(); ++i) dst.v[i] = rounded<typename D::element>(f(a.v[i], b.v[i]));
}
template <vector D, class F> KITTENS_INLINE void map_indexed(D& dst, const D& a, F f) {
    const int lane = isa::lane();
    KITTENS_UNROLL
    for (int i = 0; i < words_of<D>(); ++i) dst.v[i] = rounded<typename D::element>(f(D::index_of(i, lane), a.v[i]));
}
template <vector D, class X> KITTENS_INLINE void fill(D& dst, X value) {
    KITTENS_UNROLL
    for (int i = 0; i < words_of<D>(); ++i) dst.v[i] = rounded<typename D::element>(value);
}
template <vector D, vector S> KITTENS_INLINE void copy(D& dst, const S& src) {
    static_assert((D::form == vector_layout::wide) == (S::form == vector_layout::wide), "copy: a wide vector can only be copied to a wide vector");
    KITTENS_UNROLL
    for (int i = 0; i < words_of<D>(); ++i) {
        if constexpr (is_integer_element<typename D::element>) dst.v[i] = int(convert<typename D::element>(src.v[i]));
        else dst.v[i] = rounded<typename D::element>(float(src.v[i]));
    }
}

}  // namespace kittens::inline KITTENS_NS::lower
