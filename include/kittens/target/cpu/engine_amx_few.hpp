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

/// Scores of a step, and what a store of the last key's 16 leaves behind them where fewer are kept.
template <int Rows> using few_step = float[few_keys * Rows + tile_side - Rows];

/// scores[key][row] of 32 keys and the first `Rows` rows. Up to four tiles of rows are in registers 0 to 3. A tile's rows are stored in
/// ascending order (the instruction can be resumed at a row), so that each overwrites what the one before has left of columns that are not wanted.
template <int Tiles, int Rows> KITTENS_INLINE void few_scores(const std::byte* keys, std::int64_t stride, const unit* rows, few_step<Rows>& scores, lines_ahead& ahead) {
    tile_clear<6>();
    tile_clear<7>();
    [&]<std::size_t... K>(std::index_sequence<K...>) {
        (([&] {
             if constexpr (Tiles > 4) tile_load<K % 4>(rows + K * tile_units, 64);
             tile_load_stream<4>(keys + K * 64, stride);
             tile_multiply<bf16, bf16, 6, 4, K % 4>();
             tile_load_stream<5>(keys + tile_side * stride + K * 64, stride);
             tile_multiply<bf16, bf16, 7, 5, K % 4>();
             ahead.some(16);
         }()),
         ...);
    }(std::make_index_sequence<Tiles>{});
    tile_store<6>(scores, Rows * sizeof(float));
    tile_store<7>(scores + tile_side * Rows, Rows * sizeof(float));
}

/// Calls take(scores[32][Rows], first) for the keys [0, seen), 32 at a time; keys that are not there are zero.
template <int Depth, int Rows, class F> KITTENS_INLINE void for_few_scores(const operand<bf16>& a, const operand<bf16>& b, int seen, F take) {
    constexpr int tiles = Depth / (2 * tile_side);
    const unit* const rows = few_rows<Depth>(a);
    if constexpr (tiles <= 4) {
        [&]<std::size_t... K>(std::index_sequence<K...>) { (tile_load<K>(rows + K * tile_units, 64), ...); }(std::make_index_sequence<tiles>{});
    }
    struct alignas(64) {
        few_step<Rows> of;
    } scores[2];
    const std::int64_t stride = b.stride * std::int64_t(sizeof(bf16));
    lines_ahead& ahead = asked_ahead;
    const auto compute = [&](int first) {
        const auto* keys = reinterpret_cast<const std::byte*>(b.data) + first * stride;
        auto& to = scores[first / few_keys & 1].of;
        if (first + few_keys <= b.lanes) few_scores<tiles, Rows>(keys, stride, rows, to, ahead);
        else {
            alignas(64) std::byte padded[few_keys][Depth * sizeof(bf16)];
            std::memset(padded, 0, sizeof padded);
            for (int i = 0; i < b.lanes - first; ++i) std::memcpy(padded[i], keys + i * stride, Depth * sizeof(bf16));
            few_scores<tiles, Rows>(padded[0], sizeof padded[0], rows, to, ahead);
        }
    };
    compute(0);
    for (int first = 0; first < seen; first += few_keys) {
        if (first + few_keys < seen) compute(first + few_keys);
        take(scores[first / few_keys & 1].of, first, [&] { ahead.some(tiles * 4); });
    }
}

/// 32 weights of 32 / Rows keys, rounded, row by row.
template <int Rows> KITTENS_INLINE vint few_row_major(vfloat first, vfloat second) {
    alignas(64) static constexpr auto order = [] {
        struct { std::uint16_t at[32]; } r{};
        for (int row = 0; row < Rows; ++row)
            for (int key = 0; key < 32 / Rows; ++key) r.at[row * (32 / Rows) + key] = std::uint16_t(key * Rows + row);
        return r;
    }();
    return _mm512_permutexvar_epi16(vload(order.at), __builtin_bit_cast(vint, _mm512_cvtne2ps_pbh(second, first)));
}

}  // namespace detail

/// Whether the operands are of a form that the functions below take: rows and keys along the depth, which is whole tiles, and a band that
/// leaves out columns at the end only.
template <int Depth> KITTENS_INLINE bool takes_few(const operand<bf16>& a, const operand<bf16>& b, const band& inside, int rows, int cols) {
    return a.along && b.along && a.depth == Depth && b.depth == Depth && b.shared && inside.lower <= 1 - rows && inside.upper >= cols - 1 && std::min(inside.cols, cols) <= b.lanes &&
           inside.cols > 0;
}

namespace detail {

/// Vectors hold the scores of 16 / Rows keys.
template <int Depth, int Rows, tile P, vector V>
KITTENS_NOINLINE float few_weights_of(P& dst, V& sums, const operand<bf16>& a, const operand<bf16>& b, float scale, const V& reference, int seen) {
    const auto all_keys = [](const float* rows) {
        if constexpr (Rows == 16) return vload_float(rows);
        else if constexpr (Rows == 8) return __builtin_bit_cast(vfloat, _mm512_broadcast_f32x8(_mm256_loadu_ps(rows)));
        else return _mm512_broadcast_f32x4(_mm_loadu_ps(rows));
    };
    const vfloat by = vsplat(scale), base = all_keys(reference.v), none = vsplat(-__builtin_inff());
    vfloat sum = vsplat(0.0f), peak = none;
    for_few_scores<Depth, Rows>(a, b, seen, [&](const few_step<Rows>& scores, int first, auto meanwhile) {
        constexpr int per_step = few_keys / Rows;
        vfloat sum_here = sum, peak_here = peak;  // in registers
        vint weights[Rows];
        KITTENS_UNROLL
        for (int t = 0; t < Rows; ++t) {
            const float* const from = scores + 2 * t * tile_side;
            vfloat x = vmul_sub(vload_float(from), by, base), y = vmul_sub(vload_float(from + tile_side), by, base);
            if (first + few_keys > seen) {
                const int there = (seen - first - t * per_step) * Rows;
                x = keep_lanes(x, 0, 0, there), y = keep_lanes(y, tile_side, 0, there);
            }
            peak_here = vmax(vmax(x, y), peak_here);
            const vfloat p = exp2_about<bf16>(x), q = exp2_about<bf16>(y);
            sum_here = vadd(sum_here, vadd(p, q));
            weights[t] = few_row_major<Rows>(p, q);
            if (t % (Rows / 4) == Rows / 4 - 1) meanwhile();
        }
        sum = sum_here, peak = peak_here;
        transpose(weights);
        KITTENS_UNROLL
        for (int r = 0; r < Rows; ++r) vstore(dst.row(r) + first, weights[r]);
    });
    alignas(64) float partial[tile_side];
    vstore_float(partial, sum);
    for (int i = 0; i < tile_side; ++i) sums.v[i % Rows] += partial[i];
    float largest = largest_of(peak);
    const int end = (seen + few_keys - 1) / few_keys * few_keys;
    for (int r = 0; end < P::cols && r < Rows; ++r) std::memset(static_cast<void*>(dst.row(r) + end), 0, (P::cols - end) * sizeof(bf16));
    // Rows that the tile does not have of memory are zero, and have a score of 0 for each key.
    if constexpr (Rows < P::rows) {
        alignas(64) float same[tile_side];
        vstore_float(same, exp2_about<bf16>(vmul(vload_float(reference.v), vsplat(-1.0f))));
        for (int r = Rows; r < P::rows; ++r) {
            std::fill_n(dst.row(r), seen, bf16(same[r]));
            std::memset(static_cast<void*>(dst.row(r) + seen), 0, (P::cols - seen) * sizeof(bf16));
            sums.v[r] += same[r] * float(seen);
            largest = largest < -reference.v[r] ? -reference.v[r] : largest;
        }
    }
    return largest;
}

}  // namespace detail

/// Of 16 rows at most; of less where they are.
template <int Depth, tile P, vector V>
KITTENS_INLINE float band_weights_few(P& dst, V& sums, const operand<bf16>& a, const operand<bf16>& b, float scale, const V& reference, int cols) {
    const int seen = std::min(cols, P::cols);
    if (a.lanes <= 4) return detail::few_weights_of<Depth, 4>(dst, sums, a, b, scale, reference, seen);
    if (a.lanes <= 8) return detail::few_weights_of<Depth, 8>(dst, sums, a, b, scale, reference, seen);
    return detail::few_weights_of<Depth, 16>(dst, sums, a, b, scale, reference, seen);
}

template <int Depth, vector V> KITTENS_NOINLINE void band_row_max_few(V& dst, const operand<bf16>& a, const operand<bf16>& b, float scale, int seen) {
    using namespace detail;
    const vfloat by = vsplat(scale), none = vsplat(-__builtin_inff());
    vfloat largest = none;
    for_few_scores<Depth, tile_side>(a, b, seen, [&](const few_step<tile_side>& scores, int first, auto) {
        for (int i = 0; i < few_keys && first + i < seen; ++i) largest = vmax(vmul(vload_float(scores + i * tile_side), by), largest);
    });
    vstore_float(dst.v, largest);
}

/// Whether few_product takes a product: 16 rows of weights, and a right operand in memory that is used once by them.
KITTENS_INLINE bool takes_few_product(const operand<bf16>& a, const operand<bf16>& b) {
    return a.lanes == tile_side && a.along && !b.along && !b.packed && b.shared && b.lanes % (2 * tile_side) == 0 && a.depth % detail::few_keys == 0 && b.depth <= a.depth;
}

namespace detail {

/// Weights of 16 keys each: of a pair of columns, those that take the first and those that take the second. Of up to 8 rows, the latter
/// are rows 8 and on of `first`, so that one product has both.
struct alignas(64) few_weights {
    unit first[tile_units], second[tile_units];
};
inline constexpr int few_rows_together = tile_side / 2;

/// c[rows x 32 Tiles] (+)= the weights' products with 16 rows of `from` each, as they lie: a unit of a row is two columns. A zero leaves a
/// column out if what is there is finite: returns whether all sums are, and else leaves c as it is.
template <int Tiles, bool Together>
KITTENS_INLINE bool few_product_in_place(float* c, std::int64_t ldc, bool fresh, const few_weights* weights, int blocks, const std::byte* from, std::int64_t stride, int rows, lines_ahead& ahead) {
    static_assert(Tiles <= (Together ? 4 : 2));
    constexpr int each = Together ? 1 : 2;  // tiles of sums for one of columns
    const auto for_tiles = [](auto f) __attribute__((always_inline)) {
        [&]<std::size_t... T>(std::index_sequence<T...>) __attribute__((always_inline)) { (f(std::integral_constant<int, int(T)>{}), ...); }(std::make_index_sequence<Tiles>{});
    };
    for_tiles([](auto t) __attribute__((always_inline)) {
        tile_clear<each * t()>();
        if constexpr (!Together) tile_clear<each * t() + 1>();
    });
    for (int i = 0; i < blocks; ++i, from += tile_side * stride) {
        tile_load<4>(weights[i].first, 64);
        if constexpr (!Together) tile_load<5>(weights[i].second, 64);
        for_tiles([&](auto t) __attribute__((always_inline)) {
            tile_load_stream<6 + t() % 2>(from + 64 * t(), stride);
            tile_multiply<bf16, bf16, each * t(), 4, 6 + t() % 2>();
            if constexpr (!Together) tile_multiply<bf16, bf16, each * t() + 1, 5, 6 + t() % 2>();
            ahead.some(tile_side);
        });
    }
    alignas(64) float sums[each * Tiles][tile_units];
    for_tiles([&](auto t) __attribute__((always_inline)) {
        tile_store<each * t()>(sums[each * t()], 64);
        if constexpr (!Together) tile_store<each * t() + 1>(sums[each * t() + 1], 64);
    });
    const auto first = [&](int t, int r) { return vload_float(sums[each * t] + r * tile_side); };
    const auto second = [&](int t, int r) { return vload_float(sums[each * t + each - 1] + (Together ? few_rows_together + r : r) * tile_side); };
    __mmask16 beyond = 0;
    for (int r = 0; r < rows; ++r) {
        KITTENS_UNROLL
        for (int t = 0; t < Tiles; ++t) beyond |= _mm512_fpclass_ps_mask(first(t, r), 0x99) | _mm512_fpclass_ps_mask(second(t, r), 0x99);
    }
    if (beyond) [[unlikely]] return false;
    const vint low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    for (int r = 0; r < rows; ++r, c += ldc) {
        KITTENS_UNROLL
        for (int t = 0; t < Tiles; ++t) {
            const vfloat a = first(t, r), b = second(t, r);
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
        const bool together = rows <= few_rows_together;
        for (int i = 0; i < blocks; ++i)
            for (int r = 0; r < rows; ++r) {
                const vint w = widen_u16(a.data + r * a.stride + k + i * tile_side);
                vstore(weights[i].first + r * tile_side, w);
                vstore(together ? weights[i].first + (few_rows_together + r) * tile_side : weights[i].second + r * tile_side, vshl<16>(w));
            }
        const auto in_place = [&](auto tiles, auto together_, int col) __attribute__((always_inline)) {
            const bf16* const from = b.data + std::int64_t(k) * b.stride + col;
            return few_product_in_place<tiles(), together_()>(c + col, ldc, fresh && k == 0, weights, blocks, reinterpret_cast<const std::byte*>(from), b.stride * std::int64_t(sizeof(bf16)), rows, ahead);
        };
        constexpr std::integral_constant<int, 2> two;
        constexpr std::integral_constant<int, 4> four;
        for (int col = 0; col < b.lanes;) {
            const int left = b.lanes - col, cols = left >= 128 && together ? 128 : left >= 64 ? 64 : 32;
            bool there = false;
            if (blocks > 0 && cols > 32) there = cols == 128 ? in_place(four, std::true_type{}, col) : together ? in_place(two, std::true_type{}, col) : in_place(two, std::false_type{}, col);
            if (!there || whole < end) {
                for (int part = 0; part < cols; part += 64) {
                    if (cols > 32) columns(two, col + part, there ? whole : k, end);
                    else columns(std::integral_constant<int, 1>{}, col, k, end);
                }
            }
            col += cols;
        }
    }
}

}  // namespace kittens::inline KITTENS_NS::lower

#endif
