// SPDX-License-Identifier: Apache-2.0
//
// Number formats of the matrix instruction, as conversions on bits. Everything is constexpr and branch-light, so that it
// serves host and device code. Rounding is to nearest, ties to even.
#pragma once

#include <kittens/model/dpas.hpp>

namespace kittens::model {

constexpr float bf16_to_f32(unsigned short v) { return __builtin_bit_cast(float, static_cast<unsigned>(v) << 16); }

/// NaN stays NaN (made quiet); overflow gives infinity.
constexpr unsigned short f32_to_bf16(float v) {
    const unsigned b = __builtin_bit_cast(unsigned, v);
    if ((b & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<unsigned short>((b >> 16) | 0x40U);
    return static_cast<unsigned short>((b + 0x7FFFU + ((b >> 16) & 1U)) >> 16);
}

namespace detail {

// A small float: sign, `E` exponent bits, `M` mantissa bits. `Finite` formats have no infinity, their all-ones encoding
// alone is NaN (OCP E4M3) or nothing is (E2M1, with Nan = false).
template <int E, int M, bool Finite, bool Nan> struct small_float {
    static constexpr int width = 1 + E + M;
    static constexpr unsigned exponent_mask = (1U << E) - 1U;
    static constexpr unsigned mantissa_mask = (1U << M) - 1U;
    static constexpr int bias = (1 << (E - 1)) - 1;
    static constexpr unsigned infinity = exponent_mask << M;
    static constexpr unsigned nan = Finite ? infinity | mantissa_mask : infinity | (1U << (M - 1));
    static constexpr unsigned largest = Finite ? (Nan ? nan - 1U : nan) : infinity - 1U;

    static constexpr float decode(unsigned v) {
        const unsigned sign = (v >> (E + M)) & 1U;
        const unsigned e = (v >> M) & exponent_mask;
        const unsigned m = v & mantissa_mask;
        if (e == exponent_mask && (!Finite || (Nan && m == mantissa_mask))) {
            return __builtin_bit_cast(float, (sign << 31) | 0x7F800000U | (m << (23 - M)));
        }
        if (e == 0) {  // zero and subnormal: m * 2^(1 - bias - M), exact
            const float scale = __builtin_bit_cast(float, static_cast<unsigned>(127 + 1 - bias - M) << 23);
            const float magnitude = static_cast<float>(m) * scale;
            return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, magnitude) | (sign << 31));
        }
        return __builtin_bit_cast(float, (sign << 31) | ((e + 127U - bias) << 23) | (m << (23 - M)));
    }

    static constexpr unsigned encode(float value, bool saturate) {
        const unsigned b = __builtin_bit_cast(unsigned, value);
        const unsigned sign = (b >> 31) << (E + M);
        const unsigned a = b & 0x7FFFFFFFU;
        if (a > 0x7F800000U) return Nan ? sign | nan : sign | largest;
        const int exponent = static_cast<int>(a >> 23) - 127;
        unsigned result = 0;
        if (exponent < 1 - bias) {  // subnormal result: shift the significand until its unit is 2^(1 - bias - M)
            const int shift = (23 - M) + (1 - bias - exponent);
            if (shift < 32 && exponent > -127) {
                const unsigned s = (a & 0x7FFFFFU) | 0x800000U;
                const unsigned half = 1U << (shift - 1);
                const unsigned rest = s & ((1U << shift) - 1U);
                result = s >> shift;
                result += rest > half || (rest == half && (result & 1U)) ? 1U : 0U;
            }
        } else {
            const unsigned rounded = a + (1U << (22 - M)) - 1U + ((a >> (23 - M)) & 1U);
            const unsigned biased = rounded >> (23 - M);
            result = biased - (static_cast<unsigned>(127 - bias) << M);
            if (a == 0x7F800000U || result > largest) {
                if (saturate) result = largest;
                else result = Finite ? (Nan ? nan : largest) : infinity;
            }
        }
        return sign | result;
    }
};

using f16_format = small_float<5, 10, false, true>;
using e4m3_format = small_float<4, 3, true, true>;
using e5m2_format = small_float<5, 2, false, true>;
using e2m1_format = small_float<2, 1, true, false>;

}  // namespace detail

constexpr float f16_to_f32(unsigned short v) { return detail::f16_format::decode(v); }
/// Overflow gives infinity.
constexpr unsigned short f32_to_f16(float v) {
    return static_cast<unsigned short>(detail::f16_format::encode(v, false));
}

/// OCP E4M3: largest 448, no infinity, one NaN encoding per sign.
constexpr float e4m3_to_f32(unsigned char v) { return detail::e4m3_format::decode(v); }
/// Overflow gives the largest finite value, or NaN without `saturate`.
constexpr unsigned char f32_to_e4m3(float v, bool saturate = true) {
    return static_cast<unsigned char>(detail::e4m3_format::encode(v, saturate));
}
/// OCP E5M2: largest 57344, with infinities and NaN.
constexpr float e5m2_to_f32(unsigned char v) { return detail::e5m2_format::decode(v); }
/// Overflow gives the largest finite value, or infinity without `saturate`.
constexpr unsigned char f32_to_e5m2(float v, bool saturate = true) {
    return static_cast<unsigned char>(detail::e5m2_format::encode(v, saturate));
}
/// E2M1 in the low four bits: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives.
constexpr float e2m1_to_f32(unsigned char v) { return detail::e2m1_format::decode(v & 0xFU); }
constexpr unsigned char f32_to_e2m1(float v) {
    return static_cast<unsigned char>(detail::e2m1_format::encode(v, true));
}

/// What the matrix engine sees of a float given as tf32: the low 13 mantissa bits are ignored.
constexpr float tf32_operand(float v) {
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, v) & 0xFFFFE000U);
}
/// float rounded to the nearest tf32; round before the matrix instruction, which itself truncates.
constexpr float f32_to_tf32(float v) {
    const unsigned b = __builtin_bit_cast(unsigned, v);
    if ((b & 0x7FFFFFFFU) >= 0x7F800000U) return v;
    return __builtin_bit_cast(float, (b + 0xFFFU + ((b >> 13) & 1U)) & 0xFFFFE000U);
}

/// Float operand from its bits.
template <element E> constexpr float operand_to_f32(unsigned bits) {
    if constexpr (E == element::bf16) return bf16_to_f32(static_cast<unsigned short>(bits));
    else if constexpr (E == element::f16) return f16_to_f32(static_cast<unsigned short>(bits));
    else if constexpr (E == element::tf32) return tf32_operand(__builtin_bit_cast(float, bits));
    else if constexpr (E == element::e4m3) return e4m3_to_f32(static_cast<unsigned char>(bits));
    else if constexpr (E == element::e5m2) return e5m2_to_f32(static_cast<unsigned char>(bits));
    else return e2m1_to_f32(static_cast<unsigned char>(bits));
}

/// Integer operand from its bits.
template <element E> constexpr int operand_to_s32(unsigned bits) {
    if constexpr (E == element::s8) return static_cast<signed char>(bits);
    else if constexpr (E == element::u8) return static_cast<unsigned char>(bits);
    else if constexpr (E == element::s4) return static_cast<int>((bits & 0xFU) ^ 8U) - 8;
    else return static_cast<int>(bits & 0xFU);
}

/// True for kinds that accumulate in 32-bit integers.
constexpr bool integer_kind(dpas_kind kind) { return form(kind).acc == element::s32; }

/// One multiply-add of the instruction. Products of all float kinds are exact in float (short of overflow and underflow),
/// so this equals a fused operation. Integers wrap.
constexpr float multiply_add(float acc, float a, float b) {
#if defined(__clang__)
    // The order of the sum is part of the model, whatever the kernel's own arithmetic is compiled with.
#pragma clang fp reassociate(off) contract(off)
#endif
    const float product = a * b;
    return acc + product;
}
constexpr int multiply_add(int acc, int a, int b) {
    return static_cast<int>(static_cast<unsigned>(acc) + static_cast<unsigned>(a) * static_cast<unsigned>(b));
}

}  // namespace kittens::model
