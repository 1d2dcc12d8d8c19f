// SPDX-License-Identifier: Apache-2.0
// Vector arithmetic that the steps of an online softmax are made of.
#pragma once

#include <kittens/base/shape.hpp>
#include <kittens/target/cpu/simd.hpp>

#include <algorithm>

namespace kittens::inline KITTENS_NS::lower {

namespace detail {

/// 2^f on [0, 1): least-squares fits, weighted until their ripples were equal. Relative error 2^-13.7 and 2^-18.5.
template <class T> struct exp2_fit;
template <> struct exp2_fit<bf16> {
    static constexpr float c[] = {0.078024514f, 0.22606717f, 0.69583356f, 0.9999252f};
};
template <> struct exp2_fit<half> {
    static constexpr float c[] = {0.013534167f, 0.05201146f, 0.24144275f, 0.69300383f, 1.0000026f};
};

#if defined(__AVX512F__)
KITTENS_INLINE vfloat vsplat(float x) { return _mm512_set1_ps(x); }
KITTENS_INLINE vfloat vmax(vfloat a, vfloat b) { return _mm512_max_ps(a, b); }
KITTENS_INLINE vfloat vadd(vfloat a, vfloat b) { return _mm512_add_ps(a, b); }
KITTENS_INLINE vfloat vmul(vfloat a, vfloat b) { return _mm512_mul_ps(a, b); }
KITTENS_INLINE vfloat vmul_add(vfloat a, vfloat b, vfloat c) { return _mm512_fmadd_ps(a, b, c); }
KITTENS_INLINE vfloat vmul_sub(vfloat a, vfloat b, vfloat c) { return _mm512_fmsub_ps(a, b, c); }
KITTENS_INLINE float largest_of(vfloat v) { return _mm512_reduce_max_ps(v); }
KITTENS_INLINE float sum_of(vfloat v) { return _mm512_reduce_add_ps(v); }
/// Lanes whose index, from `first` on, is in [from, to); -infinity in the others.
KITTENS_INLINE vfloat keep_lanes(vfloat v, int first, int from, int to) {
    const auto below = [first](int n) { return n <= first ? 0u : n - first >= 16 ? 0xffffu : (1u << (n - first)) - 1u; };
    return _mm512_mask_mov_ps(vsplat(-__builtin_inff()), __mmask16(below(to) & ~below(from)), v);
}
template <class T> KITTENS_INLINE vfloat exp2_about(vfloat x) {
    const vfloat f = _mm512_reduce_ps(x, 0x09);  // x less the integer below it; 0 for infinities
    vfloat p = vsplat(exp2_fit<T>::c[0]);
    KITTENS_UNROLL
    for (unsigned i = 1; i < sizeof exp2_fit<T>::c / sizeof(float); ++i) p = vmul_add(p, f, vsplat(exp2_fit<T>::c[i]));
    return _mm512_scalef_ps(p, x);
}
#else
KITTENS_INLINE vfloat vsplat(float x) { return _mm256_set1_ps(x); }
KITTENS_INLINE vfloat vmax(vfloat a, vfloat b) { return _mm256_max_ps(a, b); }
KITTENS_INLINE vfloat vadd(vfloat a, vfloat b) { return _mm256_add_ps(a, b); }
KITTENS_INLINE vfloat vmul(vfloat a, vfloat b) { return _mm256_mul_ps(a, b); }
KITTENS_INLINE vfloat vmul_add(vfloat a, vfloat b, vfloat c) { return _mm256_fmadd_ps(a, b, c); }
KITTENS_INLINE vfloat vmul_sub(vfloat a, vfloat b, vfloat c) { return _mm256_fmsub_ps(a, b, c); }
KITTENS_INLINE float largest_of(vfloat v) {
    __m128 x = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    x = _mm_max_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)));
}
KITTENS_INLINE float sum_of(vfloat v) {
    __m128 x = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
}
KITTENS_INLINE vfloat keep_lanes(vfloat v, int first, int from, int to) {
    const __m256i at = _mm256_add_epi32(_mm256_set1_epi32(first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    const __m256i kept = _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(from), at), _mm256_cmpgt_epi32(_mm256_set1_epi32(to), at));
    return _mm256_blendv_ps(vsplat(-__builtin_inff()), v, _mm256_castsi256_ps(kept));
}
template <class T> KITTENS_INLINE vfloat exp2_about(vfloat x) {
    const vfloat n = _mm256_round_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC), f = _mm256_sub_ps(x, n);
    vfloat p = vsplat(exp2_fit<T>::c[0]);
    KITTENS_UNROLL
    for (unsigned i = 1; i < sizeof exp2_fit<T>::c / sizeof(float); ++i) p = vmul_add(p, f, vsplat(exp2_fit<T>::c[i]));
    const vfloat r = _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23)));
    // The comparison is false for a NaN, which stays.
    return _mm256_andnot_ps(_mm256_cmp_ps(x, vsplat(-126.0f), _CMP_LT_OQ), r);
}
#endif

/// Two vectors of neighbouring floats, rounded to nearest even.
KITTENS_INLINE void store_two(half* to, vfloat a, vfloat b) {
    narrow_half(to, a);
    narrow_half(to + lanes, b);
}
KITTENS_INLINE void store_two(bf16* to, vfloat a, vfloat b) {
#if defined(__AVX512BF16__)
    vstore(to, __builtin_bit_cast(vint, _mm512_cvtne2ps_pbh(b, a)));
#else
    // Weights are not negative and a NaN among them is a quiet one, so adding a half of the last place cannot spoil it but
    // where it carries into the sign: such NaNs have all bits set, which no operation makes.
    const auto rounded_bits = [](vfloat v) {
        const vint u = as_int(v);
#if defined(__AVX512F__)
        return _mm512_srli_epi32(_mm512_add_epi32(u, _mm512_add_epi32(_mm512_set1_epi32(0x7fff), _mm512_and_si512(_mm512_srli_epi32(u, 16), _mm512_set1_epi32(1)))), 16);
#else
        return _mm256_srli_epi32(_mm256_add_epi32(u, _mm256_add_epi32(_mm256_set1_epi32(0x7fff), _mm256_and_si256(_mm256_srli_epi32(u, 16), _mm256_set1_epi32(1)))), 16);
#endif
    };
#if defined(__AVX512F__)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(rounded_bits(a)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + lanes), _mm512_cvtepi32_epi16(rounded_bits(b)));
#else
    vstore(to, _mm256_permute4x64_epi64(_mm256_packus_epi32(rounded_bits(a), rounded_bits(b)), 0xd8));
#endif
#endif
}

/// Columns [from, to) of row i that a band holds.
struct row_range {
    int from, to;
    KITTENS_INLINE row_range(const band& b, int i, int cols) : from(std::max(0, i + b.lower)), to(std::min({cols, b.cols, i + b.upper + 1})) {
        if (to <= from) from = to = 0;
    }
};

}  // namespace detail

}  // namespace kittens::inline KITTENS_NS::lower
