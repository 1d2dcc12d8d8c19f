// SPDX-License-Identifier: Apache-2.0
// Single elements as scalars that are the same in all lanes: an index that says where to read next, a result of one number.
#pragma once

#include <kittens/ops/lowering.hpp>
#include <kittens/ops/scope.hpp>
#include <kittens/tile/gl.hpp>
#include <kittens/tile/st.hpp>

#if KITTENS_HAS_TILE_OPS

#if defined(KITTENS_TARGET_CPU)
#include <kittens/target/cpu/element.hpp>
#else
#include <kittens/target/xe/element.hpp>
#endif

namespace kittens::inline KITTENS_NS {

/// Element (row, col) of matrix (0, 0), the same in every lane; row and col count elements and must lie inside.
template <ducks::gl::all GL> KITTENS_INLINE auto element_at(const GL& src, int row, int col) {
    static_assert(sizeof(typename GL::value_type) == 4, "element_at: the elements must be int32 or float");
    const lower::operation<GL> op("element_at");
    return lower::element_at(src, row, col);
}
/// Element i of a shared vector, the same in every lane.
template <ducks::sv::all SV> KITTENS_INLINE auto element_at(const SV& src, int i) {
    static_assert(sizeof(typename SV::element) == 4, "element_at: the elements must be int32 or float");
    const lower::operation<SV> op("element_at");
    return lower::element_at(src, i);
}

/// Sets element (row, col) of matrix (0, 0); x must be the same in all lanes.
template <ducks::gl::all GL> KITTENS_INLINE void set_element(const GL& dst, int row, int col, typename GL::value_type x) {
    static_assert(!GL::is_read_only, "set_element: the global layout (first argument) holds const elements");
    static_assert(sizeof(typename GL::value_type) == 4, "set_element: the elements must be int32 or float");
    const lower::operation<GL> op("set_element");
    lower::set_element(dst, row, col, x);
}
/// Sets element i of a shared vector.
template <ducks::sv::all SV> KITTENS_INLINE void set_element(const SV& dst, int i, typename SV::element x) {
    static_assert(sizeof(typename SV::element) == 4, "set_element: the elements must be int32 or float");
    const lower::operation<SV> op("set_element");
    lower::set_element(dst, i, x);
}

}  // namespace kittens::inline KITTENS_NS

#endif
