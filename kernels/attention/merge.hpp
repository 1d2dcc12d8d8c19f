// SPDX-License-Identifier: Apache-2.0
// Parts of an attention output, each over a part of the keys, become one: o = sum of 2^(l_p - l) o_p, where l_p is the logarithm of
// part p's sum of exponentials and l that of all. A part without keys has l_p = -infinity and weighs nothing.
#pragma once

#include <kittens/kittens.hpp>

namespace kernels {

/// A subgroup merges this many rows and columns.
struct merge_policy {
    kittens::dtype type = kittens::dtype::bf16;
    int rows = 8, cols = 32, workers = 8;
};

#if defined(KITTENS_TARGET_CPU)
constexpr merge_policy default_merge(kittens::dtype type) { return {type, 64, 32, 1}; }
#else
constexpr merge_policy default_merge(kittens::dtype type) { return {type}; }
#endif

}  // namespace kernels

namespace kernels::inline KITTENS_NS {

using namespace kittens;

template <dtype T> struct merge_globals {
    using element = type_of<T>;
    /// {batch * parts + part, head, row, head dimension}, and binary logarithms {batch * parts + part, head, 1, row}.
    gl<const float> part_o;
    gl<const float, -1, -1, 1, -1, access::plain> part_lse;
    gl<element> o;
    /// Natural logarithms; a null pointer: not wanted.
    gl<float, -1, -1, 1, -1, access::plain> lse;
    int parts = 1;
};

template <merge_policy P>
struct attention_merge {
    using tile_t = rt_fl<P.rows, P.cols>;
    using rows_t = rv<float, P.rows, vector_layout::ortho>;  // col_vec<tile_t>, which g++ 12 does not survive
    using globals = merge_globals<P.type>;
    static constexpr kernel_traits traits{.grf = 128};

    static launch_shape geometry(const globals& g) {
        return {.groups = {ceil_div(ceil_div(g.o.rows(), P.rows) * ceil_div(g.o.cols(), P.cols), P.workers), g.o.depth(), g.o.batch()}, .subgroups = P.workers};
    }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int place = sg.group(0) * P.workers + sg.id(), across = ceil_div(g.o.cols(), P.cols);
        const int tile = place / across, c = place % across, head = sg.group(1), entry = sg.group(2);
        if (tile * P.rows >= g.o.rows()) return;

        // Finite, so that rows whose parts all have -infinity get weights of zero.
        rows_t largest, l, sum;
        fill(largest, -3.0e38f);
        KITTENS_UNROLL_BY(1)
        for (int p = 0; p < g.parts; ++p) {
            load(l, g.part_lse, {entry * g.parts + p, head, 0, tile});
            max(largest, largest, l);
        }
        tile_t o, part;
        zero(o);
        zero(sum);
        KITTENS_UNROLL_BY(1)
        for (int p = 0; p < g.parts; ++p) {
            load(part, g.part_o, {entry * g.parts + p, head, tile, c});
            load(l, g.part_lse, {entry * g.parts + p, head, 0, tile});
            sub(l, l, largest);
            exp2(l, l);
            add(sum, sum, l);
            mul_row(part, part, l);
            add(o, o, part);
        }
        if (g.lse.ptr && c == 0) {
            log2(l, sum);
            add(l, l, largest);
            mul(l, l, 0.69314718055994530942f);
            store(g.lse, l, {entry, head, 0, tile});
        }
        apply(sum, sum, [](int, float x) { return x == 0.0f ? 0.0f : base_ops::recip::op(x); });
        mul_row(o, o, sum);
        store(g.o, o, {entry, head, tile, c});
    }
#endif
};

/// Copies rows, so that those of the heads that share a key head lie one behind the other, however the queries were laid out.
template <dtype T> struct gather_globals {
    gl<const type_of<T>> from;
    gl<type_of<T>> to;
};

template <merge_policy P>
struct attention_gather {
    using tile_t = rt<type_of<P.type>, P.rows, P.cols>;
    using globals = gather_globals<P.type>;
    static constexpr kernel_traits traits{.grf = 128};

    static launch_shape geometry(const globals& g) {
        return {.groups = {ceil_div(g.to.rows(), P.rows) * ceil_div(g.to.cols(), P.cols), g.to.depth(), g.to.batch()}, .subgroups = 1};
    }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int across = ceil_div(g.to.cols(), P.cols), tile = sg.group(0) / across, c = sg.group(0) % across;
        tile_t rows;
        load(rows, g.from, {sg.group(2), sg.group(1), tile, c});
        store(g.to, rows, {sg.group(2), sg.group(1), tile, c});
    }
#endif
};

}  // namespace kernels::inline KITTENS_NS
