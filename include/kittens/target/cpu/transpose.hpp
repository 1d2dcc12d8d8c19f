// SPDX-License-Identifier: Apache-2.0
// Transposition of a square of elements in registers: of 32-bit lanes, or of larger parts of a vector.
#pragma once

#include <kittens/target/cpu/simd.hpp>

namespace kittens::inline KITTENS_NS::lower {

#if defined(__AVX512F__)
KITTENS_INLINE void transpose(vint (&r)[16]) {
    vint t[16];
    // 4 x 4 squares inside each 128-bit quarter, in two steps.
    KITTENS_UNROLL
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
    KITTENS_UNROLL
    for (int i = 0; i < 16; i += 4) {
        r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    // The 4 x 4 squares among each other.
    KITTENS_UNROLL
    for (int i = 0; i < 4; ++i) {
        t[i] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88);
        t[i + 4] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xdd);
        t[i + 8] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88);
        t[i + 12] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xdd);
    }
    KITTENS_UNROLL
    for (int i = 0; i < 4; ++i) {
        r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
        r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
        r[i + 4] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0x88);
        r[i + 12] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0xdd);
    }
}
/// The same of 4 x 4 elements of 128 bits, and of 8 x 8 of 64.
KITTENS_INLINE void transpose(vint (&r)[4]) {
    const vint a = _mm512_shuffle_i32x4(r[0], r[1], 0x88), b = _mm512_shuffle_i32x4(r[2], r[3], 0x88);
    const vint c = _mm512_shuffle_i32x4(r[0], r[1], 0xdd), d = _mm512_shuffle_i32x4(r[2], r[3], 0xdd);
    r[0] = _mm512_shuffle_i32x4(a, b, 0x88), r[2] = _mm512_shuffle_i32x4(a, b, 0xdd);
    r[1] = _mm512_shuffle_i32x4(c, d, 0x88), r[3] = _mm512_shuffle_i32x4(c, d, 0xdd);
}
KITTENS_INLINE void transpose(vint (&r)[8]) {
    vint even[4], odd[4];
    KITTENS_UNROLL
    for (int i = 0; i < 4; ++i) {
        even[i] = _mm512_unpacklo_epi64(r[2 * i], r[2 * i + 1]);
        odd[i] = _mm512_unpackhi_epi64(r[2 * i], r[2 * i + 1]);
    }
    transpose(even);
    transpose(odd);
    KITTENS_UNROLL
    for (int i = 0; i < 4; ++i) r[2 * i] = even[i], r[2 * i + 1] = odd[i];
}
#else
KITTENS_INLINE void transpose(vint (&r)[8]) {
    vint t[8];
    KITTENS_UNROLL
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
    }
    KITTENS_UNROLL
    for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    KITTENS_UNROLL
    for (int i = 0; i < 4; ++i) {
        t[i] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x20);
        t[i + 4] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x31);
    }
    KITTENS_UNROLL
    for (int i = 0; i < 8; ++i) r[i] = t[i];
}
#endif

}  // namespace kittens::inline KITTENS_NS::lower
