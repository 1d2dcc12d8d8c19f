// SPDX-License-Identifier: Apache-2.0
// The steps of an online softmax, made of maps and reductions: the tile is in registers, so a pass more costs no memory.
#pragma once

#include <kittens/base/shape.hpp>
#include <kittens/target/xe/maps.hpp>
#include <kittens/target/xe/math.hpp>
#include <kittens/target/xe/mma.hpp>
#include <kittens/target/xe/reductions.hpp>

namespace kittens::inline KITTENS_NS::lower {

namespace detail {
struct take_max { KITTENS_INLINE static float op(float a, float b) { return lower::fmax(a, b); } };
struct take_sum { KITTENS_INLINE static float op(float a, float b) { return a + b; } };
}  // namespace detail

template <vector V, tile T>
KITTENS_INLINE void band_row_max(V& dst, const T& src, float scale, band inside) {
    T x;
    lower::map_elements(x, [=](int i, int j, float s) { return inside.holds(i, j) ? s * scale : -__builtin_inff(); }, src);
    reduce_rows<detail::take_max>(dst, x);
}

template <tile P, vector V, tile T>
KITTENS_INLINE void band_weights(P& dst, V& sums, V& peaks, const T& src, float scale, const V& reference, band inside) {
    T x;
    lower::map_rows(x, src, reference, [scale](float s, float r) { return s * scale - r; });
    lower::map_elements(x, [=](int i, int j, float e) { return inside.holds(i, j) ? e : -__builtin_inff(); }, x);
    reduce_rows<detail::take_max>(peaks, x);
    // The instruction may keep subnormal results.
    lower::map(x, x, [](float e) { return e < -126.0f ? 0.0f : lower::exp2(e); });
    V of_tile;
    reduce_rows<detail::take_sum>(of_tile, x);
    lower::map(sums, sums, of_tile, [](float a, float b) { return a + b; });
    lower::copy(dst, x);
}

namespace detail {
template <tile A, tile B> KITTENS_INLINE auto scores_of(const A& a, const B& b) {
    rt<float, A::rows, B::cols, layout::row, default_base(A::rows, B::cols)> score;
    lower::fill(score, 0.0f);
    lower::mma_AB(score, a, b, score);
    return score;
}
}  // namespace detail

template <tile P, vector V, tile A, tile B>
KITTENS_INLINE float band_weights_AB(P& dst, V& sums, const A& a, const B& b, float scale, const V& reference, band inside) {
    V peaks;
    lower::band_weights(dst, sums, peaks, detail::scores_of(a, b), scale, reference, inside);
    return reduce_vector<detail::take_max>(peaks);
}

template <vector V, tile A, tile B>
KITTENS_INLINE void band_row_max_AB(V& dst, const A& a, const B& b, float scale, band inside) {
    lower::band_row_max(dst, detail::scores_of(a, b), scale, inside);
}

}  // namespace kittens::inline KITTENS_NS::lower
