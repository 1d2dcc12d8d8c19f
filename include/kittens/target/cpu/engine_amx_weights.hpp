// SPDX-License-Identifier: Apache-2.0
// Softmax weights, or row maxima, of a product of AMX tiles: a block of 32 x 32 scores goes through the first-level cache only, and is
// worked on while the matrix unit, which runs beside the vector units, computes the next block.
#pragma once

#include <kittens/target/cpu/engine_amx.hpp>
#include <kittens/target/cpu/maps.hpp>
#include <kittens/target/cpu/softmax_vector.hpp>

#if defined(KITTENS_CPU_AMX)

namespace kittens::inline KITTENS_NS::lower {

namespace detail {

inline constexpr int score_side = 2 * tile_side;

/// What turns blocks of scores into weights.
struct weight_sink {
    vfloat by;
    const float* reference;  ///< of 32 rows
    float* sums;             ///< of 32 rows, 16 partial sums each
    bf16* weights;           ///< row 0, column 0
    int pitch;
    band inside;

    /// Row r of the block of 32 x 32 scores that starts at column `first`.
    template <bool Masked> KITTENS_INLINE void row(const float* scores, int first, int r) {
        const float* const s = scores + r * score_side;
        const vfloat base = vsplat(reference[r]);
        vfloat x = vmul_sub(vload_float(s), by, base), y = vmul_sub(vload_float(s + tile_side), by, base);
        if constexpr (Masked) {
            const row_range in(inside, r, band::unlimited);
            x = keep_lanes(x, first, in.from, in.to);
            y = keep_lanes(y, first + tile_side, in.from, in.to);
        }
        const vfloat p = exp2_about<bf16>(x), q = exp2_about<bf16>(y);
        float* const sum = sums + r * tile_side;
        vstore_float(sum, vadd(vload_float(sum), vadd(p, q)));
        store_two(weights + r * pitch + first, p, q);
    }
};

/// What finds the largest score of each row.
struct largest_sink {
    vfloat by;
    float* largest;  ///< of 32 rows, 16 partial results each
    band inside;

    template <bool Masked> KITTENS_INLINE void row(const float* scores, int first, int r) {
        const float* const s = scores + r * score_side;
        vfloat x = vmul(vload_float(s), by), y = vmul(vload_float(s + tile_side), by);
        if constexpr (Masked) {
            const row_range in(inside, r, band::unlimited);
            x = keep_lanes(x, first, in.from, in.to);
            y = keep_lanes(y, first + tile_side, in.from, in.to);
        }
        float* const to = largest + r * tile_side;
        vstore_float(to, vmax(x, vmax(y, vload_float(to))));
    }
};

/// Rows that are handed to the sink a block later than the others: what is handed over has left the matrix unit long before.
inline constexpr int late_rows = score_side / 2;
enum class handed : int { none, first_rows, all };

template <int Tile> KITTENS_INLINE void store_scores(float* scores) {
    tile_store<Tile>(scores + Tile / 2 * tile_side * score_side + Tile % 2 * tile_side, score_side * sizeof(float));
}

/// Leaves left * right, 32 x 32 scores of `Tiles` tiles of depth, in tile registers 0 to 3, whose scores of the block before go to `before`. Tile
/// instructions run in order, and a store waits for its sums: so each goes out only just before its register is used again. Meanwhile the
/// sink gets the late rows of the block two before, from `earlier`, and then the first rows of the block before, which starts at
/// column `first`.
template <int Tiles, handed Handed, bool Masked, class Sink>
KITTENS_NOINLINE void score_block(const operand_tiles& left, const unit* right0, const unit* right1, const Sink& in_memory, float* before, const float* earlier, int first) {
    Sink sink = in_memory;  // in registers
    const auto hand = [&](int part) __attribute__((always_inline)) {
        KITTENS_UNROLL
        for (int i = part * score_side / (4 * Tiles); i < (part + 1) * score_side / (4 * Tiles); ++i) {
            if constexpr (Handed == handed::none) continue;
            if (i >= late_rows) sink.template row<Masked>(before, first, i - late_rows);
            else if constexpr (Handed == handed::all) sink.template row<Masked>(earlier, first - score_side, score_side - late_rows + i);
        }
    };
    const auto turn = [&](auto tile, bool begins) __attribute__((always_inline)) {
        if (!begins) return;
        if constexpr (Handed != handed::none) store_scores<tile()>(before);
        tile_clear<tile()>();
    };
    constexpr std::integral_constant<int, 0> tile0;
    constexpr std::integral_constant<int, 1> tile1;
    constexpr std::integral_constant<int, 2> tile2;
    constexpr std::integral_constant<int, 3> tile3;
    KITTENS_UNROLL
    for (int k = 0; k < Tiles; ++k) {
        tile_load<4>(left.data + k * left.depth_step, left.stride);
        tile_load_stream<6>(right0 + k * tile_units, 64);
        turn(tile0, k == 0);
        tile_multiply<bf16, bf16, 0, 4, 6>();
        hand(4 * k);
        tile_load_stream<7>(right1 + k * tile_units, 64);
        turn(tile1, k == 0);
        tile_multiply<bf16, bf16, 1, 4, 7>();
        hand(4 * k + 1);
        tile_load<5>(left.data + left.tile_step + k * left.depth_step, left.stride);
        turn(tile2, k == 0);
        tile_multiply<bf16, bf16, 2, 5, 6>();
        hand(4 * k + 2);
        turn(tile3, k == 0);
        tile_multiply<bf16, bf16, 3, 5, 7>();
        hand(4 * k + 3);
    }
}

/// Rows of the last blocks.
template <bool Masked, class Sink> KITTENS_NOINLINE void hand_over(const Sink& in_memory, const float* scores, int first, int row) {
    Sink sink = in_memory;
    for (int r = row; r < score_side; ++r) sink.template row<Masked>(scores, first, r);
}

/// What no exponent of weights with this largest sum exceeds: the sum's own exponent, rounded up. Tracking the exponents would take a
/// tenth of the instructions that weights take.
KITTENS_INLINE float peak_of_sum(float largest) {
    if (!(largest > 0)) return -__builtin_inff();
    return float(int(__builtin_bit_cast(std::uint32_t, largest) >> 23) - 126);
}

/// Hands over the scores of 32 rows and of the blocks [from, to) of 32 columns.
template <int Tiles, class Sink>
KITTENS_NOINLINE void hand_over_product(const operand_tiles& left, const unit* right, int from, int to, const Sink& sink) {
    alignas(64) float scores[2][score_side * score_side];
    constexpr std::int64_t panel = std::int64_t(Tiles) * tile_units;
    const auto masked = [&](int block) {
        band b = sink.inside;
        b.cols -= block * score_side;
        b.lower -= block * score_side;
        b.upper -= block * score_side;
        return !b.holds_all(score_side, score_side);
    };
    for (int block = from; block < to; ++block) {
        const unit* const r = right + 2 * block * panel;
        const int first = (block - 1) * score_side;
        const auto score = [&](auto handed_, auto masked_) __attribute__((always_inline)) {
            score_block<Tiles, handed_(), masked_()>(left, r, r + panel, sink, scores[~block & 1], scores[block & 1], first);
        };
        constexpr std::integral_constant<handed, handed::none> none;
        constexpr std::integral_constant<handed, handed::first_rows> first_rows;
        constexpr std::integral_constant<handed, handed::all> all;
        if (block == from) score(none, std::false_type{});
        else if (block == from + 1) masked(block - 1) ? score(first_rows, std::true_type{}) : score(first_rows, std::false_type{});
        else masked(block - 1) || masked(block - 2) ? score(all, std::true_type{}) : score(all, std::false_type{});
    }
    float* const last = scores[(to - 1) & 1];
    store_scores<0>(last), store_scores<1>(last), store_scores<2>(last), store_scores<3>(last);
    for (int block = std::max(from, to - 2); block < to; ++block) {
        const int row = block == to - 1 ? 0 : score_side - late_rows;
        if (masked(block)) hand_over<true>(sink, scores[block & 1], block * score_side, row);
        else hand_over<false>(sink, scores[block & 1], block * score_side, row);
    }
}

/// Columns as blocks of 32 that a band holds some of.
struct block_range {
    int from, to;
    block_range(const band& inside, int rows, int cols) {
        const int seen = std::min({inside.cols, inside.upper + rows, cols});
        to = std::max(0, (seen + score_side - 1) / score_side);
        from = std::min(to, std::max(0, inside.lower) / score_side);
    }
};

/// The right operand's panels, packed now where they are not there yet.
template <int Depth> KITTENS_INLINE const unit* score_panels(const operand<bf16>& b) {
    constexpr int tiles = Depth / (2 * tile_side);
    // One panel more than there is may be read where their number is odd; it is masked.
    const int col_tiles = (b.lanes + tile_side - 1) / tile_side;
    const std::size_t bytes = std::size_t(col_tiles + col_tiles % 2) * tiles * tile_units * sizeof(unit);
    panel_cache panels(0);
    bool pack = true;
    unit* const right = panels.find(1, key_of<form_bf16>(b, Depth), bytes, &pack);
    if (pack) pack_right_tiles<form_bf16>(b, tiles, right);
    return right;
}

KITTENS_INLINE operand_tiles in_place(const operand<bf16>& a) {
    return {reinterpret_cast<const std::byte*>(a.data), a.stride * 2, tile_side * a.stride * 2, 64};
}

}  // namespace detail

/// Whether the operands are of a form that band_weights_tiles takes: 32 whole rows in place, a depth of whole tiles, and keys for
/// every column that the band holds.
template <class A, class B>
KITTENS_INLINE bool takes_tiles(const A& a, const B& b, const band& inside, int cols) {
    return a.lanes == detail::score_side && a.along && a.depth % (2 * tile_side) == 0 && b.depth == a.depth && b.shared && std::min(inside.cols, cols) <= b.lanes;
}

template <int Depth, tile P, vector V>
KITTENS_INLINE float band_weights_tiles(P& dst, V& sums, const operand<bf16>& a, const operand<bf16>& b, float scale, const V& reference, const band& inside) {
    using namespace detail;
    const unit* const right = score_panels<Depth>(b);
    const block_range blocks(inside, P::rows, P::cols);
    const int first = blocks.from * score_side, end = blocks.to * score_side;
    for (int i = 0; i < P::rows; ++i) {
        if (first > 0) std::memset(static_cast<void*>(dst.row(i)), 0, first * sizeof(bf16));
        if (end < P::cols) std::memset(static_cast<void*>(dst.row(i) + end), 0, (P::cols - end) * sizeof(bf16));
    }
    if (first >= end) return -__builtin_inff();

    alignas(64) float partial[score_side * tile_side];
    std::memset(partial, 0, sizeof partial);
    const weight_sink sink{vsplat(scale), reference.v, partial, dst.row(0), P::pitch, inside};
    hand_over_product<Depth / (2 * tile_side)>(in_place(a), right, blocks.from, blocks.to, sink);
    vfloat largest = vsplat(0.0f);
    for (int i = 0; i < score_side; ++i) {
        const vfloat sum = vload_float(partial + i * tile_side);
        sums.v[i] += sum_of(sum);
        largest = vmax(sum, largest);
    }
    return peak_of_sum(largest_of(largest));
}

template <int Depth, vector V>
KITTENS_INLINE void band_row_max_tiles(V& dst, const operand<bf16>& a, const operand<bf16>& b, int cols, float scale, const band& inside) {
    using namespace detail;
    const unit* const right = score_panels<Depth>(b);
    const block_range blocks(inside, score_side, cols);
    alignas(64) float partial[score_side * tile_side];
    for (float& x : partial) x = -__builtin_inff();
    const largest_sink sink{vsplat(scale), partial, inside};
    if (blocks.from < blocks.to) hand_over_product<Depth / (2 * tile_side)>(in_place(a), right, blocks.from, blocks.to, sink);
    for (int i = 0; i < score_side; ++i) dst.v[i] = largest_of(vload_float(partial + i * tile_side));
}

}  // namespace kittens::inline KITTENS_NS::lower

#endif
