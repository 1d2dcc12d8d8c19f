// SPDX-License-Identifier: Apache-2.0
// Element types. Storage and conversions only: arithmetic happens in float or int32.
#pragma once

#include <cstdint>
#include <type_traits>

namespace kittens {

/// Sixteen-bit float with float's exponent range. Converts from float by round to nearest, ties to even;
/// a NaN stays a (quiet) NaN.
struct bf16 {
    std::uint16_t bits;

    bf16() = default;
    constexpr explicit bf16(float value) : bits(round(value)) {}
    constexpr operator float() const { return __builtin_bit_cast(float, std::uint32_t(bits) << 16); }

    static constexpr bf16 from_bits(std::uint16_t b) {
        bf16 r(0.0f);
        r.bits = b;
        return r;
    }

  private:
    static constexpr std::uint16_t round(float value) {
        const auto u = __builtin_bit_cast(std::uint32_t, value);
        if ((u & 0x7fffffffu) > 0x7f800000u) return std::uint16_t((u >> 16) | 0x40u);
        return std::uint16_t((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
    }
};

/// IEEE binary16.
using half = _Float16;

/// Float whose low 13 mantissa bits the matrix engine ignores. Rounds to nearest even when made from float.
struct tf32 {
    float value;

    tf32() = default;
    constexpr explicit tf32(float v) : value(round(v)) {}
    constexpr operator float() const { return value; }

  private:
    static constexpr float round(float v) {
        const auto u = __builtin_bit_cast(std::uint32_t, v);
        if ((u & 0x7f800000u) == 0x7f800000u) return v;
        return __builtin_bit_cast(float, (u + 0xfffu + ((u >> 13) & 1u)) & 0xffffe000u);
    }
};

namespace detail {

/// Rounds float to a small float format with `E` exponent and `F` fraction bits, to nearest even, saturating at the
/// largest finite value (OCP 8-bit floating point specification, saturating mode). NaN maps to `nan_bits`.
template <int E, int F, unsigned MaxBits, unsigned NanBits>
constexpr std::uint8_t to_small_float(float v) {
    constexpr int bias = (1 << (E - 1)) - 1;
    const auto u = __builtin_bit_cast(std::uint32_t, v);
    const unsigned sign = (u >> 31) << (E + F);
    const std::uint32_t mag = u & 0x7fffffffu;
    if (mag > 0x7f800000u) return std::uint8_t(sign | NanBits);
    const int exponent = int(mag >> 23) - 127;
    const int e = exponent < 1 - bias ? 1 - bias : exponent;   // subnormals share the least exponent
    const int shift = 23 - F + (e - exponent);                  // bits of the 24-bit significand to drop
    if (mag < 0x00800000u || shift > 24) return std::uint8_t(sign);
    const std::uint32_t significand = (mag & 0x7fffffu) | 0x800000u;
    const std::uint32_t kept = significand >> shift;
    const std::uint32_t rest = significand & ((1u << shift) - 1u), halfway = 1u << (shift - 1);
    const std::uint32_t rounded = kept + ((rest > halfway || (rest == halfway && (kept & 1u))) ? 1u : 0u);
    // Adding lets a carry out of the fraction step the exponent.
    const std::uint32_t bits = (exponent < 1 - bias ? 0u : std::uint32_t(e + bias - 1) << F) + rounded;
    return std::uint8_t(sign | (bits > MaxBits ? MaxBits : bits));
}

template <int E, int F>
constexpr float from_small_float(std::uint8_t bits) {
    constexpr int bias = (1 << (E - 1)) - 1;
    const std::uint32_t sign = std::uint32_t(bits >> (E + F)) << 31;
    const int e = (bits >> F) & ((1 << E) - 1), f = bits & ((1 << F) - 1);
    if (e == 0) {
        float r = float(f);
        for (int i = 0; i < bias - 1 + F; ++i) r *= 0.5f;
        return sign ? -r : r;
    }
    return __builtin_bit_cast(float, sign | std::uint32_t(e - bias + 127) << 23 | std::uint32_t(f) << (23 - F));
}

}  // namespace detail

/// OCP 8-bit float, 4 exponent and 3 fraction bits: no infinity, largest 448. Conversion saturates.
struct fp8e4m3 {
    std::uint8_t bits;
    fp8e4m3() = default;
    constexpr explicit fp8e4m3(float v) : bits(detail::to_small_float<4, 3, 0x7e, 0x7f>(v)) {}
    constexpr operator float() const {
        if ((bits & 0x7f) == 0x7f) return __builtin_nanf("");
        return detail::from_small_float<4, 3>(bits);
    }
};

/// OCP 8-bit float, 5 exponent and 2 fraction bits: has infinities, largest finite 57344. Conversion saturates.
struct fp8e5m2 {
    std::uint8_t bits;
    fp8e5m2() = default;
    constexpr explicit fp8e5m2(float v) : bits(detail::to_small_float<5, 2, 0x7b, 0x7e>(v)) {
        if (v == __builtin_inff()) bits = 0x7c;
        if (v == -__builtin_inff()) bits = 0xfc;
    }
    constexpr operator float() const {
        if ((bits & 0x7f) > 0x7c) return __builtin_nanf("");
        if ((bits & 0x7f) == 0x7c) return (bits & 0x80) ? -__builtin_inff() : __builtin_inff();
        return detail::from_small_float<5, 2>(bits);
    }
};

using int8 = std::int8_t;
using uint8 = std::uint8_t;
using int32 = std::int32_t;

/// Element types as values, for policies and command lines.
enum class dtype : int { f32, bf16, f16, tf32, i8, u8, i32, e4m3, e5m2 };

namespace detail {
template <dtype D> struct element;
template <> struct element<dtype::f32> { using type = float; };
template <> struct element<dtype::bf16> { using type = bf16; };
template <> struct element<dtype::f16> { using type = half; };
template <> struct element<dtype::tf32> { using type = tf32; };
template <> struct element<dtype::i8> { using type = int8; };
template <> struct element<dtype::u8> { using type = uint8; };
template <> struct element<dtype::i32> { using type = int32; };
template <> struct element<dtype::e4m3> { using type = fp8e4m3; };
template <> struct element<dtype::e5m2> { using type = fp8e5m2; };
}  // namespace detail

/// The type that a dtype names.
template <dtype D> using type_of = typename detail::element<D>::type;

template <class T> struct is_element : std::false_type {};
template <> struct is_element<float> : std::true_type {};
template <> struct is_element<bf16> : std::true_type {};
template <> struct is_element<half> : std::true_type {};
template <> struct is_element<tf32> : std::true_type {};
template <> struct is_element<int8> : std::true_type {};
template <> struct is_element<uint8> : std::true_type {};
template <> struct is_element<int32> : std::true_type {};
template <> struct is_element<fp8e4m3> : std::true_type {};
template <> struct is_element<fp8e5m2> : std::true_type {};

/// A type that tiles and global layouts can hold.
template <class T>
concept element_type = is_element<std::remove_cv_t<T>>::value;

template <class T>
inline constexpr bool is_integer_element =
    std::is_same_v<T, int8> || std::is_same_v<T, uint8> || std::is_same_v<T, int32>;

/// The dtype of a type, and the name that command lines and reports use for it.
template <element_type T> constexpr dtype dtype_of() {
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<U, float>) return dtype::f32;
    else if constexpr (std::is_same_v<U, bf16>) return dtype::bf16;
    else if constexpr (std::is_same_v<U, half>) return dtype::f16;
    else if constexpr (std::is_same_v<U, tf32>) return dtype::tf32;
    else if constexpr (std::is_same_v<U, int8>) return dtype::i8;
    else if constexpr (std::is_same_v<U, uint8>) return dtype::u8;
    else if constexpr (std::is_same_v<U, int32>) return dtype::i32;
    else if constexpr (std::is_same_v<U, fp8e4m3>) return dtype::e4m3;
    else return dtype::e5m2;
}

constexpr const char* name_of(dtype d) {
    switch (d) {
        case dtype::f32: return "fp32";
        case dtype::bf16: return "bf16";
        case dtype::f16: return "fp16";
        case dtype::tf32: return "tf32";
        case dtype::i8: return "int8";
        case dtype::u8: return "uint8";
        case dtype::i32: return "int32";
        case dtype::e4m3: return "fp8e4m3";
        case dtype::e5m2: return "fp8e5m2";
    }
    return "?";
}

constexpr int size_of(dtype d) {
    switch (d) {
        case dtype::f32: case dtype::tf32: case dtype::i32: return 4;
        case dtype::bf16: case dtype::f16: return 2;
        default: return 1;
    }
}

/// What a product of two such elements is summed in.
constexpr dtype accumulator_of(dtype d) { return d == dtype::i8 || d == dtype::u8 ? dtype::i32 : dtype::f32; }

/// Conversion between any two element types, rounding to nearest even; integers saturate.
template <element_type To, element_type From>
constexpr To convert(From v) {
    if constexpr (std::is_same_v<To, From>) return v;
    else if constexpr (std::is_same_v<To, int8> || std::is_same_v<To, uint8>) {
        constexpr int lo = std::is_same_v<To, int8> ? -128 : 0, hi = std::is_same_v<To, int8> ? 127 : 255;
        int i;
        if constexpr (is_integer_element<From>) i = int(v);
        else {
            const float f = float(v);
            i = !(f == f) ? 0 : f >= float(hi) ? hi : f <= float(lo) ? lo : int(__builtin_rintf(f));
        }
        return To(i < lo ? lo : i > hi ? hi : i);
    } else if constexpr (std::is_same_v<To, int32>) {
        if constexpr (is_integer_element<From>) return int32(v);
        else {
            const float f = float(v);
            return !(f == f) ? 0 : f >= 2147483648.0f ? 2147483647 : f <= -2147483648.0f ? -2147483647 - 1 : int32(__builtin_rintf(f));
        }
    } else return To(float(v));
}

}  // namespace kittens
