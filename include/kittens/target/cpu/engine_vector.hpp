// SPDX-License-Identifier: Apache-2.0
// Products by vector instructions: a block of sums stays in registers while one panel of A is broadcast and one of B read.
#pragma once

#include <kittens/target/cpu/pack.hpp>
#include <kittens/target/cpu/panel_cache.hpp>

#include <array>
#include <utility>

namespace kittens::inline KITTENS_NS::lower {

#if defined(__AVX512F__)
inline constexpr int block_rows = 14;  // of 32 registers, 28 hold sums
#else
inline constexpr int block_rows = 6;  // of 16 registers, 12 hold sums
#endif
inline constexpr int block_vectors = 2;
inline constexpr int block_cols = block_vectors * lanes;
static_assert(block_vectors == 2, "pack_two packs the panels");
/// Units of depth per pass: a panel of B then takes at most two thirds of the first-level cache (48 KiB; 24 KiB with 256 bits,
/// for processors that have 32).
#if defined(__AVX512F__)
inline constexpr int pass_units = 256;
#else
inline constexpr int pass_units = 384;
#endif

/// The left operand is packed pass by pass, row by row, units of a row side by side: without a transposition, since the inner
/// loop broadcasts single units. Rows do not start a power of two apart.
inline constexpr int left_pitch = pass_units + 16;
constexpr std::int64_t left_size(int rows, int units) { return std::int64_t((units + pass_units - 1) / pass_units) * rows * left_pitch; }

/// sum + a * b over the elements of each unit.
template <class Form> KITTENS_INLINE vint multiply_add(vint sum, vint a, vint b) {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<Form, form_float>)
        return _mm512_castps_si512(_mm512_fmadd_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), _mm512_castsi512_ps(sum)));
#if defined(__AVX512BF16__)
    else if constexpr (std::is_same_v<Form, form_bf16>)
        return _mm512_castps_si512(_mm512_dpbf16_ps(_mm512_castsi512_ps(sum), __builtin_bit_cast(__m512bh, a), __builtin_bit_cast(__m512bh, b)));
#endif
#if defined(__AVX512VNNI__)
    else return _mm512_dpwssd_epi32(sum, a, b);
#else
    else return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b));
#endif
#else
    if constexpr (std::is_same_v<Form, form_float>)
        return _mm256_castps_si256(_mm256_fmadd_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _mm256_castsi256_ps(sum)));
    else return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
#endif
}

/// Where the units of one depth of a panel's lanes come from: packed before, ...
struct packed_right {
    const unit* next;
    template <class Form, int V> KITTENS_INLINE void take(vint (&right)[V]) {
        KITTENS_UNROLL
        for (int v = 0; v < V; ++v) right[v] = vload(next + v * lanes);
        next += V * lanes;
    }
};
/// ... or rows of a matrix, which the first block that reads them packs for those after it: what the conversion costs then runs
/// beside the products.
template <class T> struct packing_right {
    const T* rows;
    std::int64_t stride;
    unit* packed;
    template <class Form, int V> KITTENS_INLINE void take(vint (&right)[V]) {
        const T* row[Form::group];
        KITTENS_UNROLL
        for (int g = 0; g < Form::group; ++g) {
            row[g] = rows + g * stride;
            // Rows lie too far apart for the hardware to see them coming. What does not exist may be asked for.
            __builtin_prefetch(row[g] + rows_ahead * Form::group * stride, 0, 3);
        }
        KITTENS_UNROLL
        for (int v = 0; v < V; ++v) {
            const T* part[Form::group];
            for (int g = 0; g < Form::group; ++g) part[g] = row[g] + v * lanes;
            right[v] = Form::across(part);
            vstore(packed + v * lanes, right[v]);
        }
        rows += Form::group * stride;
        packed += V * lanes;
    }
    static constexpr int rows_ahead = 12;
};

/// c[R x V vectors] (+)= a * b. a: [R][left_pitch], b: [units][V * lanes]. Sums start at zero and what c holds is added last: it
/// is on its way to the first-level cache meanwhile.
template <class Form, int R, int V, class Right>
KITTENS_INLINE void multiply_block_by(const unit* a, Right b, int units, void* c_, std::int64_t ldc, bool fresh) {
    auto* c = static_cast<unit*>(c_);
    vint sum[R][V];
    KITTENS_UNROLL
    for (int r = 0; r < R; ++r) {
        __builtin_prefetch(c + r * ldc, 1, 3);
        if constexpr (V * lanes * sizeof(unit) > 64) __builtin_prefetch(c + r * ldc + 16, 1, 3);
        KITTENS_UNROLL
        for (int v = 0; v < V; ++v) sum[r][v] = vzero();
    }
    KITTENS_UNROLL_BY(4)
    for (int u = 0; u < units; ++u, ++a) {
        vint right[V];
        b.template take<Form>(right);
        KITTENS_UNROLL
        for (int r = 0; r < R; ++r) {
            const vint left = vset(a[r * left_pitch]);
            KITTENS_UNROLL
            for (int v = 0; v < V; ++v) sum[r][v] = multiply_add<Form>(sum[r][v], left, right[v]);
        }
    }
    KITTENS_UNROLL
    for (int r = 0; r < R; ++r) {
        KITTENS_UNROLL
        for (int v = 0; v < V; ++v) vstore(c + r * ldc + v * lanes, fresh ? sum[r][v] : vadd<typename Form::sum>(sum[r][v], vload(c + r * ldc + v * lanes)));
    }
}
template <class Form, int R, int V>
void multiply_block(const unit* a, const unit* b, int units, void* c, std::int64_t ldc, bool fresh) {
    multiply_block_by<Form, R, V>(a, packed_right{b}, units, c, ldc, fresh);
}
template <class Form, int R, int V, class T>
KITTENS_NOINLINE void multiply_block_packing(const unit* a, packing_right<T> b, int units, void* c, std::int64_t ldc, bool fresh) {
    multiply_block_by<Form, R, V>(a, b, units, c, ldc, fresh);
}

using block_function = void (*)(const unit*, const unit*, int, void*, std::int64_t, bool);
template <class Form, int V, std::size_t... R>
constexpr std::array<block_function, sizeof...(R)> block_functions(std::index_sequence<R...>) {
    return {&multiply_block<Form, int(R) + 1, V>...};
}

/// Rows cut into blocks of nearly equal size, of at most `block_rows`.
struct row_blocks {
    int rows, count;
    explicit row_blocks(int n) : rows(n), count((n + block_rows - 1) / block_rows) {}
    int begin(int i) const { return int(std::int64_t(rows) * i / count); }
    int size(int i) const { return begin(i + 1) - begin(i); }
};

template <class Form, class T>
KITTENS_NOINLINE void pack_left(const operand<T>& a, int units, unit* out) {
    for (int first = 0; first < units; first += pass_units, out += std::int64_t(a.lanes) * left_pitch) {
        const int end = std::min(first + pass_units, units);
        if (a.along) {
            for (int l = 0; l < a.lanes; ++l)
                for (int u = first; u < end; u += lanes) vstore(out + std::int64_t(l) * left_pitch + u - first, load_along<Form>(a, l, u));
            continue;
        }
        for (int u = first; u < end; u += lanes)
            for (int l = 0; l < a.lanes; l += lanes) {
                vint block[lanes];
                for (int i = 0; i < lanes; ++i) block[i] = load_across<Form>(a, l, u + i);
                transpose(block);
                for (int i = 0; i < lanes && l + i < a.lanes; ++i) vstore(out + std::int64_t(l + i) * left_pitch + u - first, block[i]);
            }
    }
}

template <class Form, class T>
KITTENS_NOINLINE void pack_right(const operand<T>& b, int units, unit* out) {
    for (int first = 0; first < units; first += pack_depth)
        for (int n = 0; n < b.lanes; n += block_cols) {
            const bool two = n + lanes < b.lanes;
            unit* const panel = out + std::int64_t(n) * units;
            pack_two<Form>(b, n, first, std::min(first + pack_depth, units), panel, two ? panel + lanes : nullptr, two ? block_cols : lanes);
        }
}

/// c (+)= a * b. Sums go to a.lanes rows and, rounded up to whole vectors, b.lanes columns. `fresh`: c's old value is zero
/// and need not be read.
template <class Form, class TA, class TB>
KITTENS_NOINLINE void vector_product(typename Form::sum* c, std::int64_t ldc, bool fresh, const operand<TA>& a, const operand<TB>& b, extent part) {
    static constexpr auto wide = block_functions<Form, block_vectors>(std::make_index_sequence<block_rows>{});
    static constexpr auto narrow = block_functions<Form, 1>(std::make_index_sequence<block_rows>{});
    const int depth = std::min(a.depth, b.depth), units = (depth + Form::group - 1) / Form::group;
    const std::size_t left_bytes = std::size_t(left_size(a.lanes, units)) * sizeof(unit);
    const std::size_t right_bytes = (std::size_t(b.lanes + lanes - 1) / lanes * lanes) * units * sizeof(unit);
    const bool keep_left = a.shared && panel_cache::fits(left_bytes), keep_right = b.shared && panel_cache::fits(right_bytes);
    const std::size_t left_room = keep_left ? 0 : (left_bytes + 63) / 64 * 64;
    panel_cache panels(left_room + (keep_right ? 0 : right_bytes));

    bool pack_a = true, pack_b = true;
    unit* const left = keep_left ? panels.find(0, key_of<Form>(a, depth), left_bytes, &pack_a) : panels.temporary(0);
    unit* const right = keep_right ? panels.find(1, key_of<Form>(b, depth), right_bytes, &pack_b) : panels.temporary(left_room);
    if (pack_a) pack_left<Form>(a, units, left);

    const row_blocks blocks(a.lanes);
    // Where the first block of rows is a usual one, and there are no ragged edges, it packs B.
    const bool pack_along = pack_b && !b.along && !b.packed && b.lanes % block_cols == 0 && units * Form::group <= b.depth && part.lanes >= b.lanes && part.depth >= depth &&
                            blocks.size(0) >= block_rows - 1;
    if (pack_b && !pack_along) pack_right<Form>(b, units, right);
    const int wanted_lanes = std::min(b.lanes, part.lanes), wanted_units = (std::min(depth, part.depth) + Form::group - 1) / Form::group;
    for (int u = 0; u < wanted_units; u += pass_units) {
        const int n_units = std::min(pass_units, wanted_units - u);
        for (int n = 0; n < wanted_lanes; n += block_cols) {
            const int vectors = std::min(block_vectors, (b.lanes - n + lanes - 1) / lanes);
            const auto& functions = vectors == block_vectors ? wide : narrow;
            for (int i = 0; i < blocks.count; ++i) {
                const int m = blocks.begin(i), r = blocks.size(i);
                const unit* const rows = left + left_size(a.lanes, u) + std::int64_t(m) * left_pitch;
                unit* const panel = right + std::int64_t(n) * units + u * vectors * lanes;
                if (pack_along && i == 0) {
                    const packing_right<TB> from{b.data + std::int64_t(u) * Form::group * b.stride + n, b.stride, panel};
                    if (r == block_rows) multiply_block_packing<Form, block_rows, block_vectors>(rows, from, n_units, c + n, ldc, fresh && u == 0);
                    else multiply_block_packing<Form, block_rows - 1, block_vectors>(rows, from, n_units, c + n, ldc, fresh && u == 0);
                } else functions[r - 1](rows, panel, n_units, c + m * ldc + n, ldc, fresh && u == 0);
            }
        }
    }
}

}  // namespace kittens::inline KITTENS_NS::lower
