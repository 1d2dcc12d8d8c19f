// SPDX-License-Identifier: Apache-2.0
// Functions of native vectors, alternating rows, and moves from memory to memory.
#pragma once

#include <kittens/target/cpu/wide.hpp>

namespace kittens::inline KITTENS_NS::lower {

KITTENS_INLINE float exp2_of(float x) { return lower::exp2(x); }
KITTENS_INLINE float recip_of(float x) { return lower::recip(x); }
/// Within 2^-23 of itself; a division takes as long as all else that a sigmoid needs.
KITTENS_INLINE native_float recip_of(native_float x) {
#if defined(__AVX512F__)
    const vfloat v = __builtin_bit_cast(vfloat, x), about = _mm512_rcp14_ps(v);
    const vfloat better = _mm512_fmadd_ps(_mm512_fnmadd_ps(v, about, _mm512_set1_ps(1.0f)), about, about);
    // The step makes NaN of 0 and infinity, whose reciprocals are exact as they are.
    return __builtin_bit_cast(native_float, _mm512_mask_mov_ps(about, _mm512_cmp_ps_mask(better, better, _CMP_ORD_Q), better));
#else
    return 1.0f / x;
#endif
}

/// 2^f for f from -1/2 to 1/2.
KITTENS_INLINE native_float exp2_of_fraction(native_float f) {
    native_float p = f * 0.0001535336f + 0.0013398875f;
    p = p * f + 0.009618437f;
    p = p * f + 0.055503324f;
    p = p * f + 0.24022648f;
    p = p * f + 0.6931472f;
    return p * f + 1.0f;
}

/// As exp2 of a float, whose steps these are.
KITTENS_INLINE native_float exp2_of(native_float x) {
#if defined(__AVX512DQ__)
    // Infinities have a fraction of 0 here, and the scaling does what is right for them and where the result is too large. What would
    // be subnormal is 0, as everywhere.
    const vfloat v = __builtin_bit_cast(vfloat, x), f = _mm512_reduce_ps(v, 0);
    const vfloat p = __builtin_bit_cast(vfloat, exp2_of_fraction(__builtin_bit_cast(native_float, f)));
    return __builtin_bit_cast(native_float, _mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(v, _mm512_set1_ps(-126.0f), _CMP_NLT_UQ), p, _mm512_sub_ps(v, f)));
#else
    constexpr float shifter = 12582912.0f;
    const native_float least = native_float{} - 126.0f, most = native_float{} + 128.0f;
    native_float c = x > most ? most : x;
    c = c < least ? least : c;
    const native_float shifted = c + shifter;
    const native_float p = exp2_of_fraction(c - (shifted - shifter));
    const native_int bits = __builtin_bit_cast(native_int, p) + (__builtin_bit_cast(native_int, shifted) << 23);
    const native_float r = __builtin_bit_cast(native_float, bits);
    return x >= least ? r : x < least ? native_float{} : x;
#endif
}

/// The low and the high halves of `lanes` words as floats.
template <class T> KITTENS_INLINE void widen_pairs(const T* p, float* even, float* odd) {
    const vint words = vload(p);
    if constexpr (std::is_same_v<T, bf16>) {
        vstore(even, vshl<16>(words));
        vstore(odd, vand(words, vset(0xffff0000u)));
    } else {
        const native_int w = __builtin_bit_cast(native_int, words);
        typedef unsigned short packed __attribute__((vector_size(2 * lanes)));
        const packed low = __builtin_convertvector(w & 0xffff, packed), high = __builtin_convertvector((w >> 16) & 0xffff, packed);
        vstore_float(even, widen_half(&low));
        vstore_float(odd, widen_half(&high));
    }
}

template <class RV, class GL>
KITTENS_INLINE void load_interleaved(RV& even, RV& odd, const GL& src, const place& at) {
    const clipped_area in(src, at, 1, 2 * RV::length);
    const auto* from = in.rows ? address(src, at) : nullptr;
    int i = 0;
    if (in.skip_cols == 0)
        for (; 2 * (i + lanes) <= in.cols; i += lanes) widen_pairs(from + 2 * i, even.v + i, odd.v + i);
    for (; i < RV::length; ++i) {
        even.v[i] = 2 * i >= in.skip_cols && 2 * i < in.skip_cols + in.cols ? float(from[2 * i]) : 0.0f;
        odd.v[i] = 2 * i + 1 >= in.skip_cols && 2 * i + 1 < in.skip_cols + in.cols ? float(from[2 * i + 1]) : 0.0f;
    }
}

template <class RV, class D, class S>
KITTENS_INLINE void move_wide(const D& dst, const place& to, const S& src, const place& from, bool streaming) {
    using T = typename D::value_type;
    const clipped_area out(dst, to, 1, RV::length), in(src, from, 1, RV::length);
    if (out.rows == 0) return;
    T* const q = address(dst, to);
    if (out.skip_cols + in.skip_cols > 0 || in.cols < out.cols) {
        for (int i = out.skip_cols; i < out.skip_cols + out.cols; ++i)
            q[i] = in.rows && i >= in.skip_cols && i < in.skip_cols + in.cols ? address(src, from)[i] : convert<T>(0.0f);
        return;
    }
    const T* const p = address(src, from);
    int n = out.cols * int(sizeof(T)), i = 0;
    const auto* const read = reinterpret_cast<const char*>(p);
    auto* const write = reinterpret_cast<char*>(q);
    if (streaming && reinterpret_cast<std::uintptr_t>(q) % 32 == 0)
        for (; i + 32 <= n; i += 32) _mm256_stream_si256(reinterpret_cast<__m256i*>(write + i), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(read + i)));
    std::memcpy(write + i, read + i, std::size_t(n - i));
}

}  // namespace kittens::inline KITTENS_NS::lower
