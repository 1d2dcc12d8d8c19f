// SPDX-License-Identifier: Apache-2.0
// Alternating rows, and moves from memory to memory, on xe.
#pragma once

#include <kittens/target/xe/math.hpp>
#include <kittens/target/xe/wide.hpp>

namespace kittens::inline KITTENS_NS::lower {

KITTENS_INLINE float exp2_of(float x) { return lower::exp2(x); }
KITTENS_INLINE float recip_of(float x) { return lower::recip(x); }

template <class RV, class GL>
KITTENS_INLINE void load_interleaved(RV& even, RV& odd, const GL& src, const place& at) {
    using G = typename GL::value_type;
    using chunk = xe_vec::vec<unsigned, 4>;
    const KITTENS_GLOBAL G* p = src.matrix(at.b, at.d);
    const int lane = isa::lane();
    KITTENS_UNROLL
    for (int w = 0; w < RV::words; w += 8) {
        KITTENS_UNROLL
        for (int half_of = 0; half_of < 2; ++half_of) {
            const int col = at.col + 2 * RV::index_of(w, lane) + 8 * half_of, to = w + 4 * half_of;
            const KITTENS_GLOBAL G* first = p + (std::int64_t(at.row) * src.row_stride + col);
            if (detail::wide_ok(src, first, at.row, col)) {
                const chunk c = isa::load_global((const KITTENS_GLOBAL chunk*)first);
                KITTENS_UNROLL
                for (int i = 0; i < 4; ++i) {
                    even.v[to + i] = detail::vector_value<float, G>(detail::element_of_pack<2>(c, 2 * i));
                    odd.v[to + i] = detail::vector_value<float, G>(detail::element_of_pack<2>(c, 2 * i + 1));
                }
            } else {
                KITTENS_UNROLL
                for (int i = 0; i < 4; ++i) {
                    even.v[to + i] = detail::vector_value<float, G>(load_bits(src, p, at.row, col + 2 * i));
                    odd.v[to + i] = detail::vector_value<float, G>(load_bits(src, p, at.row, col + 2 * i + 1));
                }
            }
        }
    }
}

template <class RV, class D, class S>
KITTENS_INLINE void move_wide(const D& dst, const place& to, const S& src, const place& from, bool) {
    using T = typename D::value_type;
    using chunk = xe_vec::vec<unsigned, 4>;
    constexpr int accesses = int(sizeof(T)) / 2;
    const KITTENS_GLOBAL T* p = src.matrix(from.b, from.d);
    KITTENS_GLOBAL T* q = dst.matrix(to.b, to.d);
    const int lane = isa::lane();
    KITTENS_UNROLL
    for (int w = 0; w < RV::words; w += 8) {
        const int in = from.col + RV::index_of(w, lane), out = to.col + RV::index_of(w, lane);
        const KITTENS_GLOBAL T* read = p + (std::int64_t(from.row) * src.row_stride + in);
        KITTENS_GLOBAL T* write = q + (std::int64_t(to.row) * dst.row_stride + out);
        if (detail::wide_ok(src, read, from.row, in) && detail::wide_ok(dst, (const KITTENS_GLOBAL T*)write, to.row, out)) {
            KITTENS_UNROLL
            for (int a = 0; a < accesses; ++a) isa::store_global((KITTENS_GLOBAL chunk*)write + a, isa::load_global((const KITTENS_GLOBAL chunk*)read + a));
        } else {
            KITTENS_UNROLL
            for (int i = 0; i < 8; ++i) store_bits(dst, q, to.row, out + i, load_bits(src, p, from.row, in + i));
        }
    }
}

}  // namespace kittens::inline KITTENS_NS::lower
