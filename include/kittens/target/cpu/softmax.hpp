// SPDX-License-Identifier: Apache-2.0
// The steps of an online softmax in one pass over the scores. What the band leaves out is neither read nor computed.
#pragma once

#include <kittens/base/shape.hpp>
#include <kittens/target/cpu/engine_amx_few.hpp>
#include <kittens/target/cpu/engine_amx_weights.hpp>
#include <kittens/target/cpu/maps.hpp>
#include <kittens/target/cpu/math.hpp>
#include <kittens/target/cpu/mma.hpp>
#include <kittens/target/cpu/softmax_vector.hpp>
#include <kittens/tile/rt.hpp>

#include <cstring>

namespace kittens::inline KITTENS_NS::lower {

template <vector V, tile T>
KITTENS_INLINE void band_row_max(V& dst, const T& src, float scale, const band& inside) {
    src.settle();
    const vfloat by = detail::vsplat(scale);
    for (int i = 0; i < T::rows; ++i) {
        const detail::row_range in(inside, i, T::cols);
        const float* const row = src.row(i);
        // Four chains; where an operand is a NaN, the instruction gives the second.
        vfloat best[4];
        for (auto& b : best) b = detail::vsplat(-__builtin_inff());
        int j = in.from / lanes * lanes;
        if (j < in.from) {
            best[0] = detail::vmax(detail::keep_lanes(detail::vmul(vload_float(row + j), by), j, in.from, in.to), best[0]);
            j += lanes;
        }
        for (; j + 4 * lanes <= in.to; j += 4 * lanes) {
            KITTENS_UNROLL
            for (int k = 0; k < 4; ++k) best[k] = detail::vmax(detail::vmul(vload_float(row + j + k * lanes), by), best[k]);
        }
        for (; j < in.to; j += lanes) best[0] = detail::vmax(detail::keep_lanes(detail::vmul(vload_float(row + j), by), j, in.from, in.to), best[0]);
        dst.v[i] = detail::largest_of(detail::vmax(detail::vmax(best[0], best[1]), detail::vmax(best[2], best[3])));
    }
}

/// One row of band_weights.
template <tile P, vector V, tile T>
KITTENS_INLINE void band_weights_row(int i, P& dst, V& sums, V& peaks, const T& src, vfloat by, const V& reference, const band& inside) {
    using E = typename P::element;
    constexpr int two = 2 * lanes;
    static_assert(T::cols % 32 == 0 || two <= 16, "band_weights: the tile's columns must be a multiple of 32 on cpu");
    const detail::row_range in(inside, i, T::cols);
    const float* const row = src.row(i);
    E* const to = dst.row(i);
    const vfloat base = detail::vsplat(reference.v[i]);
    vfloat sum0 = detail::vsplat(0.0f), sum1 = sum0, peak0 = detail::vsplat(-__builtin_inff()), peak1 = peak0;
    const auto step = [&](int j, auto&& kept) {
        const vfloat x = kept(detail::vmul_sub(vload_float(row + j), by, base), j);
        const vfloat y = kept(detail::vmul_sub(vload_float(row + j + lanes), by, base), j + lanes);
        peak0 = detail::vmax(x, peak0);
        peak1 = detail::vmax(y, peak1);
        const vfloat p = detail::exp2_about<E>(x), q = detail::exp2_about<E>(y);
        sum0 = detail::vadd(sum0, p);
        sum1 = detail::vadd(sum1, q);
        detail::store_two(to + j, p, q);
    };
    const auto all = [](vfloat v, int) { return v; };
    const auto some = [&](vfloat v, int j) { return detail::keep_lanes(v, j, in.from, in.to); };
    int j = in.from / two * two;
    if (j > 0) std::memset(static_cast<void*>(to), 0, j * sizeof(E));
    if (j < in.from) {
        step(j, some);
        j += two;
    }
    for (; j + two <= in.to; j += two) step(j, all);
    if (j < in.to) {
        step(j, some);
        j += two;
    }
    if (j < T::cols) std::memset(static_cast<void*>(to + j), 0, (T::cols - j) * sizeof(E));
    sums.v[i] += detail::sum_of(detail::vadd(sum0, sum1));
    peaks.v[i] = detail::largest_of(detail::vmax(peak0, peak1));
}

template <tile P, vector V, tile T>
KITTENS_INLINE void band_weights(P& dst, V& sums, V& peaks, const T& src, float scale, const V& reference, const band& inside) {
    // Rows that count as zero, because there are fewer rows than the tile has, are worked out once.
    const int rows = src.borrowed.data || src.product_waits() ? T::rows : src.live_rows;
    src.settle();
    dst.overwrite();
    const vfloat by = detail::vsplat(scale);
    for (int i = 0; i < rows; ++i) band_weights_row(i, dst, sums, peaks, src, by, reference, inside);
    for (int i = rows; i < T::rows; ++i) {
        using E = typename P::element;
        const detail::row_range in(inside, i, T::cols);
        alignas(64) float weight[lanes];
        vstore_float(weight, detail::exp2_about<E>(detail::vsplat(-reference.v[i])));
        std::memset(static_cast<void*>(dst.row(i)), 0, T::cols * sizeof(E));
        std::fill(dst.row(i) + in.from, dst.row(i) + in.to, convert<E>(weight[0]));
        sums.v[i] += weight[0] * float(in.to - in.from);
        peaks.v[i] = in.to > in.from ? -reference.v[i] : -__builtin_inff();
    }
}

namespace detail {
/// Whether the types fit the matrix unit's way with scores.
template <int Rows, int Cols, class A>
inline constexpr bool has_score_tiles =
#if defined(KITTENS_CPU_AMX)
    std::is_same_v<typename A::element, bf16> && Rows == score_side && Cols % score_side == 0 && A::cols % (2 * tile_side) == 0;
#else
    false;
#endif

template <int Rows, int Cols, class A>
inline constexpr bool has_few_rows =
#if defined(KITTENS_CPU_AMX)
    std::is_same_v<typename A::element, bf16> && Rows <= tile_side && Cols % few_keys == 0 && A::cols % (2 * tile_side) == 0;
#else
    false;
#endif

/// What the band needs of the scores a * b.
template <tile A, tile B> KITTENS_INLINE auto scores_of(const A& a, const B& b, const band& inside) {
    rt<float, A::rows, B::cols, layout::row, default_base(A::rows, B::cols)> score;
    score.set_zero();
    lower::mma_AB(score, a, b, score, std::min(inside.cols, inside.upper + A::rows), 1 << 28, 1 << 28);
    return score;
}
}  // namespace detail

/// The weights of a * b. Returns the largest exponent, or somewhat more.
template <tile P, vector V, tile A, tile B>
KITTENS_INLINE float band_weights_AB(P& dst, V& sums, const A& a, const B& b, float scale, const V& reference, const band& inside) {
#if defined(KITTENS_CPU_AMX)
    if constexpr (detail::has_score_tiles<P::rows, P::cols, A>) {
        const auto left = operand_of<true>(a);
        const auto right = operand_of<false>(b);
        if (takes_tiles(left, right, inside, P::cols)) {
            dst.overwrite();
            return band_weights_tiles<A::cols>(dst, sums, left, right, scale, reference, inside);
        }
    }
    if constexpr (detail::has_few_rows<P::rows, P::cols, A>) {
        const auto left = operand_of<true>(a);
        const auto right = operand_of<false>(b);
        if (takes_few<A::cols>(left, right, inside, P::rows, P::cols)) {
            dst.overwrite();
            return band_weights_few<A::cols>(dst, sums, left, right, scale, reference, inside.cols);
        }
    }
#endif
    V peaks;
    lower::band_weights(dst, sums, peaks, detail::scores_of(a, b, inside), scale, reference, inside);
    float peak = peaks.v[0];
    for (int i = 1; i < P::rows; ++i) peak = lower::fmax(peaks.v[i], peak);
    return peak;
}

/// The largest of each row of a * b.
template <vector V, tile A, tile B>
KITTENS_INLINE void band_row_max_AB(V& dst, const A& a, const B& b, float scale, const band& inside) {
#if defined(KITTENS_CPU_AMX)
    if constexpr (detail::has_score_tiles<A::rows, B::cols, A>) {
        const auto left = operand_of<true>(a);
        const auto right = operand_of<false>(b);
        if (takes_tiles(left, right, inside, B::cols)) return band_row_max_tiles<A::cols>(dst, left, right, B::cols, scale, inside);
    }
    if constexpr (detail::has_few_rows<A::rows, B::cols, A>) {
        const auto left = operand_of<true>(a);
        const auto right = operand_of<false>(b);
        if (takes_few<A::cols>(left, right, inside, A::rows, B::cols)) return band_row_max_few<A::cols>(dst, left, right, scale, std::min(inside.cols, B::cols));
    }
#endif
    lower::band_row_max(dst, detail::scores_of(a, b, inside), scale, inside);
}

}  // namespace kittens::inline KITTENS_NS::lower
