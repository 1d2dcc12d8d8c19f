// SPDX-License-Identifier: Apache-2.0
// Matrix products by DPAS: 8 (or fewer) rows, 16 columns, one systolic depth per instruction.
#pragma once

#include <kittens/target/xe/conversions.hpp>
#include <kittens/target/xe/isa.hpp>
#include <kittens/target/xe/storage.hpp>
#include <kittens/tile/rt.hpp>

namespace kittens::inline KITTENS_NS::lower {

template <class A, class B> constexpr isa::dpas_kind dpas_kind_of() {
    using k = isa::dpas_kind;
    if constexpr (std::is_same_v<A, bf16>) return k::bf16;
    else if constexpr (std::is_same_v<A, half>) return k::f16;
    else if constexpr (std::is_same_v<A, tf32>) return k::tf32;
    else if constexpr (std::is_same_v<A, int8>) return std::is_same_v<B, int8> ? k::s8_s8 : k::s8_u8;
    else if constexpr (std::is_same_v<A, uint8>) return std::is_same_v<B, int8> ? k::u8_s8 : k::u8_u8;
    else if constexpr (std::is_same_v<A, fp8e4m3>) return std::is_same_v<B, fp8e4m3> ? k::e4m3_e4m3 : k::e4m3_e5m2;
    else return std::is_same_v<B, fp8e4m3> ? k::e5m2_e4m3 : k::e5m2_e5m2;
}

/// The operands of one instruction inside a tile: rows m8 * 8 and depth k (in instructions) of A, depth k and columns
/// n16 * 16 of B.
template <class A> KITTENS_INLINE const auto& operand_a(const A& a, int m8, int k) {
    using frag = typename A::frag;
    constexpr int per_base = A::base.rows / 8, blocks = frag::map::blocks;
    return a.tiles[m8 / per_base][k / blocks].v[k % blocks * per_base + m8 % per_base];
}
template <class B> KITTENS_INLINE const auto& operand_b(const B& b, int k, int n16) {
    using frag = typename B::frag;
    constexpr int per_base = frag::vectors_per_block, blocks = frag::map::blocks;
    return b.tiles[k / per_base][n16 / blocks].v[n16 % blocks * per_base + k % per_base];
}
template <class C> KITTENS_INLINE auto& accumulator(C& c, int m8, int n16) {
    constexpr int per_base = C::base.rows / 8, blocks = C::frag::map::blocks;
    return c.tiles[m8 / per_base][n16 / blocks].v[n16 % blocks * per_base + m8 % per_base];
}

/// An operand of A as the instruction takes it.
template <class To, class V> KITTENS_INLINE To marshalled(const V& rows) {
    if (mutated(mutant::scattered_a_operand)) {
        V scattered = rows;
        for (int i = 0; i < 8; ++i) scattered[i] = rows[i / 2 + i % 2 * 4];
        return __builtin_bit_cast(To, scattered);
    }
    return __builtin_bit_cast(To, rows);
}

/// A tf32 operand holds two rows of eight columns per component; a tile holds one row of sixteen. Each half of a
/// 16-column block becomes the operand of one instruction.
KITTENS_INLINE xe_vec::vec<float, 4> tf32_operand(const xe_vec::vec<float, 8>& rows, int half_of_block) {
    const int lane = isa::lane(), source = (lane & 7) + 8 * half_of_block;
    xe_vec::vec<float, 4> r;
    KITTENS_UNROLL
    for (int i = 0; i < 4; ++i) {
        const float even = isa::shuffle(float(rows[2 * i]), source), odd = isa::shuffle(float(rows[2 * i + 1]), source);
        r[i] = lane < 8 ? even : odd;
    }
    return r;
}

template <class D, class A, class B, class C>
KITTENS_INLINE void mma_AB(D& d, const A& a, const B& b, const C& c) {
    constexpr auto kind = dpas_kind_of<typename A::element, typename B::element>();
    constexpr int depth = 32 / int(sizeof(typename A::element));  // K of one instruction
    KITTENS_UNROLL
    for (int k = 0; k < A::cols / depth - int(mutated(mutant::dropped_k_step)); ++k) {
        KITTENS_UNROLL
        for (int n = 0; n < D::cols / 16; ++n) {
            KITTENS_UNROLL
            for (int m = 0; m < D::rows / 8; ++m) {
                const auto& in = k == 0 ? accumulator(c, m, n) : accumulator(d, m, n);
                if constexpr (std::is_same_v<typename A::element, tf32>)
                    accumulator(d, m, n) = isa::dpas<kind, 8>(tf32_operand(operand_a(a, m, k / 2), k & 1), operand_b(b, k, n), in);
                else
                    accumulator(d, m, n) = isa::dpas<kind, 8>(
                        marshalled<isa::a_operand<kind, 8>>(operand_a(a, m, k)), operand_b(b, k, n), in);
            }
        }
    }
}

// The other orientations transpose an operand in registers first.
template <class D, class A, class B, class C>
KITTENS_INLINE void mma_ABt(D& d, const A& a, const B& b, const C& c) {
    rt<typename B::element, B::cols, B::rows, layout::col, operand_base<B>()> bt;
    lower::transpose(bt, b);
    lower::mma_AB(d, a, bt, c);
}
template <class D, class A, class B, class C>
KITTENS_INLINE void mma_AtB(D& d, const A& a, const B& b, const C& c) {
    rt<typename A::element, A::cols, A::rows, layout::row, operand_base<A>()> at;
    lower::transpose(at, a);
    lower::mma_AB(d, at, b, c);
}
template <class D, class A, class B, class C>
KITTENS_INLINE void mma_AtBt(D& d, const A& a, const B& b, const C& c) {
    rt<typename A::element, A::cols, A::rows, layout::row, operand_base<A>()> at;
    lower::transpose(at, a);
    lower::mma_ABt(d, at, b, c);
}

}  // namespace kittens::inline KITTENS_NS::lower
