// SPDX-License-Identifier: Apache-2.0
// Native vectors of 32-bit lanes, and conversion of rows of elements to and from the compute type.
#pragma once

#include <kittens/base/target.hpp>
#include <kittens/base/types.hpp>
#include <kittens/target/cpu/intrinsics.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__clang__)
/// The next loop may be vectorised without checks: equal indices of different arrays may be the same element, no others.
#define KITTENS_VECTOR_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define KITTENS_VECTOR_LOOP _Pragma("GCC ivdep")
#endif

namespace kittens::inline KITTENS_NS::lower {

#if defined(__AVX512F__)
inline constexpr int lanes = 16;
using vfloat = __m512;
using vint = __m512i;
KITTENS_INLINE vint vload(const void* p) { return _mm512_loadu_si512(p); }
KITTENS_INLINE void vstore(void* p, vint v) { _mm512_storeu_si512(p, v); }
KITTENS_INLINE vfloat vload_float(const float* p) { return _mm512_loadu_ps(p); }
KITTENS_INLINE void vstore_float(float* p, vfloat v) { _mm512_storeu_ps(p, v); }
KITTENS_INLINE vint as_int(vfloat v) { return _mm512_castps_si512(v); }
KITTENS_INLINE vint vor(vint a, vint b) { return _mm512_or_si512(a, b); }
KITTENS_INLINE vint vand(vint a, vint b) { return _mm512_and_si512(a, b); }
KITTENS_INLINE vint vset(std::uint32_t x) { return _mm512_set1_epi32(int(x)); }
KITTENS_INLINE vint vzero() { return _mm512_setzero_si512(); }
template <int N> KITTENS_INLINE vint vshl(vint a) { return _mm512_slli_epi32(a, N); }
KITTENS_INLINE vint widen_u16(const void* p) { return _mm512_cvtepu16_epi32(_mm256_loadu_si256(static_cast<const __m256i*>(p))); }
KITTENS_INLINE vint widen_u8(const void* p) { return _mm512_cvtepu8_epi32(_mm_loadu_si128(static_cast<const __m128i*>(p))); }
KITTENS_INLINE vint widen_s8(const void* p) { return _mm512_cvtepi8_epi32(_mm_loadu_si128(static_cast<const __m128i*>(p))); }
KITTENS_INLINE vint widen_u8_to_16(const void* p) { return _mm512_cvtepu8_epi16(_mm256_loadu_si256(static_cast<const __m256i*>(p))); }
KITTENS_INLINE vint widen_s8_to_16(const void* p) { return _mm512_cvtepi8_epi16(_mm256_loadu_si256(static_cast<const __m256i*>(p))); }
KITTENS_INLINE vfloat widen_half(const void* p) { return _mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(p))); }
KITTENS_INLINE void narrow_half(void* p, vfloat v) { _mm256_storeu_si256(static_cast<__m256i*>(p), _mm512_cvtps_ph(v, 0)); }
#else
inline constexpr int lanes = 8;
using vfloat = __m256;
using vint = __m256i;
KITTENS_INLINE vint vload(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
KITTENS_INLINE void vstore(void* p, vint v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
KITTENS_INLINE vfloat vload_float(const float* p) { return _mm256_loadu_ps(p); }
KITTENS_INLINE void vstore_float(float* p, vfloat v) { _mm256_storeu_ps(p, v); }
KITTENS_INLINE vint as_int(vfloat v) { return _mm256_castps_si256(v); }
KITTENS_INLINE vint vor(vint a, vint b) { return _mm256_or_si256(a, b); }
KITTENS_INLINE vint vand(vint a, vint b) { return _mm256_and_si256(a, b); }
KITTENS_INLINE vint vset(std::uint32_t x) { return _mm256_set1_epi32(int(x)); }
KITTENS_INLINE vint vzero() { return _mm256_setzero_si256(); }
template <int N> KITTENS_INLINE vint vshl(vint a) { return _mm256_slli_epi32(a, N); }
KITTENS_INLINE vint widen_u16(const void* p) { return _mm256_cvtepu16_epi32(_mm_loadu_si128(static_cast<const __m128i*>(p))); }
KITTENS_INLINE vint widen_u8(const void* p) { return _mm256_cvtepu8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(p))); }
KITTENS_INLINE vint widen_s8(const void* p) { return _mm256_cvtepi8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(p))); }
KITTENS_INLINE vint widen_u8_to_16(const void* p) { return _mm256_cvtepu8_epi16(_mm_loadu_si128(static_cast<const __m128i*>(p))); }
KITTENS_INLINE vint widen_s8_to_16(const void* p) { return _mm256_cvtepi8_epi16(_mm_loadu_si128(static_cast<const __m128i*>(p))); }
KITTENS_INLINE vfloat widen_half(const void* p) { return _mm256_cvtph_ps(_mm_loadu_si128(static_cast<const __m128i*>(p))); }
KITTENS_INLINE void narrow_half(void* p, vfloat v) { _mm_storeu_si128(static_cast<__m128i*>(p), _mm256_cvtps_ph(v, 0)); }
#endif

/// Sum of units that hold T each, float or int32.
template <class T> KITTENS_INLINE vint vadd(vint a, vint b) {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<T, float>) return _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b)));
    else return _mm512_add_epi32(a, b);
#else
    if constexpr (std::is_same_v<T, float>) return _mm256_castps_si256(_mm256_add_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)));
    else return _mm256_add_epi32(a, b);
#endif
}

/// What arithmetic on T is done in.
template <class T> using wide_t = std::conditional_t<is_integer_element<T>, int32, float>;

/// Unit vectors in memory are plain arrays of these.
using unit = std::uint32_t;

/// 8-bit floats have 256 values.
template <class T> struct small_float_table {
    float value[256];
    constexpr small_float_table() : value{} {
        for (int i = 0; i < 256; ++i) {
            T t(0.0f);
            t.bits = std::uint8_t(i);
            value[i] = float(t);
        }
    }
};
template <class T> inline constexpr small_float_table<T> float_values{};

/// out[i] = in[i] in the compute type; n is a multiple of 16.
template <class T>
KITTENS_INLINE void widen(const T* in, wide_t<T>* out, int n) {
    if constexpr (std::is_same_v<T, half>) {
        for (int i = 0; i < n; i += lanes) vstore_float(out + i, widen_half(in + i));
    } else if constexpr (std::is_same_v<T, fp8e4m3> || std::is_same_v<T, fp8e5m2>) {
        for (int i = 0; i < n; ++i) out[i] = float_values<T>.value[in[i].bits];
    } else if constexpr (std::is_same_v<T, bf16>) {
        for (int i = 0; i < n; i += lanes) vstore(out + i, vshl<16>(widen_u16(in + i)));
    } else {
        KITTENS_VECTOR_LOOP
        for (int i = 0; i < n; ++i) out[i] = wide_t<T>(in[i]);
    }
}

/// out[i] = in[i] rounded to nearest even, or saturated; n is a multiple of 16.
template <class T>
KITTENS_INLINE void narrow(const wide_t<T>* in, T* out, int n) {
    if constexpr (std::is_same_v<T, half>) {
        for (int i = 0; i < n; i += lanes) narrow_half(out + i, vload_float(in + i));
    } else if constexpr (std::is_same_v<T, bf16>) {
#if defined(__AVX512BF16__)
        int i = 0;
        for (; i + 32 <= n; i += 32) {
            const auto h = _mm512_cvtne2ps_pbh(vload_float(in + i + 16), vload_float(in + i));
            std::memcpy(static_cast<void*>(out + i), &h, 64);
        }
        for (; i < n; i += 16) {
            const auto h = _mm512_cvtneps_pbh(vload_float(in + i));
            std::memcpy(static_cast<void*>(out + i), &h, 32);
        }
#else
        KITTENS_VECTOR_LOOP
        for (int i = 0; i < n; ++i) out[i] = bf16(in[i]);
#endif
    } else {
        KITTENS_VECTOR_LOOP
        for (int i = 0; i < n; ++i) out[i] = convert<T>(in[i]);
    }
}

/// out = in converted to another element type; n is a multiple of 16.
template <class To, class From>
KITTENS_INLINE void convert_row(const From* in, To* out, int n) {
    if constexpr (std::is_same_v<To, From>) {
        std::memcpy(static_cast<void*>(out), in, n * sizeof(To));
    } else if constexpr (std::is_same_v<wide_t<From>, From> && std::is_same_v<wide_t<To>, From>) {
        narrow<To>(in, out, n);
    } else if constexpr (std::is_same_v<wide_t<To>, To> && std::is_same_v<wide_t<From>, To>) {
        widen<From>(in, out, n);
    } else if constexpr (std::is_same_v<wide_t<From>, wide_t<To>>) {
        for (int i = 0; i < n; i += 16) {
            alignas(64) wide_t<From> wide[16];
            widen<From>(in + i, wide, 16);
            narrow<To>(wide, out + i, 16);
        }
    } else {
        for (int i = 0; i < n; i += 16) {
            alignas(64) wide_t<From> wide[16];
            alignas(64) wide_t<To> other[16];
            widen<From>(in + i, wide, 16);
            for (int j = 0; j < 16; ++j) other[j] = convert<wide_t<To>>(wide[j]);
            narrow<To>(other, out + i, 16);
        }
    }
}

}  // namespace kittens::inline KITTENS_NS::lower
