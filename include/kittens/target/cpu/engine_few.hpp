// SPDX-License-Identifier: Apache-2.0
// Products by vector instructions with few rows on the left and a right operand that is used once: attention's decoding. The right
// operand is read where it lies, since packing it would cost as much as the product.
#pragma once

#include <kittens/target/cpu/lines_ahead.hpp>
#include <kittens/target/cpu/pack.hpp>
#include <kittens/target/cpu/transpose.hpp>

namespace kittens::inline KITTENS_NS::lower {

namespace detail {

/// Rows that are computed together, and keys: sums of all pairs fill the registers, or half of them.
inline constexpr int few_row_block = 4, few_key_block = lanes / few_row_block;
inline constexpr int few_most_rows = 16, few_most_depth = 256;

KITTENS_INLINE vfloat as_floats(vint v) { return __builtin_bit_cast(vfloat, v); }
KITTENS_INLINE vfloat few_splat(float x) { return as_floats(vset(__builtin_bit_cast(std::uint32_t, x))); }
KITTENS_INLINE vfloat few_add(vfloat a, vfloat b) { return a + b; }
KITTENS_INLINE vfloat few_multiply_add(vfloat a, vfloat b, vfloat c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(a, b, c);
#else
    return _mm256_fmadd_ps(a, b, c);
#endif
}

/// 2 * lanes neighbouring elements as floats, in an order of the type's own: bf16 as those with even and with odd index, which takes
/// one instruction each.
struct two_vectors {
    vfloat a, b;
};
KITTENS_INLINE two_vectors widen_two(const bf16* p) {
    const vint both = vload(p);
    return {as_floats(vshl<16>(both)), as_floats(vand(both, vset(0xffff0000u)))};
}
KITTENS_INLINE two_vectors widen_two(const half* p) { return {widen_half(p), widen_half(p + lanes)}; }

/// From that order to the natural one.
template <class T> KITTENS_INLINE two_vectors in_order(two_vectors v) {
    if constexpr (std::is_same_v<T, half>) return v;
    else {
#if defined(__AVX512F__)
        const vint low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
        return {_mm512_permutex2var_ps(v.a, low, v.b), _mm512_permutex2var_ps(v.a, high, v.b)};
#else
        const vfloat low = _mm256_unpacklo_ps(v.a, v.b), high = _mm256_unpackhi_ps(v.a, v.b);
        return {_mm256_permute2f128_ps(low, high, 0x20), _mm256_permute2f128_ps(low, high, 0x31)};
#endif
    }
}

/// Lane i: the sum of the lanes of v[few_sum_place(i)]. Halving what is left of each vector while two become one takes half the shuffles
/// of a transposition.
constexpr int few_sum_place(int lane) {
    constexpr int within[] = {0, 2, 1, 3}, quarter[] = {0, lanes == 16 ? 8 : 4, 4, 12};
    return quarter[lane / 4] + within[lane % 4];
}
KITTENS_INLINE vfloat few_sums(vfloat* v) {
#if defined(__AVX512F__)
    KITTENS_UNROLL
    for (int i = 0; i < 8; ++i) v[i] = few_add(_mm512_shuffle_f32x4(v[i], v[i + 8], 0x44), _mm512_shuffle_f32x4(v[i], v[i + 8], 0xee));
    KITTENS_UNROLL
    for (int i = 0; i < 4; ++i) v[i] = few_add(_mm512_shuffle_f32x4(v[i], v[i + 4], 0x88), _mm512_shuffle_f32x4(v[i], v[i + 4], 0xdd));
    const auto low = [](vfloat a, vfloat b) { return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b))); };
    const auto high = [](vfloat a, vfloat b) { return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b))); };
    const vfloat x = few_add(low(v[0], v[2]), high(v[0], v[2])), y = few_add(low(v[1], v[3]), high(v[1], v[3]));
    return few_add(_mm512_shuffle_ps(x, y, 0x88), _mm512_shuffle_ps(x, y, 0xdd));
#else
    KITTENS_UNROLL
    for (int i = 0; i < 4; ++i) v[i] = few_add(_mm256_permute2f128_ps(v[i], v[i + 4], 0x20), _mm256_permute2f128_ps(v[i], v[i + 4], 0x31));
    const auto low = [](vfloat a, vfloat b) { return _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b))); };
    const auto high = [](vfloat a, vfloat b) { return _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b))); };
    const vfloat x = few_add(low(v[0], v[2]), high(v[0], v[2])), y = few_add(low(v[1], v[3]), high(v[1], v[3]));
    return few_add(_mm256_shuffle_ps(x, y, 0x88), _mm256_shuffle_ps(x, y, 0xdd));
#endif
}

}  // namespace detail

/// Whether few_product takes a product: both operands along the depth (scores of queries and keys), or the right one across it
/// (weights and values).
template <class T> KITTENS_INLINE bool takes_few_vectors(const operand<T>& a, const operand<T>& b, int rows) {
    constexpr int wide = 2 * lanes;
    if (rows > detail::few_most_rows || !a.along || b.packed || !b.shared) return false;
    return b.along ? a.depth == b.depth && a.depth % wide == 0 && a.depth <= detail::few_most_depth : b.lanes % wide == 0;
}

namespace detail {

/// c[rows x keys] (+)= a * b, with zeros for the columns from `keys` up to the next multiple of a vector.
template <class T> KITTENS_NOINLINE void few_dot_products(float* c, std::int64_t ldc, bool fresh, const operand<T>& a, const operand<T>& b, int rows, int keys) {
    constexpr int wide = 2 * lanes;
    alignas(64) float left[few_most_rows][few_most_depth];
    const int depth = a.depth, blocks = (rows + few_row_block - 1) / few_row_block;
    for (int r = 0; r < blocks * few_row_block; ++r)
        for (int d = 0; d < depth; d += wide) {
            const two_vectors v = r < rows ? widen_two(a.data + r * a.stride + d) : two_vectors{few_splat(0), few_splat(0)};
            vstore_float(left[r] + d, v.a);
            vstore_float(left[r] + d + lanes, v.b);
        }
    lines_ahead& ahead = asked_ahead;
    const int lines = (few_key_block * depth * int(sizeof(T)) + 63) / 64;
    for (int j = 0; j < keys; j += few_key_block) {
        const T* key[few_key_block];
        for (int i = 0; i < few_key_block; ++i) key[i] = b.data + std::min(j + i, keys - 1) * b.stride;
        ahead.some(lines);
        for (int block = 0; block < blocks; ++block) {
            const float* const from = left[block * few_row_block];
            vfloat sum[few_row_block][few_key_block];
            KITTENS_UNROLL
            for (int r = 0; r < few_row_block; ++r) {
                KITTENS_UNROLL
                for (int i = 0; i < few_key_block; ++i) sum[r][i] = few_splat(0);
            }
            for (int d = 0; d < depth; d += wide) {
                two_vectors v[few_key_block];
                KITTENS_UNROLL
                for (int i = 0; i < few_key_block; ++i) v[i] = widen_two(key[i] + d);
                KITTENS_UNROLL
                for (int r = 0; r < few_row_block; ++r) {
                    const vfloat a0 = vload_float(from + r * few_most_depth + d), a1 = vload_float(from + r * few_most_depth + d + lanes);
                    KITTENS_UNROLL
                    for (int i = 0; i < few_key_block; ++i) sum[r][i] = few_multiply_add(v[i].a, a0, sum[r][i]);
                    KITTENS_UNROLL
                    for (int i = 0; i < few_key_block; ++i) sum[r][i] = few_multiply_add(v[i].b, a1, sum[r][i]);
                }
            }
            // Lane r * few_key_block + i: the sum of sum[r][i].
            vfloat all[lanes];
            KITTENS_UNROLL
            for (int r = 0; r < few_row_block; ++r) {
                KITTENS_UNROLL
                for (int i = 0; i < few_key_block; ++i) all[few_sum_place(r * few_key_block + i)] = sum[r][i];
            }
            alignas(64) float totals[lanes];
            vstore_float(totals, few_sums(all));
            const int n_rows = std::min(few_row_block, rows - block * few_row_block), n_keys = std::min(few_key_block, keys - j);
            float* const to = c + block * few_row_block * ldc + j;
            if (fresh && n_keys == few_key_block)
                for (int r = 0; r < n_rows; ++r) std::memcpy(to + r * ldc, totals + r * few_key_block, few_key_block * sizeof(float));
            else
                for (int r = 0; r < n_rows; ++r)
                    for (int i = 0; i < n_keys; ++i) to[r * ldc + i] = fresh ? totals[r * few_key_block + i] : to[r * ldc + i] + totals[r * few_key_block + i];
        }
    }
    if (!fresh) return;
    for (int r = 0; r < rows; ++r)
        for (int j = keys; j % lanes != 0; ++j) c[r * ldc + j] = 0;
}

/// c[rows x b.lanes] (+)= a * b over `depth` rows of b.
template <class T> KITTENS_NOINLINE void few_sums_of_rows(float* c, std::int64_t ldc, bool fresh, const operand<T>& a, const operand<T>& b, int rows, int depth) {
    constexpr int wide = 2 * lanes, part = 128;
    alignas(64) float weights[few_most_rows][part];
    lines_ahead& ahead = asked_ahead;
    const int blocks = (rows + few_row_block - 1) / few_row_block;
    for (int first = 0; first < depth; first += part) {
        const int n = std::min(part, depth - first);
        for (int r = 0; r < blocks * few_row_block; ++r) {
            const T* const from = a.data + r * a.stride + first;
            const int whole = r < rows ? n / 16 * 16 : 0;
            if (whole > 0) convert_row(from, weights[r], whole);
            for (int k = whole; k < n; ++k) weights[r][k] = r < rows ? float(from[k]) : 0.0f;
        }
        for (int col = 0; col < b.lanes; col += wide)
            for (int block = 0; block < blocks; ++block) {
                two_vectors sum[few_row_block];
                for (auto& s : sum) s = {few_splat(0), few_splat(0)};
                const T* from = b.data + std::int64_t(first) * b.stride + col;
                const auto add = [&](int k) __attribute__((always_inline)) {
                    const two_vectors v = widen_two(from + k * b.stride);
                    KITTENS_UNROLL
                    for (int r = 0; r < few_row_block; ++r) {
                        const vfloat w = few_splat(weights[block * few_row_block + r][k]);
                        sum[r].a = few_multiply_add(v.a, w, sum[r].a);
                        sum[r].b = few_multiply_add(v.b, w, sum[r].b);
                    }
                };
                constexpr int together = 4 * 64 / (wide * int(sizeof(T)));
                int k = 0;
                for (; k + together <= n; k += together) {
                    if (block == 0) ahead.some(4);
                    KITTENS_UNROLL
                    for (int i = 0; i < together; ++i) add(k + i);
                }
                for (; k < n; ++k) add(k);
                for (int r = 0; r < few_row_block && block * few_row_block + r < rows; ++r) {
                    float* const to = c + (block * few_row_block + r) * ldc + col;
                    two_vectors v = in_order<T>(sum[r]);
                    if (!fresh || first > 0) v = {few_add(v.a, vload_float(to)), few_add(v.b, vload_float(to + lanes))};
                    vstore_float(to, v.a);
                    vstore_float(to + lanes, v.b);
                }
            }
    }
}

}  // namespace detail

/// c (+)= a * b of a product that takes_few_vectors() is true of: `rows` rows, `cols` columns and `depth` of depth are wanted.
template <class T> KITTENS_INLINE void few_vector_product(float* c, std::int64_t ldc, bool fresh, const operand<T>& a, const operand<T>& b, int rows, int cols, int depth) {
    if (b.along) detail::few_dot_products(c, ldc, fresh, a, b, rows, std::min(b.lanes, cols));
    else detail::few_sums_of_rows(c, ldc, fresh, a, b, rows, std::min({a.depth, b.depth, depth}));
}

}  // namespace kittens::inline KITTENS_NS::lower
