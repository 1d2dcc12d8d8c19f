// SPDX-License-Identifier: Apache-2.0
// Movement element by element, each lane its own: for tensors that 2-D block instructions do not take, and for vectors.
#pragma once

#include <kittens/ops/place.hpp>
#include <kittens/target/xe/conversions.hpp>
#include <kittens/tile/gl.hpp>

namespace kittens::inline KITTENS_NS::lower {

/// Bits of element (row, col) of the matrix that `p` points to, zero outside of rows x cols.
template <class T, class GL>
KITTENS_INLINE int load_bits(const GL& g, const KITTENS_GLOBAL T* p, int row, int col) {
    int bits = 0;
    if (row < g.rows() && col < g.cols()) {
        const KITTENS_GLOBAL T* at = p + (std::int64_t(row) * g.row_stride + col);
        if constexpr (sizeof(T) == 4) bits = isa::load_global((const KITTENS_GLOBAL int*)at);
        else if constexpr (sizeof(T) == 2) bits = int(isa::load_global((const KITTENS_GLOBAL unsigned short*)at));
        else bits = int(isa::load_global((const KITTENS_GLOBAL unsigned char*)at));
    }
    return bits;
}

template <class T, class GL>
KITTENS_INLINE void store_bits(const GL& g, KITTENS_GLOBAL T* p, int row, int col, int bits) {
    if (row < g.rows() && col < g.cols()) {
        KITTENS_GLOBAL T* at = p + (std::int64_t(row) * g.row_stride + col);
        if constexpr (sizeof(T) == 4) isa::store_global((KITTENS_GLOBAL int*)at, bits);
        else if constexpr (sizeof(T) == 2) isa::store_global((KITTENS_GLOBAL unsigned short*)at, (unsigned short)bits);
        else isa::store_global((KITTENS_GLOBAL unsigned char*)at, (unsigned char)bits);
    }
}

/// Tile element (i, j) from memory (at.row + i, at.col + j), or from (at.row + j, at.col + i) where Transposed.
template <bool Transposed = false, class RT, class GL>
KITTENS_INLINE void load_plain(RT& dst, const GL& src, const place& at) {
    using G = typename GL::value_type;
    const KITTENS_GLOBAL G* p = src.matrix(at.b, at.d);
    const int lane = isa::lane();
    constexpr int wide = RT::frag::map::paired ? 2 : 1;
    KITTENS_UNROLL
    for (int c = 0; c < RT::cols / 16; c += wide) {
        KITTENS_UNROLL
        for (int r = 0; r < RT::rows; ++r) {
            const auto bits = [&](int c16) {
                const int i = r, j = c16 * 16 + lane;
                return detail::convert_bits<typename RT::element, G>(Transposed ? load_bits(src, p, at.row + j, at.col + i) : load_bits(src, p, at.row + i, at.col + j));
            };
            if constexpr (RT::frag::map::paired) {
                const int x = bits(c), x2 = bits(c + 1);
                detail::write_bits(dst, r, c, x, x2);
            } else detail::write_bits(dst, r, c, bits(c));
        }
    }
}

template <class GL, class RT>
KITTENS_INLINE void store_plain(const GL& dst, const RT& src, const place& at) {
    using G = typename GL::value_type;
    KITTENS_GLOBAL G* p = dst.matrix(at.b, at.d);
    const int lane = isa::lane();
    KITTENS_UNROLL
    for (int c = 0; c < RT::cols / 16; ++c) {
        KITTENS_UNROLL
        for (int r = 0; r < RT::rows; ++r)
            store_bits(dst, p, at.row + r, at.col + c * 16 + lane, detail::convert_bits<G, typename RT::element>(detail::read_bits(src, r, c)));
    }
}

template <class RV, class GL>
KITTENS_INLINE void load_vector(RV& dst, const GL& src, const place& at) {
    using G = typename GL::value_type;
    using T = typename RV::element;
    const KITTENS_GLOBAL G* p = src.matrix(at.b, at.d);
    const int lane = isa::lane();
    KITTENS_UNROLL
    for (int i = 0; i < RV::words; ++i) {
        int bits = 0;
        if (16 * i + lane < RV::length) bits = load_bits(src, p, at.row, at.col + 16 * i + lane);
        // Through T, so that the value is one that T can represent, then to the compute type.
        dst.v[i] = __builtin_bit_cast(compute<T>, detail::convert_bits<std::conditional_t<is_integer_element<T>, int32, float>, T>(detail::convert_bits<T, G>(bits)));
    }
}

template <class GL, class RV>
KITTENS_INLINE void store_vector(const GL& dst, const RV& src, const place& at) {
    using G = typename GL::value_type;
    using T = typename RV::element;
    KITTENS_GLOBAL G* p = dst.matrix(at.b, at.d);
    const int lane = isa::lane();
    KITTENS_UNROLL
    for (int i = 0; i < RV::words; ++i)
        if (16 * i + lane < RV::length)
            store_bits(dst, p, at.row, at.col + 16 * i + lane,
                       detail::convert_bits<G, std::conditional_t<is_integer_element<T>, int32, float>>(__builtin_bit_cast(int, src.v[i])));
}

}  // namespace kittens::inline KITTENS_NS::lower
