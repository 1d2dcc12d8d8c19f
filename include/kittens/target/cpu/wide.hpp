// SPDX-License-Identifier: Apache-2.0
// Maps and reductions of several vectors in one pass, and stores past the caches.
#pragma once

#include <kittens/ops/math.hpp>
#include <kittens/ops/memory_operand.hpp>
#include <kittens/target/cpu/movement.hpp>
#include <kittens/target/cpu/reductions.hpp>

namespace kittens::inline KITTENS_NS::lower {

/// A native vector as the compiler's own type, on which functions that are written for any type (`auto`) work as they are.
typedef float native_float __attribute__((vector_size(4 * lanes)));
KITTENS_INLINE native_float native_load(const float* p) { return __builtin_bit_cast(native_float, vload_float(p)); }
KITTENS_INLINE void native_store(float* p, native_float v) { vstore_float(p, __builtin_bit_cast(vfloat, v)); }

template <class, class T> using same = T;
/// Whether f takes native vectors: all operands are floats, and it is a function of any type.
template <class F, class... S>
inline constexpr bool takes_vectors = (std::is_same_v<typename S::word, float> && ...) && std::is_invocable_v<F, same<S, native_float>...>;

template <class T> KITTENS_INLINE float round_as(float x) { return rounded<T>(x); }
template <class T> KITTENS_INLINE native_float round_as(native_float x) {
    if constexpr (is_wide<T>) return x;
    else if constexpr (std::is_same_v<T, half>) {
#if defined(__AVX512F__)
        return __builtin_bit_cast(native_float, _mm512_cvtph_ps(_mm512_cvtps_ph(__builtin_bit_cast(vfloat, x), 0)));
#else
        return __builtin_bit_cast(native_float, _mm256_cvtph_ps(_mm256_cvtps_ph(__builtin_bit_cast(vfloat, x), 0)));
#endif
    } else {
        alignas(64) float v[16] = {};
        T narrow_form[16];
        native_store(v, x);
        narrow<T>(v, narrow_form, 16);
        widen<T>(narrow_form, v, 16);
        return native_load(v);
    }
}

/// Native vectors of `lanes` elements, as an operand gives them.
template <class T> KITTENS_INLINE native_float native_widen(const T* p) {
    if constexpr (std::is_same_v<T, float>) return native_load(p);
    else if constexpr (std::is_same_v<T, half>) return __builtin_bit_cast(native_float, widen_half(p));
    else if constexpr (std::is_same_v<T, bf16>) return __builtin_bit_cast(native_float, vshl<16>(widen_u16(p)));
    else {
        alignas(64) float v[16];
        for (int i = 0; i < lanes; ++i) v[i] = float(convert<float>(p[i]));
        return native_load(v);
    }
}
template <class T> KITTENS_INLINE void native_narrow(T* p, native_float v) {
    if constexpr (std::is_same_v<T, float>) native_store(p, v);
    else if constexpr (std::is_same_v<T, half>) narrow_half(p, __builtin_bit_cast(vfloat, v));
    else {
        alignas(64) float wide[16] = {};
        T out[16];
        native_store(wide, v);
        narrow<T>(wide, out, 16);
        std::memcpy(static_cast<void*>(p), out, lanes * sizeof(T));
    }
}

/// An operand of one pass: a vector, or the part of a row in memory that it stands for.
template <class S> KITTENS_INLINE const float* elements_of(const S& v, int) requires(!is_memory_operand<S>) { return v.v; }
template <class S> KITTENS_INLINE auto* elements_of(const S& s, int length) requires(is_memory_operand<S>) { return address(s.from, place{s.at.b, s.at.d, s.at.r, s.at.c * length}); }
/// Elements inside the tensor; a vector has all.
template <class S> KITTENS_INLINE int inside_of(const S& s, int length) {
    if constexpr (is_memory_operand<S>) {
        const clipped_area in(s.from, place{s.at.b, s.at.d, s.at.r, s.at.c * length}, 1, length);
        return in.skip_cols ? 0 : in.cols;
    } else return length;
}

/// Asks for the line at elements [i, i + 32) of what the operand said is read soon.
template <class S> KITTENS_INLINE void ask(const S& s, int i) {
    if constexpr (is_memory_operand<S>) {
        if ((i & 31) != 0 || !s.soon[0]) return;
        const std::size_t offset = std::size_t(i) * sizeof(typename std::remove_cvref_t<decltype(s.from)>::value_type);
        __builtin_prefetch(static_cast<const char*>(s.soon[0]) + offset, 0, 2);
        if (s.soon[1]) __builtin_prefetch(static_cast<const char*>(s.soon[1]) + offset, 0, 2);
    }
}

KITTENS_INLINE void finish_stores(bool streaming) {
    if (streaming) _mm_sfence();
}

template <vector V> KITTENS_INLINE void swap_blocks(V& dst, const V& src, int distance) {
    V r;
    if (distance % lanes == 0) {
        for (int i = 0; i < V::length; i += lanes) native_store(r.v + i, native_load(src.v + (i ^ distance)));
    } else {
        for (int i = 0; i < V::length; ++i) r.v[i] = src.v[i ^ distance];
    }
    dst = r;
}

template <int Distance, vector V> KITTENS_INLINE void swap_blocks(V& dst, const V& src) { lower::swap_blocks(dst, src, Distance); }

template <vector D, class F, class... S>
KITTENS_INLINE void map_with(D& dst, F f, const S&... src) {
    const bool whole = ((inside_of(src, D::length) == D::length) && ...);
    if constexpr (is_wide<typename D::element> && D::length % lanes == 0 && std::is_invocable_v<F, same<S, native_float>...>) {
        if (whole) {
            [&](const auto*... p) __attribute__((always_inline)) {
                for (int i = 0; i < D::length; i += lanes) native_store(dst.v + i, f(native_widen(p + i)...));
            }(elements_of(src, D::length)...);
            return;
        }
    }
    [&](const auto&... v) {
        for (int i = 0; i < D::length; ++i) dst.v[i] = rounded<typename D::element>(f(v.v[i]...));
    }(as_vector<D>(src)...);
}

/// n elements, converted, past the caches but for what is beside whole pieces of 32 bytes.
template <class To, class From>
KITTENS_INLINE void stream_row(const From* from, To* to, int n) {
    constexpr int piece = 16;  // elements that are converted at a time
    const int head = int((32 - reinterpret_cast<std::uintptr_t>(to) % 32) % 32 / sizeof(To));
    int i = 0;
    for (; i < head && i < n; ++i) to[i] = convert<To>(from[i]);
    for (; i + piece <= n; i += piece) {
        alignas(64) To out[piece];
        convert_row(from + i, out, piece);
        for (int b = 0; b < int(sizeof out) / 32; ++b) {
            __m256i part;
            std::memcpy(&part, reinterpret_cast<const char*>(out) + 32 * b, 32);
            _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i) + b, part);
        }
    }
    for (; i < n; ++i) to[i] = convert<To>(from[i]);
}

template <class GL, class RV>
KITTENS_INLINE void store_vector_as(const GL& dst, const RV& src, const place& at, bool streaming) {
    const clipped_area in(dst, at, 1, RV::length);
    if (!streaming || in.skip_cols || sizeof(typename GL::value_type) < 2) return store_vector(dst, src, at);
    if (in.rows) stream_row(src.v, address(dst, at), in.cols);
}

/// n elements, a multiple of `lanes`, past the caches or through them; `to` is a multiple of 32 bytes where it is past them.
template <bool Streaming, class To, class F, class Ask, class... P>
KITTENS_INLINE void store_pass(To* to, int n, F f, const Ask& ask_for, const P*... p) {
    constexpr int step = sizeof(To) == 2 ? 16 : 8;  // elements of 32 bytes
    int i = 0;
    for (; i + step <= n; i += step) {
        ask_for(i);
        alignas(64) To out[step];
        for (int k = 0; k < step; k += lanes < step ? lanes : step) {
            if constexpr (lanes <= step) native_narrow(out + k, f(native_widen(p + i + k)...));
        }
        __m256i part;
        std::memcpy(&part, out, 32);
        if constexpr (Streaming) _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i), part);
        else _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), part);
    }
}

template <class RV, class GL, class F, class... S>
KITTENS_INLINE void store_with(const GL& dst, const place& at, bool streaming, F f, const S&... src) {
    using To = typename GL::value_type;
    const clipped_area in(dst, at, 1, RV::length);
    if (in.rows == 0) return;
    if constexpr (sizeof(To) == 2 && RV::length % 16 == 0 && std::is_invocable_v<F, same<S, native_float>...>) {
        const bool whole = in.cols == RV::length && ((inside_of(src, RV::length) == RV::length) && ...);
        if (whole) {
            To* const to = address(dst, at);
            const auto ask_for = [&](int i) __attribute__((always_inline)) { (ask(src, i), ...); };
            if (streaming && reinterpret_cast<std::uintptr_t>(to) % 32 == 0) store_pass<true>(to, RV::length, f, ask_for, elements_of(src, RV::length)...);
            else store_pass<false>(to, RV::length, f, ask_for, elements_of(src, RV::length)...);
            return;
        }
    }
    rv<float, RV::length, RV::form> v;
    lower::map_with(v, f, src...);
    store_vector_as(dst, v, at, streaming);
}

/// Four vectors of partial results side by side: one would wait for its own last addition.
template <class Op, vector V, class F, class... S>
KITTENS_INLINE auto reduce_with(F f, const S&... src) {
    if constexpr (V::length % (4 * lanes) == 0 && std::is_same_v<Op, base_ops::sum> && std::is_invocable_v<F, same<S, native_float>...>) {
        if (((inside_of(src, V::length) == V::length) && ...)) {
            alignas(64) float last[16] = {};
            [&](const auto*... p) __attribute__((always_inline)) {
                native_float x[4];
                KITTENS_UNROLL
                for (int k = 0; k < 4; ++k) x[k] = f(native_widen(p + k * lanes)...);
                for (int j = 4 * lanes; j < V::length; j += 4 * lanes) {
                    KITTENS_UNROLL
                    for (int k = 0; k < 4; ++k) x[k] = x[k] + f(native_widen(p + j + k * lanes)...);
                }
                native_store(last, (x[0] + x[1]) + (x[2] + x[3]));
            }(elements_of(src, V::length)...);
            return detail::combine_lanes<Op>(last);
        }
    }
    return [&](const auto&... v) {
        using X = decltype(f(v.v[0]...));
        alignas(64) X x[16];
        for (int l = 0; l < 16; ++l) x[l] = f(v.v[l]...);
        for (int j = 16; j < V::length; j += 16)
            for (int l = 0; l < 16; ++l) x[l] = Op::op(x[l], f(v.v[j + l]...));
        return detail::combine_lanes<Op>(x);
    }(as_vector<V>(src)...);
}

}  // namespace kittens::inline KITTENS_NS::lower
