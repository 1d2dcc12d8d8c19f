// SPDX-License-Identifier: Apache-2.0
// Single elements on xe: all lanes read one address, one lane writes.
#pragma once

#include <kittens/target/xe/shared.hpp>

namespace kittens::inline KITTENS_NS::lower {

template <class GL> KITTENS_INLINE auto element_at(const GL& src, int row, int col) {
    using T = typename GL::value_type;
    const KITTENS_GLOBAL int* p = (const KITTENS_GLOBAL int*)(src.matrix(0, 0) + (std::int64_t(row) * src.row_stride + col));
    return __builtin_bit_cast(T, isa::broadcast(isa::load_global(p), 0));
}
template <class SV> KITTENS_INLINE auto element_at(const SV& src, int i) {
    using T = typename SV::element;
    detail::order_lanes();
    return __builtin_bit_cast(T, isa::broadcast(detail::load_local_bits(src.data + i), 0));
}
template <class GL, class T> KITTENS_INLINE void set_element(const GL& dst, int row, int col, T x) {
    if (isa::lane() == 0) isa::store_global((KITTENS_GLOBAL int*)(dst.matrix(0, 0) + (std::int64_t(row) * dst.row_stride + col)), __builtin_bit_cast(int, x));
}
template <class SV, class T> KITTENS_INLINE void set_element(const SV& dst, int i, T x) {
    detail::order_lanes();
    if (isa::lane() == 0) detail::store_local_bits(dst.data + i, __builtin_bit_cast(int, x));
}

}  // namespace kittens::inline KITTENS_NS::lower
