// SPDX-License-Identifier: Apache-2.0
// Float functions that maps apply to every element. Each is branch-free scalar code which the compiler turns into vector
// code inside the map's loop; library calls would stop it.
#pragma once

#include <kittens/base/target.hpp>

#include <cstdint>

namespace kittens::inline KITTENS_NS::lower {

KITTENS_INLINE std::uint32_t bits_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }
KITTENS_INLINE float float_of(std::uint32_t u) { return __builtin_bit_cast(float, u); }

/// 2^x, within 1 ulp; 0 below -126 (subnormal results are flushed), inf above 128, NaN for NaN.
KITTENS_INLINE float exp2(float x) {
    // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits of the sum.
    constexpr float shifter = 12582912.0f;
    float c = x > 128.0f ? 128.0f : x;
    c = c < -126.0f ? -126.0f : c;
    const float shifted = c + shifter;
    const float f = c - (shifted - shifter);
    // 2^f on [-1/2, 1/2], exactly 1 at 0: minimax, relative error 2e-9.
    float p = 0.0001535336f;
    p = p * f + 0.0013398875f;
    p = p * f + 0.009618437f;
    p = p * f + 0.055503324f;
    p = p * f + 0.24022648f;
    p = p * f + 0.6931472f;
    p = p * f + 1.0f;
    // At n = 128 f is not above 0, so p is at most 1: the sum is either finite or exactly infinity.
    const float r = float_of(bits_of(p) + (bits_of(shifted) << 23));
    return x >= -126.0f ? r : x < -126.0f ? 0.0f : x;
}

/// log2(x), within 2 ulp; -inf for 0 and subnormals, NaN below, inf for inf.
KITTENS_INLINE float log2(float x) {
    // m in [sqrt(1/2), sqrt(2)), x = m * 2^e
    constexpr std::uint32_t sqrt_half = 0x3f3504f3u;
    const std::uint32_t u = bits_of(x);
    const std::int32_t e = std::int32_t(u - sqrt_half) >> 23;
    const float t = float_of(u - (std::uint32_t(e) << 23)) - 1.0f;
    // log2(1 + t) / t: minimax, relative error 3e-8.
    float q = 0.12583537f;
    q = q * t - 0.20726894f;
    q = q * t + 0.21571584f;
    q = q * t - 0.23894495f;
    q = q * t + 0.28791624f;
    q = q * t - 0.36070368f;
    q = q * t + 0.48091063f;
    q = q * t - 0.72134733f;
    q = q * t + 1.442695f;
    const float r = q * t + float(e);
    const float special = x < 0.0f ? __builtin_nanf("") : x < 1.17549435e-38f ? -__builtin_inff() : x;
    return (x >= 1.17549435e-38f && x <= 3.40282347e38f) ? r : special;
}

KITTENS_INLINE float sqrt(float x) { return __builtin_sqrtf(x); }
KITTENS_INLINE float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
KITTENS_INLINE float recip(float x) { return 1.0f / x; }
KITTENS_INLINE float divide(float a, float b) { return a / b; }
/// A NaN is ignored where the other operand is a number.
KITTENS_INLINE float fmax(float a, float b) { return a > b ? a : b == b ? b : a; }
KITTENS_INLINE float fmin(float a, float b) { return a < b ? a : b == b ? b : a; }

}  // namespace kittens::inline KITTENS_NS::lower
