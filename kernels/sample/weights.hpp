// SPDX-License-Identifier: Apache-2.0
// What sampling computes with: keys that order elements as numbers, and weights that are integers. Sums of integers do not depend
// on their order, so every target and every number of subgroups draws the same token.
#pragma once

#include <cstdint>

namespace kernels {

/// Keys compare as numbers do: zeros are equal (and so are subnormal numbers, which count as zero), a NaN is above infinity.
inline constexpr int key_of_infinity = 0x7f800000;
constexpr int key_of(float x) {
    const int bits = __builtin_bit_cast(int, x);
    const int size = bits & 0x7fffffff, flushed = size < 0x00800000 ? 0 : size;
    return bits < 0 && size <= key_of_infinity ? -flushed : flushed;
}
/// The number of a key.
constexpr float number_of(int key) { return __builtin_bit_cast(float, key < 0 ? int(0x80000000u | unsigned(-key)) : key); }

/// Weights are 2^30 times e^((x - max) / temperature), rounded; `factor` is 2^20 log2(e) / temperature.
inline constexpr int weight_bits = 30, exponent_bits = 20;

/// The weight of the distance max - x, which is not negative. Exponents are multiples of 2^-20 and at most 2^-23 of themselves
/// off; the polynomial is within 3e-9; below 2^-31 a weight is 0.
constexpr int weight_of(float distance, float factor) {
    constexpr float most = float((weight_bits + 1) << exponent_bits);
    const float scaled = distance * factor;
    const bool some = scaled < most;
    const int e = int(some ? scaled : most);
    const int shift = e >> exponent_bits;
    // 2^-f for f in [0, 1), f = 1/2 - h: a polynomial of h fitted to 2^(h - 1/2), in units of 2^-30.
    const int h = ((1 << (exponent_bits - 1)) - (e & ((1 << exponent_bits) - 1))) * (1 << (31 - exponent_bits));
    const auto step = [h](int p, int c) { return c + int((std::int64_t(p) * h) >> 31); };
    const int p = step(step(step(step(step(step(116451, 1017385), 7302862), 42140880), 182391974), 526272102), 759250125);
    const int half = shift > 0 ? 1 << (shift - 1) : 0;
    return some ? int((unsigned(p) + unsigned(half)) >> shift) : 0;
}

}  // namespace kernels
