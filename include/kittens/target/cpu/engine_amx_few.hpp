// SPDX-License-Identifier: Apache-2.0
// AMX with at most 16 rows on the left, and operands on the right that are used once: attention's decoding. Packing a right operand
// costs as much as reading it, so the first product is computed transposed, with the keys as left operand where they lie, and the
// second one's values are packed by the half kilobyte, between the products.
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

/// c[16 x b.lanes] (+)= a * b, of the depth that is wanted.
KITTENS_NOINLINE inline void few_product(float* c, std::int64_t ldc, bool fresh, const operand<bf16>& a, const operand<bf16>& b, int depth) {
    using namespace detail;
    depth = std::min(depth, b.depth);
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
    // 64 columns, or the last 32.
    const auto columns = [&](auto pairs_, int col) __attribute__((always_inline)) {
        constexpr int pairs = pairs_;
        float* const to = c + col;
        if (fresh) {
            tile_clear<0>(), tile_clear<1>();
            if constexpr (pairs == 2) tile_clear<2>(), tile_clear<3>();
        } else {
            tile_load<0>(to, c_stride), tile_load<1>(to + tile_side, c_stride);
            if constexpr (pairs == 2) tile_load<2>(to + 2 * tile_side, c_stride), tile_load<3>(to + 3 * tile_side, c_stride);
        }
        int buffer = 0;
        const auto pack = [&](int k) __attribute__((always_inline)) {
            const bf16* from = b.data + std::int64_t(k) * b.stride + col;
            const int units = std::min(tile_side, (depth - k + 1) / 2);
            KITTENS_UNROLL_BY(4)
            for (int u = 0; u < units; ++u, from += 2 * b.stride) {
                const bool whole = k + 2 * u + 1 < depth;
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
        for (int k = 0; k < depth; k += few_keys, buffer ^= 1) {
            pack(k);
            multiply(k);
        }
        tile_store<0>(to, c_stride), tile_store<1>(to + tile_side, c_stride);
        if constexpr (pairs == 2) tile_store<2>(to + 2 * tile_side, c_stride), tile_store<3>(to + 3 * tile_side, c_stride);
    };
    int col = 0;
    for (; col + 64 <= b.lanes; col += 64) columns(std::integral_constant<int, 2>{}, col);
    if (col < b.lanes) columns(std::integral_constant<int, 1>{}, col);
}

}  // namespace kittens::inline KITTENS_NS::lower

#endif
