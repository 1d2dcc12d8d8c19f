// SPDX-License-Identifier: Apache-2.0
//
// The software instruction library: matrix and 2-D block instructions for OpenCL devices that have none, written on the
// lane maps of kittens/model. isa.hpp includes it for the software module (KITTENS_XE_SOFTWARE); a kernel's native module
// does not contain it.
//
// One function per shape, never inlined: inlining everything makes the device's compiler ten times slower. A shape that the
// library does not know is refused by isa.hpp's checks at compile time.
#pragma once

#include <kittens/model/block_layout.hpp>
#include <kittens/model/dpas.hpp>
#include <kittens/model/numeric.hpp>
#include <kittens/target/xe/spirv.hpp>

#if !defined(KITTENS_XE_SOFTWARE)
#error "define KITTENS_XE_SOFTWARE for the whole translation unit to use the software instruction library"
#endif

#define KITTENS_SOFTWARE static __attribute__((noinline)) KITTENS_CONVERGENT

namespace kittens::xe_software {

namespace detail {

template <int Bytes> struct word;
template <> struct word<1> {
    typedef unsigned char __attribute__((may_alias)) type;
};
template <> struct word<2> {
    typedef unsigned short __attribute__((may_alias)) type;
};
template <> struct word<4> {
    typedef unsigned __attribute__((may_alias)) type;
};

#if KITTENS_DPCPP
inline __attribute__((always_inline)) int lane() { return (int)__spirv_BuiltInSubgroupLocalInvocationId(); }
#else
inline __attribute__((always_inline)) int lane() { return (int)__builtin_spirv_subgroup_local_invocation_id(); }
#endif

template <model::block_op Op, int Elem, int Width, int Height, int Count>
KITTENS_SOFTWARE void load_block(const KITTENS_GLOBAL char* base, int width, int height, int pitch, int x, int y,
                                 typename word<model::component_bytes(Op, {Elem, Width, Height, Count})>::type* dst) {
    constexpr model::block_shape shape{Elem, Width, Height, Count};
    using element = typename word<Elem>::type;
    const int l = lane();
#pragma clang loop unroll(disable)
    for (int c = 0; c < model::components(Op, shape); ++c) {
        unsigned v = 0;
#pragma unroll
        for (int s = 0; s < model::elements_per_component(Op, shape); ++s) {
            const model::block_index e = model::element_at(Op, shape, l, c, s);
            const int column = x + e.block * Width + e.column;
            const int row = y + e.row;
            if (e.row < Height && e.column < Width && model::in_bounds(column, row, Elem, width, height)) {
                const unsigned bits = *(const KITTENS_GLOBAL element*)(base + (long)row * pitch + (long)column * Elem);
                v |= bits << (8 * Elem * s % 32);
            }
        }
        dst[c] = v;
    }
}

template <int Elem, int Width, int Height>
KITTENS_SOFTWARE void store_block(
    KITTENS_GLOBAL char* base, int width, int height, int pitch, int x, int y,
    const typename word<model::component_bytes(model::block_op::store, {Elem, Width, Height, 1})>::type* src) {
    constexpr model::block_op op = model::block_op::store;
    constexpr model::block_shape shape{Elem, Width, Height, 1};
    using element = typename word<Elem>::type;
    const int l = lane();
#pragma clang loop unroll(disable)
    for (int c = 0; c < model::components(op, shape); ++c) {
        const unsigned v = src[c];
#pragma unroll
        for (int s = 0; s < model::elements_per_component(op, shape); ++s) {
            const model::block_index e = model::element_at(op, shape, l, c, s);
            const int column = x + e.column;
            const int row = y + e.row;
            if (e.row < Height && e.column < Width && model::in_bounds(column, row, Elem, width, height)) {
                *(KITTENS_GLOBAL element*)(base + (long)row * pitch + (long)column * Elem) =
                    (element)(v >> (8 * Elem * s % 32));
            }
        }
    }
}

template <class V> inline __attribute__((always_inline)) auto get(const V& v, int i) {
    if constexpr (requires { v[0]; }) return v[i];
    else return v;
}
template <class V, class X> inline __attribute__((always_inline)) void set(V& v, int i, X x) {
    if constexpr (requires { v[0]; }) v[i] = x;
    else v = x;
}

template <model::element E> inline __attribute__((always_inline)) auto operand(unsigned bits) {
    if constexpr (E == model::element::f16) return (float)__builtin_bit_cast(_Float16, (unsigned short)bits);
    else if constexpr (E == model::element::s4 || E == model::element::u4 || E == model::element::s8 ||
                       E == model::element::u8) {
        return model::operand_to_s32<E>(bits);
    } else return model::operand_to_f32<E>(bits);
}

template <model::element E, class T> inline __attribute__((always_inline)) auto accumulator(T v) {
    if constexpr (E == model::element::bf16) return model::bf16_to_f32((unsigned short)v);
    else if constexpr (E == model::element::f16) return (float)v;
    else return v;
}

template <model::element E, class T> inline __attribute__((always_inline)) auto result(T v) {
    if constexpr (E == model::element::bf16) return (short)model::f32_to_bf16(v);
    else if constexpr (E == model::element::f16) return (_Float16)v;
    else return v;
}

// A's components travel as 32-bit words: two rows of 16-bit components share one broadcast.
template <model::dpas_kind Kind, int M, class A, class B, class C> KITTENS_SOFTWARE C multiply(A a, B b, C c) {
    constexpr model::dpas_form f = model::form(Kind);
    constexpr int a_per = model::a_subelements(Kind);
    constexpr int b_per = model::b_subelements(Kind);
    using acc_type = decltype(accumulator<f.acc>(get(c, 0)));
    acc_type acc[M];
#pragma unroll
    for (int m = 0; m < M; ++m) acc[m] = accumulator<f.acc>(get(c, m));

    if constexpr (f.a == model::element::tf32) {
#pragma unroll
        for (int k = 0; k < f.k(); ++k) {
            const float bk = model::tf32_operand(b[k]);
#pragma unroll
            for (int m = 0; m < M; ++m) {
                const model::register_slot s = model::a_slot(Kind, m, k);
                const float am = __spirv_GroupBroadcast(3, (float)get(a, s.component), (unsigned)s.lane);
                acc[m] = model::multiply_add(acc[m], model::tf32_operand(am), bk);
            }
        }
    } else if constexpr (model::bits(f.a) < 16 && !model::integer_kind(Kind)) {
        // Decoding costs more than broadcasting here: each lane decodes its own part of A, once.
        float mine[M][a_per];
#pragma unroll
        for (int m = 0; m < M; ++m) {
#pragma unroll
            for (int s = 0; s < a_per; ++s)
                mine[m][s] = operand<f.a>((unsigned)(unsigned short)get(a, m) >> (model::bits(f.a) * s));
        }
#pragma unroll
        for (int k = 0; k < f.k(); ++k) {
            const float bk = operand<f.b>((unsigned)b[k / b_per] >> (model::bits(f.b) * (k % b_per)));
#pragma unroll
            for (int m = 0; m < M; ++m) {
                const float am = __spirv_GroupBroadcast(3, mine[m][k % a_per], (unsigned)(k / a_per));
                acc[m] = model::multiply_add(acc[m], am, bk);
            }
        }
    } else {
        constexpr int words = M == 1 ? 1 : M / 2;
        int packed[words];
        if constexpr (M == 1) packed[0] = a;
        else __builtin_memcpy(packed, &a, sizeof a);
#pragma unroll
        for (int l = 0; l < model::subgroup_lanes; ++l) {
            int row[words];
#pragma unroll
            for (int w = 0; w < words; ++w) row[w] = __spirv_GroupBroadcast(3, packed[w], (unsigned)l);
#pragma unroll
            for (int s = 0; s < a_per; ++s) {
                const int k = l * a_per + s;
                const auto bk = operand<f.b>((unsigned)b[k / b_per] >> (model::bits(f.b) * (k % b_per)));
#pragma unroll
                for (int m = 0; m < M; ++m) {
                    const unsigned component = ((unsigned)row[m / 2] >> (16 * (m % 2))) & 0xFFFFU;
                    acc[m] = model::multiply_add(acc[m], operand<f.a>(component >> (model::bits(f.a) * s)), bk);
                }
            }
        }
    }
    C r;
#pragma unroll
    for (int m = 0; m < M; ++m) set(r, m, result<f.acc>(acc[m]));
    return r;
}

}  // namespace detail

/// The plain, transform and transpose loads.
template <model::block_op Op, int Elem, int Width, int Height, int Count, class T>
inline __attribute__((always_inline)) KITTENS_CONVERGENT void load(const KITTENS_GLOBAL void* base, int width,
                                                                   int height, int pitch, int x, int y, T* dst) {
    using word = typename detail::word<model::component_bytes(Op, {Elem, Width, Height, Count})>::type;
    detail::load_block<Op, Elem, Width, Height, Count>((const KITTENS_GLOBAL char*)base, width, height, pitch, x, y,
                                                       (word*)dst);
}

/// The store.
template <int Elem, int Width, int Height, class T>
inline __attribute__((always_inline)) KITTENS_CONVERGENT void store(KITTENS_GLOBAL void* base, int width, int height,
                                                                    int pitch, int x, int y, const T* src) {
    using word = typename detail::word<model::component_bytes(model::block_op::store, {Elem, Width, Height, 1})>::type;
    detail::store_block<Elem, Width, Height>((KITTENS_GLOBAL char*)base, width, height, pitch, x, y, (const word*)src);
}

/// The matrix instruction.
template <model::dpas_kind Kind, int M, class A, class B, class C>
inline __attribute__((always_inline)) KITTENS_CONVERGENT C dpas(const A& a, const B& b, const C& c) {
    return detail::multiply<Kind, M, A, B, C>(a, b, c);
}

}  // namespace kittens::xe_software

#undef KITTENS_SOFTWARE
