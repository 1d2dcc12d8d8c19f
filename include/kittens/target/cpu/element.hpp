// SPDX-License-Identifier: Apache-2.0
// Single elements on the cpu target.
#pragma once

#include <kittens/base/target.hpp>

#include <cstdint>

namespace kittens::inline KITTENS_NS::lower {

template <class GL> KITTENS_INLINE auto element_at(const GL& src, int row, int col) {
    return typename GL::value_type(src.matrix(0, 0)[std::int64_t(row) * src.row_stride + col]);
}
template <class SV> KITTENS_INLINE auto element_at(const SV& src, int i) { return typename SV::element(src.data[i]); }
template <class GL, class T> KITTENS_INLINE void set_element(const GL& dst, int row, int col, T x) { dst.matrix(0, 0)[std::int64_t(row) * dst.row_stride + col] = x; }
template <class SV, class T> KITTENS_INLINE void set_element(const SV& dst, int i, T x) { dst.data[i] = x; }

}  // namespace kittens::inline KITTENS_NS::lower
