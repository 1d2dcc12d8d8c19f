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
typedef int native_int __attribute__((vector_size(4 * lanes)));
KITTENS_INLINE native_float native_load(const float* p) { return __builtin_bit_cast(native_float, vload_float(p)); }
KITTENS_INLINE void native_store(float* p, native_float v) { vstore_float(p, __builtin_bit_cast(vfloat, v)); }

template <class, class T> using same = T;
/// Whether f takes native vectors: all operands are floats, and it is a function of any type.
template <class F, class... S>
inline constexpr bool takes_vectors = (std::is_same_v<typename S::word, float> && ...) && std::is_invocable_v<F, same<S, native_float>...>;

#if !defined(__AVX512BF16__)
/// Floats whose upper halves are them rounded to bf16, for what is computed from bf16 elements: arithmetic keeps a NaN's bits or makes one
/// whose lower half is zero, too, so that rounding cannot carry out of it.
KITTENS_INLINE native_int round_upper_half_of_bf16s(native_float v) {
    const auto bits = __builtin_bit_cast(native_int, v);
    return bits + (((bits >> 16) & 1) + 0x7fff);
}
/// The same for any floats.
KITTENS_INLINE vint round_upper_half(native_float v) {
    const native_int is_nan = v != v;
    return __builtin_bit_cast(vint, (is_nan & (__builtin_bit_cast(native_int, v) | 0x400000)) | (~is_nan & round_upper_half_of_bf16s(v)));
}
#endif
template <class T> KITTENS_INLINE float round_as(float x) { return rounded<T>(x); }
template <class T> KITTENS_INLINE native_float round_as(native_float x) {
    if constexpr (is_wide<T>) return x;
    else if constexpr (std::is_same_v<T, half>) {
#if defined(__AVX512F__)
        return __builtin_bit_cast(native_float, _mm512_cvtph_ps(_mm512_cvtps_ph(__builtin_bit_cast(vfloat, x), 0)));
#else
        return __builtin_bit_cast(native_float, _mm256_cvtph_ps(_mm256_cvtps_ph(__builtin_bit_cast(vfloat, x), 0)));
#endif
    } else if constexpr (std::is_same_v<T, bf16>) {
#if defined(__AVX512BF16__)
        const auto halves = __builtin_bit_cast(__m256i, _mm512_cvtneps_pbh(__builtin_bit_cast(vfloat, x)));
        return __builtin_bit_cast(native_float, vshl<16>(_mm512_cvtepu16_epi32(halves)));
#else
        return __builtin_bit_cast(native_float, vand(round_upper_half(x), vset(0xffff0000u)));
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

/// Two native vectors of floats, which stand for 2 * lanes neighbouring elements.
struct native_two {
    native_float a, b;
};
template <class F, class... T> KITTENS_INLINE native_two each_of_two(F f, const T&... x) { return {f(x.a...), f(x.b...)}; }

/// Two vectors from 2 * lanes elements. Interleaved: the even elements and the odd ones, which for bf16 is a shift and a mask
/// of one load; otherwise the first half and the second.
template <bool Interleaved, class T> KITTENS_INLINE native_two widen_two(const T* p) {
    if constexpr (Interleaved) {
        const vint both = vload(p);
        return {__builtin_bit_cast(native_float, vshl<16>(both)), __builtin_bit_cast(native_float, vand(both, vset(0xffff0000u)))};
    } else return {native_widen(p), native_widen(p + lanes)};
}

/// The elements that two vectors stand for, rounded to nearest even.
template <bool Interleaved, class T> KITTENS_INLINE vint narrow_two(const native_two& v) {
    if constexpr (Interleaved) {
#if defined(__AVX512BF16__)
        alignas(64) static constexpr short places[32] = {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
        const auto halves = _mm512_cvtne2ps_pbh(__builtin_bit_cast(vfloat, v.b), __builtin_bit_cast(vfloat, v.a));
        return _mm512_permutexvar_epi16(vload(places), __builtin_bit_cast(vint, halves));
#else
        const auto a = __builtin_bit_cast(vint, round_upper_half_of_bf16s(v.a)), b = __builtin_bit_cast(vint, round_upper_half_of_bf16s(v.b));
#if defined(__AVX512F__)
        return _mm512_mask_blend_epi16(0xaaaaaaaau, _mm512_srli_epi32(a, 16), b);
#else
        return _mm256_blend_epi16(_mm256_srli_epi32(a, 16), b, 0xaa);
#endif
#endif
    } else {
        if constexpr (std::is_same_v<T, bf16>) {
#if defined(__AVX512BF16__)
            return __builtin_bit_cast(vint, _mm512_cvtne2ps_pbh(__builtin_bit_cast(vfloat, v.b), __builtin_bit_cast(vfloat, v.a)));
#elif defined(__AVX512F__)
            const auto upper = [](native_float x) { return _mm512_cvtepi32_epi16(_mm512_srli_epi32(round_upper_half(x), 16)); };
            return _mm512_inserti64x4(_mm512_castsi256_si512(upper(v.a)), upper(v.b), 1);
#else
            const auto upper = [](native_float x) { return _mm256_srli_epi32(round_upper_half(x), 16); };
            return _mm256_permute4x64_epi64(_mm256_packus_epi32(upper(v.a), upper(v.b)), 0xd8);
#endif
        }
        if constexpr (std::is_same_v<T, half>) {
            const auto a = __builtin_bit_cast(vfloat, v.a), b = __builtin_bit_cast(vfloat, v.b);
#if defined(__AVX512F__)
            return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtps_ph(a, 0)), _mm512_cvtps_ph(b, 0), 1);
#else
            return _mm256_set_m128i(_mm256_cvtps_ph(b, 0), _mm256_cvtps_ph(a, 0));
#endif
        }
        alignas(64) T out[2 * lanes];
        native_narrow(out, v.a);
        native_narrow(out + lanes, v.b);
        return vload(out);
    }
}

/// An operand of one pass: a vector, or the part of a row in memory that it stands for.
template <class S> KITTENS_INLINE const float* elements_of(const S& v, int) requires(!is_memory_operand<S>) { return v.v; }
template <class S> KITTENS_INLINE auto* elements_of(const S& s, int length) requires(is_memory_operand<S>) { return address(s.from, place{s.at.b, s.at.d, s.at.r, s.at.c * length}); }
/// The same where they are read two vectors at a time.
template <class T> struct swapped_elements {
    const T* p;
    int distance;  ///< a multiple of 2 * lanes; or 1 where vectors are interleaved
};
template <class S> KITTENS_INLINE auto places_of(const S& s, int length) {
    if constexpr (is_memory_operand<S>) {
        if constexpr (S::swapped) return swapped_elements{elements_of(s, length), s.distance};
        else return elements_of(s, length);
    } else return elements_of(s, length);
}
template <bool Interleaved, class T> KITTENS_INLINE native_two two_at(const T* p, int i) { return widen_two<Interleaved>(p + i); }
template <bool Interleaved, class T> KITTENS_INLINE native_two two_at(const swapped_elements<T>& s, int i) {
    if (Interleaved && s.distance == 1) {
        const native_two there = widen_two<Interleaved>(s.p + i);
        return {there.b, there.a};
    }
    return widen_two<Interleaved>(s.p + (i ^ s.distance));
}
/// Whether two_at can: other operands are read into vectors first.
template <bool Interleaved, class S> KITTENS_INLINE bool has_places(const S& s) {
    if constexpr (is_memory_operand<S>)
        if constexpr (S::swapped) return s.distance % (2 * lanes) == 0 || (Interleaved && s.distance == 1);
    return true;
}
template <class S> constexpr bool is_swapped() {
    if constexpr (is_memory_operand<S>) return S::swapped;
    else return false;
}
/// Elements inside the tensor; a vector has all.
template <class S> KITTENS_INLINE int inside_of(const S& s, int length) {
    if constexpr (is_memory_operand<S>) {
        const clipped_area in(s.from, place{s.at.b, s.at.d, s.at.r, s.at.c * length}, 1, length);
        return in.skip_cols ? 0 : in.cols;
    } else return length;
}

/// Whether an operand is bf16 in memory.
template <class S> constexpr bool is_bf16_in_memory() {
    if constexpr (is_memory_operand<S>) return std::is_same_v<typename std::remove_cvref_t<decltype(S::from)>::value_type, bf16>;
    else return false;
}

/// Bytes of a block that is asked for in several streams (lines_ahead.hpp tells why), and of what is asked for at a time.
inline constexpr std::uint64_t soon_block = 32768, soon_step = 64 * request_streams;

/// Asks for the lines that belong to bytes [at, at + soon_step) of what is read soon: without gaps, a line of each stream of the block
/// behind.
KITTENS_INLINE void ask_for_lines(const lines_soon& soon, std::uint64_t at) {
    at += soon.at;
    if (soon.whole == 0) {
        for (int i = 0; i < request_streams; ++i) __builtin_prefetch(soon.first + at + 64 * i, 0, 2);
        return;
    }
    const std::uint64_t block = (at / soon_block + 1) * soon_block;
    if (block >= soon.whole) return;
    const char* const line = soon.first + block + at % soon_block / soon_step * 64;
    KITTENS_UNROLL
    for (int i = 0; i < request_streams; ++i) __builtin_prefetch(line + i * int(soon_block / request_streams), 0, 2);
}

/// Asks for what the operand said is read soon, where element i opens a piece.
template <class S> KITTENS_INLINE void ask(const S& s, int i) {
    if constexpr (is_memory_operand<S>) {
        constexpr int size = sizeof(typename std::remove_cvref_t<decltype(s.from)>::value_type), piece = int(soon_step) / size;
        if (i % piece != 0 || !s.soon[0].first) return;
        ask_for_lines(s.soon[0], std::uint64_t(i) * size);
        if (s.soon[1].first) ask_for_lines(s.soon[1], std::uint64_t(i) * size);
    }
}

/// Calls each(i) for every 2 * lanes of N elements, by pieces of what `ask` asks for at a time: a compiler then knows which i open one.
template <int N, class F> KITTENS_INLINE void for_pieces(F each) {
    constexpr int piece = N % (int(soon_step) / 2) == 0 ? int(soon_step) / 2 : 2 * lanes;
    for (int i = 0; i < N; i += piece) {
        KITTENS_UNROLL
        for (int j = 0; j < piece; j += 2 * lanes) each(i + j);
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

/// An operand as a register vector.
template <class D, class S> KITTENS_INLINE decltype(auto) as_vector(const S& s) {
    if constexpr (is_memory_operand<S>) {
        rv<float, D::length, D::form> v;
        load_vector(v, s.from, place{s.at.b, s.at.d, s.at.r, s.at.c * D::length});
        if constexpr (S::swapped) {
            rv<float, D::length, D::form> w;
            if (s.distance == 1) lower::swap_blocks<1>(w, v);
            else if (s.distance < 128) lower::swap_blocks(w, v, s.distance);
            else if constexpr (D::length > 128) lower::swap_blocks<128>(w, v);
            return w;
        } else return v;
    } else return (s);
}

template <vector D, class F, class... S>
KITTENS_INLINE void map_with(D& dst, F f, const S&... src) {
    const bool whole = ((inside_of(src, D::length) == D::length) && ...);
    if constexpr (is_wide<typename D::element> && D::length % lanes == 0 && !(is_swapped<S>() || ...) && std::is_invocable_v<F, same<S, native_float>...>) {
        if (whole) {
            [&](const auto*... p) __attribute__((always_inline)) {
                for (int i = 0; i < D::length; i += lanes) {
                    (ask(src, i), ...);
                    native_store(dst.v + i, f(native_widen(p + i)...));
                }
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

/// How results are stored: through the caches, or past them by whole vectors (aligned to their size) or in pieces of 32 bytes.
enum class leaving : int { cached, streamed, streamed_in_pieces };
template <leaving How> KITTENS_INLINE void store_native(void* to, vint v) {
    if constexpr (How == leaving::cached) vstore(to, v);
#if defined(__AVX512F__)
    else if constexpr (How == leaving::streamed) _mm512_stream_si512(static_cast<__m512i*>(to), v);
    else {
        _mm256_stream_si256(static_cast<__m256i*>(to), _mm512_castsi512_si256(v));
        _mm256_stream_si256(static_cast<__m256i*>(to) + 1, _mm512_extracti64x4_epi64(v, 1));
    }
#else
    else _mm256_stream_si256(static_cast<__m256i*>(to), v);
#endif
}

/// N elements of 16 bits, a multiple of 2 * lanes.
template <leaving How, bool Interleaved, class To, int N, class F, class Ask, class... P>
KITTENS_INLINE void store_pass(To* to, F f, const Ask& ask_for, const P&... p) {
    for_pieces<N>([&](int i) __attribute__((always_inline)) {
        ask_for(i);
        store_native<How>(to + i, narrow_two<Interleaved, To>(each_of_two(f, two_at<Interleaved>(p, i)...)));
    });
}

/// The right way for memory at `to`, as a function of it: f(leaving).
template <class F> KITTENS_INLINE void by_alignment(const void* to, bool streaming, F f) {
    const auto apart = reinterpret_cast<std::uintptr_t>(to) % sizeof(vint);
    if (streaming && apart == 0) f(std::integral_constant<leaving, leaving::streamed>{});
    else if (streaming && apart == 32) f(std::integral_constant<leaving, leaving::streamed_in_pieces>{});
    else f(std::integral_constant<leaving, leaving::cached>{});
}

template <class GL, class RV>
KITTENS_INLINE void store_vector_as(const GL& dst, const RV& src, const place& at, bool streaming) {
    using To = typename GL::value_type;
    const clipped_area in(dst, at, 1, RV::length);
    if (!streaming || in.skip_cols || sizeof(To) < 2) return store_vector(dst, src, at);
    if (in.rows == 0) return;
    To* const to = address(dst, at);
    if constexpr (sizeof(To) == 2 && RV::length % (2 * lanes) == 0 && std::is_same_v<typename RV::word, float>) {
        if (in.cols == RV::length) {
            by_alignment(to, true, [&](auto how) { store_pass<how(), false, To, RV::length>(to, [](native_float x) { return x; }, [](int) {}, static_cast<const float*>(src.v)); });
            return;
        }
    }
    stream_row(src.v, to, in.cols);
}

template <class RV, class GL, class F, class... S>
KITTENS_INLINE void store_with(const GL& dst, const place& at, bool streaming, F f, const S&... src) {
    using To = typename GL::value_type;
    const clipped_area in(dst, at, 1, RV::length);
    if (in.rows == 0) return;
    if constexpr (sizeof(To) == 2 && RV::length % (2 * lanes) == 0 && std::is_invocable_v<F, same<S, native_float>...>) {
        constexpr bool interleaved = std::is_same_v<To, bf16> && (is_bf16_in_memory<S>() && ...);
        const bool whole = in.cols == RV::length && ((inside_of(src, RV::length) == RV::length && has_places<interleaved>(src)) && ...);
        if (whole) {
            To* const to = address(dst, at);
            const auto ask_for = [&](int i) __attribute__((always_inline)) { (ask(src, i), ...); };
            by_alignment(to, streaming, [&](auto how) __attribute__((always_inline)) { store_pass<how(), interleaved, To, RV::length>(to, f, ask_for, places_of(src, RV::length)...); });
            return;
        }
    }
    rv<float, RV::length, RV::form> v;
    lower::map_with(v, f, src...);
    store_vector_as(dst, v, at, streaming);
}

/// Whether Op means the same for native vectors: max and min do not where there is a NaN.
template <class Op>
inline constexpr bool combines_vectors = !std::is_same_v<Op, base_ops::max> && !std::is_same_v<Op, base_ops::min> && requires(native_float x) { { Op::op(x, x) } -> std::same_as<native_float>; };

/// Four vectors of partial results side by side: one would wait for its own last operation.
template <class Op, vector V, class F, class... S>
KITTENS_INLINE auto reduce_with(F f, const S&... src) {
    if constexpr (V::length % (4 * lanes) == 0 && combines_vectors<Op> && std::is_invocable_v<F, same<S, native_float>...>) {
        if (((inside_of(src, V::length) == V::length) && ...)) {
            alignas(64) float last[16];
            [&](const auto*... p) __attribute__((always_inline)) {
                constexpr bool interleaved = (is_bf16_in_memory<S>() && ...);
                native_two x[2];
                KITTENS_UNROLL
                for (int k = 0; k < 2; ++k) {
                    (ask(src, 2 * k * lanes), ...);
                    x[k] = each_of_two(f, widen_two<interleaved>(p + 2 * k * lanes)...);
                }
                for (int j = 4 * lanes; j < V::length; j += 4 * lanes) {
                    KITTENS_UNROLL
                    for (int k = 0; k < 2; ++k) {
                        (ask(src, j + 2 * k * lanes), ...);
                        const native_two y = each_of_two(f, widen_two<interleaved>(p + j + 2 * k * lanes)...);
                        x[k].a = Op::op(x[k].a, y.a), x[k].b = Op::op(x[k].b, y.b);
                    }
                }
                const native_two both{Op::op(x[0].a, x[1].a), Op::op(x[0].b, x[1].b)};
                if constexpr (lanes == 16) native_store(last, Op::op(both.a, both.b));
                else native_store(last, both.a), native_store(last + lanes, both.b);
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
