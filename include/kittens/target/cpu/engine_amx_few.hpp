// SPDX-License-Identifier: Apache-2.0
// AMX with at most 16 rows on the left, and operands on the right that are used once: attention's decoding. Packing a right operand
// costs as much as reading it, so the first product is computed transposed, with the keys as left operand where they lie, and the
// second one takes values as they lie, in pairs of neighbouring columns, of which the weights' zeros leave out one.
#pragma once

#include <kittens/target/cpu/engine_amx_weights.hpp>
#include <kittens/target/cpu/lines_ahead.hpp>

#if defined(KITTENS_CPU_AMX)

namespace kittens::inline KITTENS_NS::lower {

namespace detail {

/// Keys of a step.
inline constexpr int few_keys = 32;

/// The rows as right operand: column r is row r. Rows beyond those that there are, are zero.
template <int Depth> KITTENS_INLINE const unit* few_rows(const operand<bf16>& a) {
    constexpr int tiles = Depth / (2 * tile_side);
    constexpr std::size_t bytes = tiles * tile_units * sizeof(unit);
    panel_cache panels(a.shared ? 0 : bytes);
    bool pack = true;
    panel_key key = key_of<form_bf16>(a, Depth);
    key.form += 1 << 16;
    unit* const rows = a.shared ? panels.find(0, key, bytes, &pack) : panels.temporary(0);
    if (pack) pack_right_tiles<form_bf16>(a, tiles, rows);
    return rows;
}

/// scores[key][row] of 32 keys. Up to four tiles of rows are in registers 0 to 3.
template <int Tiles> KITTENS_INLINE void few_scores(const std::byte* keys, std::int64_t stride, const unit* rows, float* scores) {
    tile_clear<6>();
    tile_clear<7>();
    [&]<std::size_t... K>(std::index_sequence<K...>) {
        (([&] {
             if constexpr (Tiles > 4) tile_load<K % 4>(rows + K * tile_units, 64);
             tile_load_stream<4>(keys + K * 64, stride);
             tile_multiply<bf16, bf16, 6, 4, K % 4>();
             tile_load_stream<5>(keys + tile_side * stride + K * 64, stride);
             tile_multiply<bf16, bf16, 7, 5, K % 4>();
         }()),
         ...);
    }(std::make_index_sequence<Tiles>{});
    tile_store<6>(scores, 64);
    tile_store<7>(scores + tile_side * tile_side, 64);
}

/// Calls take(scores[32][16], first) for the keys [0, seen), 32 at a time; keys that are not there are zero.
template <int Depth, class F> KITTENS_INLINE void for_few_scores(const operand<bf16>& a, const operand<bf16>& b, int seen, F take) {
    constexpr int tiles = Depth / (2 * tile_side);
    const unit* const rows = few_rows<Depth>(a);
    if constexpr (tiles <= 4) {
        [&]<std::size_t... K>(std::index_sequence<K...>) { (tile_load<K>(rows + K * tile_units, 64), ...); }(std::make_index_sequence<tiles>{});
    }
    alignas(64) float scores[2][few_keys * tile_side];
    const std::int64_t stride = b.stride * std::int64_t(sizeof(bf16));
    lines_ahead& ahead = asked_ahead;
    const auto compute = [&](int first) {
        const auto* keys = reinterpret_cast<const std::byte*>(b.data) + first * stride;
        float* const to = scores[first / few_keys & 1];
        if (first + few_keys <= b.lanes) few_scores<tiles>(keys, stride, rows, to);
        else {
            alignas(64) std::byte padded[few_keys][Depth * sizeof(bf16)];
            std::memset(padded, 0, sizeof padded);
            for (int i = 0; i < b.lanes - first; ++i) std::memcpy(padded[i], keys + i * stride, Depth * sizeof(bf16));
            few_scores<tiles>(padded[0], sizeof padded[0], rows, to);
        }
    };
    compute(0);
    for (int first = 0; first < seen; first += few_keys) {
        if (first + few_keys < seen) compute(first + few_keys);
        take(scores[first / few_keys & 1], first, [&] { ahead.some(tiles * 4); });
    }
}

/// Rows 2 i of a and 2 i + 1 of b, rounded.
KITTENS_INLINE vint two_weights(vfloat even, vfloat odd) {
    alignas(64) static constexpr auto order = [] {
        struct { std::uint16_t at[32]; } r{};
        for (int i = 0; i < 16; ++i) r.at[2 * i] = std::uint16_t(i), r.at[2 * i + 1] = std::uint16_t(16 + i);
        return r;
    }();
    return _mm512_permutexvar_epi16(vload(order.at), __builtin_bit_cast(vint, _mm512_cvtne2ps_pbh(odd, even)));
}

}  // namespace detail

/// Whether the operands are of a form that the functions below take: rows and keys along the depth, which is whole tiles, and a band that
/// leaves out columns at the end only.
template <int Depth> KITTENS_INLINE bool takes_few(const operand<bf16>& a, const operand<bf16>& b, const band& inside, int rows, int cols) {
    return a.along && b.along && a.depth == Depth && b.depth == Depth && b.shared && inside.lower <= 1 - rows && inside.upper >= cols - 1 && std::min(inside.cols, cols) <= b.lanes &&
           inside.cols > 0;
}

template <int Depth, tile P, vector V>
KITTENS_NOINLINE float band_weights_few(P& dst, V& sums, const operand<bf16>& a, const operand<bf16>& b, float scale, const V& reference, int cols) {
    using namespace detail;
    const int seen = std::min(cols, P::cols);
    const vfloat by = vsplat(scale), base = vload_float(reference.v), none = vsplat(-__builtin_inff());
    vfloat sum = vload_float(sums.v), peak = none;
    for_few_scores<Depth>(a, b, seen, [&](const float* scores, int first, auto meanwhile) {
        vint pairs[tile_side];
        KITTENS_UNROLL
        for (int t = 0; t < tile_side; ++t) {
            vfloat x = vmul_sub(vload_float(scores + 2 * t * tile_side), by, base), y = vmul_sub(vload_float(scores + (2 * t + 1) * tile_side), by, base);
            if (first + few_keys > seen) {
                if (first + 2 * t >= seen) x = none;
                if (first + 2 * t + 1 >= seen) y = none;
            }
            peak = vmax(vmax(x, y), peak);
            const vfloat p = exp2_about<bf16>(x), q = exp2_about<bf16>(y);
            sum = vadd(sum, vadd(p, q));
            pairs[t] = two_weights(p, q);
            if (t % 2 == 1) meanwhile();
        }
        transpose(pairs);
        for (int r = 0; r < tile_side; ++r) vstore(dst.row(r) + first, pairs[r]);
    });
    vstore_float(sums.v, sum);
    const int end = (seen + few_keys - 1) / few_keys * few_keys;
    for (int r = 0; end < P::cols && r < tile_side; ++r) std::memset(static_cast<void*>(dst.row(r) + end), 0, (P::cols - end) * sizeof(bf16));
    return largest_of(peak);
}

template <int Depth, vector V> KITTENS_NOINLINE void band_row_max_few(V& dst, const operand<bf16>& a, const operand<bf16>& b, float scale, int seen) {
    using namespace detail;
    const vfloat by = vsplat(scale), none = vsplat(-__builtin_inff());
    vfloat largest = none;
    for_few_scores<Depth>(a, b, seen, [&](const float* scores, int first, auto) {
        for (int i = 0; i < few_keys && first + i < seen; ++i) largest = vmax(vmul(vload_float(scores + i * tile_side), by), largest);
    });
    vstore_float(dst.v, largest);
}

/// Whether few_product takes a product: 16 rows of weights, and a right operand in memory that is used once by them.
KITTENS_INLINE bool takes_few_product(const operand<bf16>& a, const operand<bf16>& b) {
    return a.lanes == tile_side && a.along && !b.along && !b.packed && b.shared && b.lanes % (2 * tile_side) == 0 && a.depth % detail::few_keys == 0 && b.depth <= a.depth;
}

namespace detail {

/// Weights of 16 keys each: of a pair of columns, those that take the first and those that take the second.
struct alignas(64) few_weights {
    unit first[tile_units], second[tile_units];
};

/// c[rows x 64] (+)= the weights' products with 16 rows of `from` each, as they lie: a unit of a row is two columns. A zero leaves a column
/// out if what is there is finite: returns whether all sums are, and else leaves c as it is.
KITTENS_INLINE bool few_product_in_place(float* c, std::int64_t ldc, bool fresh, const few_weights* weights, int blocks, const std::byte* from, std::int64_t stride, int rows, lines_ahead& ahead) {
    tile_clear<0>(), tile_clear<1>(), tile_clear<2>(), tile_clear<3>();
    for (int i = 0; i < blocks; ++i, from += tile_side * stride) {
        tile_load_stream<6>(from, stride);
        ahead.some(8);
        tile_load<4>(weights[i].first, 64), tile_multiply<bf16, bf16, 0, 4, 6>();
        ahead.some(8);
        tile_load<5>(weights[i].second, 64), tile_multiply<bf16, bf16, 1, 5, 6>();
        tile_load_stream<7>(from + 64, stride);
        ahead.some(8);
        tile_multiply<bf16, bf16, 2, 4, 7>();
        ahead.some(8);
        tile_multiply<bf16, bf16, 3, 5, 7>();
    }
    alignas(64) float sums[4][tile_units];
    tile_store<0>(sums[0], 64), tile_store<1>(sums[1], 64), tile_store<2>(sums[2], 64), tile_store<3>(sums[3], 64);
    __mmask16 beyond = 0;
    for (int r = 0; r < rows; ++r) {
        KITTENS_UNROLL
        for (int t = 0; t < 4; ++t) beyond |= _mm512_fpclass_ps_mask(vload_float(sums[t] + r * tile_side), 0x99);
    }
    if (beyond) [[unlikely]] return false;
    const vint low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    for (int r = 0; r < rows; ++r, c += ldc) {
        KITTENS_UNROLL
        for (int t = 0; t < 2; ++t) {
            const vfloat a = vload_float(sums[2 * t] + r * tile_side), b = vload_float(sums[2 * t + 1] + r * tile_side);
            vfloat x = _mm512_permutex2var_ps(a, low, b), y = _mm512_permutex2var_ps(a, high, b);
            if (!fresh) x = vadd(x, vload_float(c + 32 * t)), y = vadd(y, vload_float(c + 32 * t + 16));
            vstore_float(c + 32 * t, x), vstore_float(c + 32 * t + 16, y);
        }
    }
    return true;
}

}  // namespace detail

/// c[16 x b.lanes] (+)= a * b, of the rows and of the depth that are wanted.
KITTENS_NOINLINE inline void few_product(float* c, std::int64_t ldc, bool fresh, const operand<bf16>& a, const operand<bf16>& b, int rows, int depth) {
    using namespace detail;
    depth = std::min(depth, b.depth), rows = std::min(rows, tile_side);
    alignas(64) static constexpr auto order = [] {
        struct { std::uint16_t low[32], high[32]; } r{};
        for (int i = 0; i < 16; ++i) {
            r.low[2 * i] = std::uint16_t(i), r.low[2 * i + 1] = std::uint16_t(32 + i);
            r.high[2 * i] = std::uint16_t(16 + i), r.high[2 * i + 1] = std::uint16_t(48 + i);
        }
        return r;
    }();
    alignas(64) unit packed[2][4 * tile_units];
    const vint low = vload(order.low), high = vload(order.high);
    lines_ahead& ahead = asked_ahead;
    const std::int64_t c_stride = ldc * std::int64_t(sizeof(float)), a_stride = a.stride * std::int64_t(sizeof(bf16));
    // 64 columns, or the last 32, of the values [first, end), packed.
    const auto columns = [&](auto pairs_, int col, int first, int end) __attribute__((noinline)) {
        constexpr int pairs = pairs_;
        float* const to = c + col;
        if (fresh && first == 0) {
            tile_clear<0>(), tile_clear<1>();
            if constexpr (pairs == 2) tile_clear<2>(), tile_clear<3>();
        } else {
            tile_load<0>(to, c_stride), tile_load<1>(to + tile_side, c_stride);
            if constexpr (pairs == 2) tile_load<2>(to + 2 * tile_side, c_stride), tile_load<3>(to + 3 * tile_side, c_stride);
        }
        int buffer = 0;
        const auto pack = [&](int k) __attribute__((always_inline)) {
            const bf16* from = b.data + std::int64_t(k) * b.stride + col;
            const int units = std::min(tile_side, (end - k + 1) / 2);
            KITTENS_UNROLL_BY(4)
            for (int u = 0; u < units; ++u, from += 2 * b.stride) {
                const bool whole = k + 2 * u + 1 < end;
                KITTENS_UNROLL
                for (int p = 0; p < pairs; ++p) {
                    const vint even = vload(from + 32 * p), odd = whole ? vload(from + b.stride + 32 * p) : vzero();
                    vstore(packed[buffer] + 2 * p * tile_units + u * tile_side, _mm512_permutex2var_epi16(even, low, odd));
                    vstore(packed[buffer] + (2 * p + 1) * tile_units + u * tile_side, _mm512_permutex2var_epi16(even, high, odd));
                }
                ahead.some(2 * pairs);
            }
            for (int u = units; u < tile_side; ++u)
                for (int p = 0; p < 2 * pairs; ++p) vstore(packed[buffer] + p * tile_units + u * tile_side, vzero());
        };
        const auto multiply = [&](int k) __attribute__((always_inline)) {
            const unit* const right = packed[buffer];
            tile_load<4>(reinterpret_cast<const std::byte*>(a.data) + k * sizeof(bf16), a_stride);
            tile_load<5>(right, 64), tile_multiply<bf16, bf16, 0, 4, 5>();
            tile_load<6>(right + tile_units, 64), tile_multiply<bf16, bf16, 1, 4, 6>();
            if constexpr (pairs == 2) {
                tile_load<7>(right + 2 * tile_units, 64), tile_multiply<bf16, bf16, 2, 4, 7>();
                tile_load<5>(right + 3 * tile_units, 64), tile_multiply<bf16, bf16, 3, 4, 5>();
            }
        };
        for (int k = first; k < end; k += few_keys, buffer ^= 1) {
            pack(k);
            multiply(k);
        }
        tile_store<0>(to, c_stride), tile_store<1>(to + tile_side, c_stride);
        if constexpr (pairs == 2) tile_store<2>(to + 2 * tile_side, c_stride), tile_store<3>(to + 3 * tile_side, c_stride);
    };
    if (fresh && rows < tile_side)
        for (int r = rows; r < tile_side; ++r) std::memset(c + r * ldc, 0, b.lanes * sizeof(float));

    constexpr int most = 8;
    few_weights weights[most];
    for (int k = 0; k < depth; k += most * tile_side) {
        const int end = std::min(depth, k + most * tile_side), blocks = (end - k) / tile_side, whole = k + blocks * tile_side;
        for (int i = 0; i < blocks; ++i)
            for (int r = 0; r < rows; ++r) {
                const vint w = widen_u16(a.data + r * a.stride + k + i * tile_side);
                vstore(weights[i].first + r * tile_side, w);
                vstore(weights[i].second + r * tile_side, vshl<16>(w));
            }
        int col = 0;
        for (; col + 64 <= b.lanes; col += 64) {
            const bf16* const from = b.data + std::int64_t(k) * b.stride + col;
            const bool there = blocks > 0 && few_product_in_place(c + col, ldc, fresh && k == 0, weights, blocks, reinterpret_cast<const std::byte*>(from), b.stride * std::int64_t(sizeof(bf16)), rows, ahead);
            if (!there || whole < end) columns(std::integral_constant<int, 2>{}, col, there ? whole : k, end);
        }
        if (col < b.lanes) columns(std::integral_constant<int, 1>{}, col, k, end);
    }
}

}  // namespace kittens::inline KITTENS_NS::lower

#endif
