// SPDX-License-Identifier: Apache-2.0
// Element-wise work on tiles and vectors: loops over rows that the compiler vectorises.
#pragma once

#include <kittens/target/cpu/simd.hpp>
#include <kittens/target/cpu/storage.hpp>

namespace kittens::inline KITTENS_NS::lower {

template <class RT> concept tile = requires { RT::tile_layout; };
template <class RV> concept vector = requires { RV::length; };

template <class T> inline constexpr bool is_wide = std::is_same_v<T, wide_t<T>>;

/// v as T would hold it, in the compute type.
template <class T> KITTENS_INLINE wide_t<T> rounded(wide_t<T> v) {
    if constexpr (is_wide<T>) return v;
    else return wide_t<T>(convert<T>(v));
}

/// dst(i, j) = f(i, j, a(i, j)...), with f in the compute type. Tiles narrower than that go through pieces of a row.
template <tile D, class F, class... S>
KITTENS_INLINE void map_elements(D& dst, F f, const S&... src) {
    using T = typename D::element;
    (src.settle(), ...);
    dst.overwrite();
    if constexpr (is_wide<T>) {
        for (int i = 0; i < D::rows; ++i) {
            T* const to = dst.row(i);
            [&](const auto*... from) {
                KITTENS_VECTOR_LOOP
                for (int j = 0; j < D::cols; ++j) to[j] = T(f(i, j, from[j]...));
            }(src.row(i)...);
        }
    } else {
        constexpr int piece = D::cols % 64 == 0 ? 64 : D::cols % 32 == 0 ? 32 : 16;
        for (int i = 0; i < D::rows; ++i)
            for (int j0 = 0; j0 < D::cols; j0 += piece) {
                alignas(64) wide_t<T> out[piece];
                struct buffer { alignas(64) wide_t<T> x[piece]; };
                [&](const auto&... in) {
                    KITTENS_VECTOR_LOOP
                    for (int j = 0; j < piece; ++j) out[j] = wide_t<T>(f(i, j0 + j, in.x[j]...));
                }([&](const T* from) { buffer b; widen<T>(from, b.x, piece); return b; }(src.row(i) + j0)...);
                narrow<T>(out, dst.row(i) + j0, piece);
            }
    }
}

template <tile D, class F> KITTENS_INLINE void map(D& dst, const D& a, F f) {
    map_elements(dst, [&](int, int, auto x) { return f(x); }, a);
}
template <tile D, class F> KITTENS_INLINE void map(D& dst, const D& a, const D& b, F f) {
    map_elements(dst, [&](int, int, auto x, auto y) { return f(x, y); }, a, b);
}
template <tile D, class F> KITTENS_INLINE void map_indexed(D& dst, const D& a, F f) { map_elements(dst, f, a); }

template <tile D, class X> KITTENS_INLINE void fill(D& dst, X value) {
    using T = typename D::element;
    if (__builtin_bit_cast(std::uint32_t, wide_t<T>(value)) == 0) return dst.set_zero();
    const T v = convert<T>(wide_t<T>(value));
    dst.overwrite();
    for (int i = 0; i < D::rows; ++i) {
        T* const to = dst.row(i);
        for (int j = 0; j < D::cols; ++j) to[j] = v;
    }
}

template <tile D, vector V, class F> KITTENS_INLINE void map_rows(D& dst, const D& a, const V& per_row, F f) {
    using W = wide_t<typename D::element>;
    map_elements(dst, [&](int i, int, auto x) { return f(x, W(per_row.v[i])); }, a);
}
template <tile D, vector V, class F> KITTENS_INLINE void map_cols(D& dst, const D& a, const V& per_col, F f) {
    using W = wide_t<typename D::element>;
    map_elements(dst, [&](int, int j, auto x) { return f(x, W(per_col.v[j])); }, a);
}

template <tile D, tile S> KITTENS_INLINE void copy(D& dst, const S& src) {
    if constexpr (std::is_same_v<D, S>) {
        dst = src;
    } else {
        src.settle();
        dst.overwrite();
        for (int i = 0; i < D::rows; ++i) convert_row(src.row(i), dst.row(i), D::cols);
    }
}

template <vector D, class F> KITTENS_INLINE void map(D& dst, const D& a, F f) {
    KITTENS_VECTOR_LOOP
    for (int i = 0; i < D::length; ++i) dst.v[i] = rounded<typename D::element>(f(a.v[i]));
}
template <vector D, class F> KITTENS_INLINE void map(D& dst, const D& a, const D& b, F f) {
    KITTENS_VECTOR_LOOP
    for (int i = 0; i < D::length; ++i) dst.v[i] = rounded<typename D::element>(f(a.v[i], b.v[i]));
}
template <vector D, class F> KITTENS_INLINE void map_indexed(D& dst, const D& a, F f) {
    KITTENS_VECTOR_LOOP
    for (int i = 0; i < D::length; ++i) dst.v[i] = rounded<typename D::element>(f(i, a.v[i]));
}
template <vector D, class X> KITTENS_INLINE void fill(D& dst, X value) {
    using T = typename D::element;
    const auto v = rounded<T>(wide_t<T>(value));
    for (int i = 0; i < D::length; ++i) dst.v[i] = v;
}
template <vector D, vector S> KITTENS_INLINE void copy(D& dst, const S& src) {
    using T = typename D::element;
    KITTENS_VECTOR_LOOP
    for (int i = 0; i < D::length; ++i) dst.v[i] = wide_t<T>(convert<T>(src.v[i]));
}

}  // namespace kittens::inline KITTENS_NS::lower
