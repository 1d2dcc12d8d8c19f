// SPDX-License-Identifier: Apache-2.0
// Rows of a matrix in memory times a few rows of another. Several rows are read at once: a processor's own prefetchers follow each
// of them, and stop at every page of a single one. A few lines ahead, lines are asked for into the first-level cache besides;
// the second-level cache, or further ahead, is slower.
#pragma once

#include <kittens/target/cpu/engine_few.hpp>
#include <kittens/target/cpu/movement.hpp>
#if defined(KITTENS_CPU_AMX)
#include <kittens/target/cpu/engine_amx.hpp>
#endif

namespace kittens::inline KITTENS_NS::lower {

namespace detail {

/// Elements of a line, and elements ahead of its use that one is asked for.
inline constexpr int dot_line = 32, dot_ahead = 256;

KITTENS_INLINE float dot_total(vfloat v) {
#if defined(__AVX512F__)
    return _mm512_reduce_add_ps(v);
#else
    __m128 x = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
#endif
}

/// sum[r][m] += 2 * lanes products of each pair of R rows of a and M rows of b.
template <int R, int M, class T> KITTENS_INLINE void dot_step(vfloat (&sum)[R][M], const T* a, std::int64_t stride, const T* const (&b)[M], std::int64_t k) {
#if defined(__AVX512BF16__)
    if constexpr (std::is_same_v<T, bf16>) {
        __m512bh right[M];
        KITTENS_UNROLL
        for (int m = 0; m < M; ++m) right[m] = __builtin_bit_cast(__m512bh, vload(b[m] + k));
        KITTENS_UNROLL
        for (int r = 0; r < R; ++r) {
            const auto left = __builtin_bit_cast(__m512bh, vload(a + r * stride));
            KITTENS_UNROLL
            for (int m = 0; m < M; ++m) sum[r][m] = _mm512_dpbf16_ps(sum[r][m], left, right[m]);
        }
        return;
    }
#endif
    // First one half of the elements, then the other, so that what is widened of both matrices and the sums fit the registers. Each
    // is widened once; those of the fewer rows stay.
    KITTENS_UNROLL
    for (int half_of = 0; half_of < 2; ++half_of) {
        const auto widened = [&](const T* p) __attribute__((always_inline)) { return half_of == 0 ? widen_two(p).a : widen_two(p).b; };
        if constexpr (R >= M) {
            vfloat right[M];
            KITTENS_UNROLL
            for (int m = 0; m < M; ++m) right[m] = widened(b[m] + k);
            KITTENS_UNROLL
            for (int r = 0; r < R; ++r) {
                const vfloat left = widened(a + r * stride);
                KITTENS_UNROLL
                for (int m = 0; m < M; ++m) sum[r][m] = few_multiply_add(left, right[m], sum[r][m]);
            }
        } else {
            vfloat left[R];
            KITTENS_UNROLL
            for (int r = 0; r < R; ++r) left[r] = widened(a + r * stride);
            KITTENS_UNROLL
            for (int m = 0; m < M; ++m) {
                const vfloat right = widened(b[m] + k);
                KITTENS_UNROLL
                for (int r = 0; r < R; ++r) sum[r][m] = few_multiply_add(left[r], right, sum[r][m]);
            }
        }
        // Loaded again, not kept in a register meanwhile.
        if constexpr (lanes == 8) asm volatile("" ::: "memory");
    }
}

/// to[m * pitch + r] += a(r, 0..n) * b(m, 0..n). `rows_b` of the M rows of b are there. Where n is near, what lies `after` elements
/// further in each row of a is asked for instead of what follows in it.
template <int R, int M, class T>
KITTENS_NOINLINE void dot_rows(float* to, int pitch, const T* a, std::int64_t stride, const T* b, std::int64_t b_stride, int rows_b, int n, std::int64_t after) {
    vfloat sum[R][M];
    KITTENS_UNROLL
    for (int r = 0; r < R; ++r) {
        KITTENS_UNROLL
        for (int m = 0; m < M; ++m) sum[r][m] = few_splat(0);
    }
    const T* right[M];
    for (int m = 0; m < M; ++m) right[m] = b + std::min(m, rows_b - 1) * b_stride;
    int k = 0;
    for (; k + dot_line <= n; k += dot_line) {
        const T* const soon = a + k + (k + dot_ahead < n ? dot_ahead : after);
        KITTENS_UNROLL
        for (int r = 0; r < R; ++r) __builtin_prefetch(soon + r * stride, 0, 3);
        KITTENS_UNROLL
        for (int i = 0; i < dot_line; i += 2 * lanes) dot_step(sum, a + k + i, stride, right, k + i);
    }
    if (k < n) {
        alignas(64) T last[R + M][dot_line];
        std::memset(static_cast<void*>(last), 0, sizeof last);
        const T* padded[M];
        for (int r = 0; r < R; ++r) std::memcpy(static_cast<void*>(last[r]), a + r * stride + k, (n - k) * sizeof(T));
        for (int m = 0; m < M; ++m) std::memcpy(static_cast<void*>(last[R + m]), right[m] + k, (n - k) * sizeof(T)), padded[m] = last[R + m];
        for (int i = 0; i < dot_line; i += 2 * lanes) dot_step(sum, static_cast<const T*>(last[0]) + i, dot_line, padded, i);
    }
    KITTENS_UNROLL
    for (int m = 0; m < M; ++m)
        if (m < rows_b) {
            KITTENS_UNROLL
            for (int r = 0; r < R; ++r) to[m * pitch + r] += dot_total(sum[r][m]);
        }
}

/// `rows` rows of a, R at a time and the rest one by one.
template <int R, int M, class T>
KITTENS_INLINE void dot_blocks(float* to, int pitch, const T* a, std::int64_t stride, int rows, const T* b, std::int64_t b_stride, int rows_b, int n, std::int64_t rest) {
    int r = 0;
    for (; r + R <= rows; r += R) dot_rows<R, M>(to + r, pitch, a + r * stride, stride, b, b_stride, rows_b, n, rest ? dot_ahead : R * stride - n + dot_ahead);
    for (; r < rows; ++r) dot_rows<1, M>(to + r, pitch, a + r * stride, stride, b, b_stride, rows_b, n, dot_ahead);
}

/// Products by vector instructions. `rest`: elements of the rows after these n.
template <class T>
KITTENS_INLINE void dot_vectors(float* to, int pitch, const T* a, std::int64_t stride, int rows, const T* b, std::int64_t b_stride, int rows_b, int n, std::int64_t rest) {
    constexpr bool many_registers = lanes == 16;
    if (rows_b == 1) return dot_blocks<8, 1>(to, pitch, a, stride, rows, b, b_stride, 1, n, rest);
    if (rows_b == 2) return dot_blocks<many_registers ? 8 : 4, 2>(to, pitch, a, stride, rows, b, b_stride, 2, n, rest);
    for (int m = 0; m < rows_b; m += 4)
        dot_blocks<many_registers ? 4 : 2, 4>(to + m * pitch, pitch, a, stride, rows, b + m * b_stride, b_stride, std::min(4, rows_b - m), n, rest);
}

#if defined(KITTENS_CPU_AMX)
/// Sixteen rows of a times up to sixteen of b: the rows of a are tiles where they lie.
KITTENS_NOINLINE inline void dot_tiles(float* to, int pitch, const bf16* a, std::int64_t stride, const bf16* b, std::int64_t b_stride, int rows_b, int n, std::int64_t rest) {
    constexpr int two = 4 * tile_side;  // elements of two tiles of depth, which have sums of their own: one would wait for itself
    const int tiles = (n + two - 1) / two * 2;
    const operand<bf16> few{b, b_stride, rows_b, n, true, false, true, 0, 0, 0, 0};
    panel_cache panels(0);
    bool pack = true;
    unit* right = panels.find(1, key_of<form_bf16>(few, n), std::size_t(tiles) * tile_units * sizeof(unit), &pack);
    if (pack) pack_right_tiles<form_bf16>(few, tiles, right);
    tile_clear<0>();
    tile_clear<1>();
    const std::int64_t bytes = stride * std::int64_t(sizeof(bf16)), after = rest ? dot_ahead : tile_side * stride - n + dot_ahead;
    const auto multiply = [&](const bf16* left, std::int64_t left_bytes) __attribute__((always_inline)) {
        tile_load<4>(left, left_bytes);
        tile_load<6>(right, 64);
        tile_multiply<bf16, bf16, 0, 4, 6>();
        tile_load<5>(left + two / 2, left_bytes);
        tile_load<7>(right + tile_units, 64);
        tile_multiply<bf16, bf16, 1, 5, 7>();
        right += 2 * tile_units;
    };
    int k = 0;
    for (; k + two <= n; k += two) {
        for (int i = 0; i < two; i += dot_line) {
            const bf16* const soon = a + k + i + (k + i + dot_ahead < n ? dot_ahead : after);
            KITTENS_UNROLL
            for (int r = 0; r < tile_side; ++r) __builtin_prefetch(soon + r * stride, 0, 3);
        }
        multiply(a + k, bytes);
    }
    if (k < n) {
        alignas(64) bf16 last[tile_side][two];
        std::memset(static_cast<void*>(last), 0, sizeof last);
        for (int r = 0; r < tile_side; ++r) std::memcpy(static_cast<void*>(last[r]), a + r * stride + k, (n - k) * sizeof(bf16));
        multiply(last[0], sizeof last[0]);
    }
    alignas(64) float sums[2][tile_side][tile_side];
    tile_store<0>(sums[0], 64);
    tile_store<1>(sums[1], 64);
    for (int m = 0; m < rows_b; ++m)
        for (int r = 0; r < tile_side; ++r) to[m * pitch + r] += sums[0][r][m] + sums[1][r][m];
}
#endif

}  // namespace detail

template <class Chunk, class V, int M, class A, class B>
KITTENS_INLINE void add_dot_products(V (&sums)[M], const A& a, int first, const B& b, int part, int parts) {
    using T = typename A::value_type;
    constexpr int pitch = V::length;
    const int rows = std::min(V::length, a.rows() - first), rows_b = std::min(M, b.rows()), cols = std::min(a.cols(), b.cols());
    if (rows <= 0) return;
    alignas(64) float to[M][pitch] = {};
    const T *const left = a.matrix(0, 0) + std::int64_t(first) * a.row_stride, *const right = b.matrix(0, 0);
    const auto add = [&](int from, int n) {
        const std::int64_t rest = cols - from - n;
#if defined(KITTENS_CPU_AMX)
        if constexpr (std::is_same_v<T, bf16> && M > 2)
            if (rows == tile_side && rows_b > 2) return detail::dot_tiles(to[0], pitch, left + from, a.row_stride, right + from, b.row_stride, rows_b, n, rest);
#endif
        // More rows than one pass takes come again, and should find those of a in a near cache.
        const int step = rows_b > 2 ? 512 : n;
        for (int k = 0; k < n; k += step)
            detail::dot_vectors(to[0], pitch, left + from + k, a.row_stride, rows, right + from + k, b.row_stride, rows_b, std::min(step, n - k), rest + n - std::min(n, k + step));
    };
    if (parts == 1) add(0, cols);
    else
        for (int c = part; c * Chunk::length < cols; c += parts) add(c * Chunk::length, std::min(Chunk::length, cols - c * Chunk::length));
    for (int m = 0; m < M; ++m)
        for (int r = 0; r < pitch; ++r) sums[m].v[r] += to[m][r];
}

}  // namespace kittens::inline KITTENS_NS::lower
