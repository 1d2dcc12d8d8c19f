// SPDX-License-Identifier: Apache-2.0
// Movement element by element, each lane its own: for tensors that 2-D block instructions do not take, and for vectors.
#pragma once

#include <kittens/ops/place.hpp>
#include <kittens/target/xe/conversions.hpp>
#include <kittens/tile/gl.hpp>

namespace kittens::inline KITTENS_NS::lower {

/// Bits of element (row, col) of the matrix that `p` points to, zero outside of rows x cols. Without a branch: outside,
/// the first element is read and dropped.
template <class T, class GL>
KITTENS_INLINE int load_bits(const GL& g, const KITTENS_GLOBAL T* p, int row, int col) {
    const bool inside = mutated(mutant::no_load_edge) || (row >= 0 && col >= 0 && row < g.rows() && col < g.cols());
    const KITTENS_GLOBAL T* at = p + (inside ? std::int64_t(row) * g.row_stride + col : 0);
    int bits;
    if constexpr (sizeof(T) == 4) bits = isa::load_global((const KITTENS_GLOBAL int*)at);
    else if constexpr (sizeof(T) == 2) bits = int(isa::load_global((const KITTENS_GLOBAL unsigned short*)at));
    else bits = int(isa::load_global((const KITTENS_GLOBAL unsigned char*)at));
    return inside ? bits : 0;
}

template <class T, class GL>
KITTENS_INLINE void store_bits(const GL& g, KITTENS_GLOBAL T* p, int row, int col, int bits) {
    if (mutated(mutant::no_store_edge) || (row >= 0 && col >= 0 && row < g.rows() && col < g.cols())) {
        KITTENS_GLOBAL T* at = p + (std::int64_t(row) * g.row_stride + col);
        if constexpr (sizeof(T) == 4) isa::store_global((KITTENS_GLOBAL int*)at, bits);
        else if constexpr (sizeof(T) == 2) isa::store_global((KITTENS_GLOBAL unsigned short*)at, (unsigned short)bits);
        else isa::store_global((KITTENS_GLOBAL unsigned char*)at, (unsigned char)bits);
    }
}

/// Eight elements of this lane, converted: (row + i, col), or (row, col + i) where Transposed.
template <class T, bool Transposed, class GL>
KITTENS_INLINE_NATIVE void load_eight(const GL& g, const KITTENS_GLOBAL typename GL::value_type* p, int row, int col, int (&x)[8]) {
    KITTENS_UNROLL
    for (int i = 0; i < 8; ++i)
        x[i] = detail::convert_bits<T, typename GL::value_type>(Transposed ? load_bits(g, p, row, col + i) : load_bits(g, p, row + i, col));
}
template <class T, class GL>
KITTENS_INLINE_NATIVE void store_eight(const GL& g, KITTENS_GLOBAL typename GL::value_type* p, int row, int col, const int (&x)[8]) {
    KITTENS_UNROLL
    for (int i = 0; i < 8; ++i) store_bits(g, p, row + i, col, detail::convert_bits<typename GL::value_type, T>(x[i]));
}

/// Tile element (i, j) from packed memory: (at.row + i / p, at.col + j p + i % p), where p elements fill 32 bits.
template <class RT, class GL>
KITTENS_INLINE void load_plain_packed(RT& dst, const GL& src, const place& at) {
    using T = typename RT::element;
    constexpr int pack = 4 / int(sizeof(T));
    const auto* p = src.matrix(at.b, at.d);
    const int lane = isa::lane();
    constexpr int wide = RT::frag::map::paired ? 2 : 1;
    KITTENS_UNROLL
    for (int c = 0; c < RT::cols / 16; c += wide) {
        KITTENS_UNROLL
        for (int i = 0; i < RT::rows; ++i) {
            int x[wide];
            KITTENS_UNROLL
            for (int w = 0; w < wide; ++w) x[w] = load_bits(src, p, at.row + i / pack, at.col + ((c + w) * 16 + lane) * pack + i % pack);
            detail::write_bits(dst, i, c, x[0], x[wide - 1]);
        }
    }
}

/// Tile element (i, j) from memory (at.row + i, at.col + j), or from (at.row + j, at.col + i) where Transposed.
template <bool Transposed = false, class RT, class GL>
KITTENS_INLINE void load_plain(RT& dst, const GL& src, const place& at) {
    using T = typename RT::element;
    const auto* p = src.matrix(at.b, at.d);
    const int lane = isa::lane();
    constexpr int wide = RT::frag::map::paired ? 2 : 1;
    KITTENS_UNROLL
    for (int c = 0; c < RT::cols / 16; c += wide) {
        KITTENS_UNROLL
        for (int r = 0; r < RT::rows; r += 8) {
            int x[wide][8];
            KITTENS_UNROLL
            for (int w = 0; w < wide; ++w) {
                const int j = (c + w) * 16 + lane;
                if constexpr (Transposed) load_eight<T, true>(src, p, at.row + j, at.col + r, x[w]);
                else load_eight<T, false>(src, p, at.row + r, at.col + j, x[w]);
            }
            KITTENS_UNROLL
            for (int i = 0; i < 8; ++i) detail::write_bits(dst, r + i, c, x[0][i], x[wide - 1][i]);
        }
    }
}

/// Hands each lane's elements to `put(pointer, row, column, bits)`, eight rows of one column at a time.
template <class GL, class RT, class Put>
KITTENS_INLINE void put_eights(const GL& dst, const RT& src, const place& at, Put put) {
    auto* p = dst.matrix(at.b, at.d);
    const int lane = isa::lane();
    KITTENS_UNROLL
    for (int c = 0; c < RT::cols / 16; ++c) {
        KITTENS_UNROLL
        for (int r = 0; r < RT::rows; r += 8) {
            int x[8];
            KITTENS_UNROLL
            for (int i = 0; i < 8; ++i) x[i] = detail::read_bits(src, r + i, c);
            KITTENS_INLINE_CALLS put(p, at.row + r, at.col + c * 16 + lane, x);
        }
    }
}

template <class GL, class RT>
KITTENS_INLINE void store_plain(const GL& dst, const RT& src, const place& at) {
    put_eights(dst, src, at, [&](auto* p, int row, int col, const int (&x)[8]) { store_eight<typename RT::element>(dst, p, row, col, x); });
}

/// Adds eight elements of this lane, (row + i, col), to memory.
template <class T, class GL>
KITTENS_INLINE_NATIVE void add_eight(const GL& g, KITTENS_GLOBAL T* p, int row, int col, const int (&x)[8]) {
    KITTENS_UNROLL
    for (int i = 0; i < 8; ++i)
        if (row + i >= 0 && col >= 0 && row + i < g.rows() && col < g.cols())
            isa::atomic_add(p + (std::int64_t(row + i) * g.row_stride + col), __builtin_bit_cast(T, x[i]));
}

template <class GL, class RT>
KITTENS_INLINE void store_add(const GL& dst, const RT& src, const place& at) {
    put_eights(dst, src, at, [&](auto* p, int row, int col, const int (&x)[8]) { add_eight<typename RT::element>(dst, p, row, col, x); });
}

namespace detail {
template <class T> using compute_element = std::conditional_t<is_integer_element<T>, int32, float>;

/// Through T, so that the value is one that T can represent, to the compute type.
template <class T, class G> KITTENS_INLINE compute<T> vector_value(int bits) {
    return __builtin_bit_cast(compute<T>, convert_bits<compute_element<T>, T>(convert_bits<T, G>(bits)));
}
template <class G, class T> KITTENS_INLINE int vector_bits(compute<T> x) {
    return convert_bits<G, compute_element<T>>(__builtin_bit_cast(int, x));
}
/// Element i of a pack of `Size`-byte elements, zero-extended.
template <int Size, class Pack> KITTENS_INLINE int element_of_pack(const Pack& pack, int i) {
    constexpr int per_word = 4 / Size;
    const unsigned word = pack[i / per_word];
    if constexpr (Size == 4) return int(word);
    else return int(word >> (i % per_word * 8 * Size) & ((1u << 8 * Size) - 1u));
}
/// Whether eight elements from column `col` on, at address `p`, may be moved in one go: inside the row, and aligned.
template <class T, class GL> KITTENS_INLINE bool wide_ok(const GL& g, const KITTENS_GLOBAL T* p, int row, int col) {
    return row >= 0 && col >= 0 && row < g.rows() && col + 8 <= g.cols() && (std::uintptr_t)p % (sizeof(T) == 1 ? 8 : 16) == 0;
}
/// Whether the layout's type says that eight elements from a multiple of eight columns on are aligned, and all of them
/// inside a row or none: then there is no element-by-element case to compile.
template <class GL> constexpr bool whole_chunks() {
    if constexpr (GL::mode != access::block) return false;
    else if constexpr (requires { std::integral_constant<int, decltype(GL::col_count)::value()>{}; }) return decltype(GL::col_count)::value() % 8 == 0;
    else return false;
}
template <class GL> KITTENS_INLINE bool inside(const GL& g, int row, int col) { return row >= 0 && col >= 0 && row < g.rows() && col < g.cols(); }
}  // namespace detail

/// In wide form a lane moves eight elements by accesses of 16 bytes, where the row's start and length allow it.
template <class RV, class GL>
KITTENS_INLINE void load_vector(RV& dst, const GL& src, const place& at) {
    using G = typename GL::value_type;
    using T = typename RV::element;
    const KITTENS_GLOBAL G* p = src.matrix(at.b, at.d);
    const int lane = isa::lane();
    if constexpr (RV::form == vector_layout::wide) {
        constexpr int access_bytes = sizeof(G) == 1 ? 8 : 16, accesses = 8 * sizeof(G) / access_bytes;
        using chunk = xe_vec::vec<unsigned, access_bytes / 4>;
        KITTENS_UNROLL
        for (int w = 0; w < RV::words; w += 8) {
            const int col = at.col + RV::index_of(w, lane ^ int(mutated(mutant::wide_lane_order)));
            const KITTENS_GLOBAL G* first = p + (std::int64_t(at.row) * src.row_stride + col);
            if (detail::whole_chunks<GL>() ? detail::inside(src, at.row, col) : detail::wide_ok(src, first, at.row, col)) {
                const auto* q = (const KITTENS_GLOBAL chunk*)first;
                KITTENS_UNROLL
                for (int a = 0; a < accesses; ++a) {
                    const chunk c = isa::load_global(q + a);
                    KITTENS_UNROLL
                    for (int i = 0; i < 8 / accesses; ++i) dst.v[w + a * (8 / accesses) + i] = detail::vector_value<T, G>(detail::element_of_pack<int(sizeof(G))>(c, i));
                }
            } else {
                KITTENS_UNROLL
                for (int i = 0; i < 8; ++i) dst.v[w + i] = detail::vector_value<T, G>(detail::whole_chunks<GL>() ? 0 : load_bits(src, p, at.row, col + i));
            }
        }
    } else {
        KITTENS_UNROLL
        for (int w = 0; w < RV::words; ++w) {
            int bits = 0;
            if (RV::index_of(w, lane) < RV::length) bits = load_bits(src, p, at.row, at.col + RV::index_of(w, lane));
            dst.v[w] = detail::vector_value<T, G>(bits);
        }
    }
}

template <class GL, class RV>
KITTENS_INLINE void store_vector(const GL& dst, const RV& src, const place& at) {
    using G = typename GL::value_type;
    using T = typename RV::element;
    KITTENS_GLOBAL G* p = dst.matrix(at.b, at.d);
    const int lane = isa::lane();
    if constexpr (RV::form == vector_layout::wide) {
        constexpr int access_bytes = sizeof(G) == 1 ? 8 : 16, accesses = 8 * sizeof(G) / access_bytes, per_word = 4 / int(sizeof(G));
        using chunk = xe_vec::vec<unsigned, access_bytes / 4>;
        KITTENS_UNROLL
        for (int w = 0; w < RV::words; w += 8) {
            const int col = at.col + RV::index_of(w, lane);
            KITTENS_GLOBAL G* first = p + (std::int64_t(at.row) * dst.row_stride + col);
            if (detail::whole_chunks<GL>() ? detail::inside(dst, at.row, col) : detail::wide_ok(dst, first, at.row, col)) {
                auto* q = (KITTENS_GLOBAL chunk*)first;
                KITTENS_UNROLL
                for (int a = 0; a < accesses; ++a) {
                    chunk c{};
                    KITTENS_UNROLL
                    for (int i = 0; i < 8 / accesses; ++i)
                        c[i / per_word] |= unsigned(detail::vector_bits<G, T>(src.v[w + a * (8 / accesses) + i]) & detail::element_mask<G>) << (i % per_word * 8 * int(sizeof(G)));
                    isa::store_global(q + a, c);
                }
            } else if (!detail::whole_chunks<GL>()) {
                KITTENS_UNROLL
                for (int i = 0; i < 8; ++i) store_bits(dst, p, at.row, col + i, detail::vector_bits<G, T>(src.v[w + i]));
            }
        }
    } else {
        KITTENS_UNROLL
        for (int w = 0; w < RV::words; ++w)
            if (RV::index_of(w, lane) < RV::length) store_bits(dst, p, at.row, at.col + RV::index_of(w, lane), detail::vector_bits<G, T>(src.v[w]));
    }
}

}  // namespace kittens::inline KITTENS_NS::lower
