// SPDX-License-Identifier: Apache-2.0
// Attention forward, o = softmax(scale q k^T + mask) v, by an online softmax (Milakov and Gimelshein, arXiv:1805.02867; Dao et al.,
// arXiv:2205.14135): each subgroup keeps tiles of queries and of the output and walks over the keys.
#pragma once

#include "globals.hpp"
#include "policy.hpp"

namespace kernels::inline KITTENS_NS {

template <attention_policy P>
struct attention {
    static constexpr int depth_parts = P.dim / P.depth_step, out_parts = P.dim / P.out_cols;
    static_assert(P.dim % P.depth_step == 0 && P.dim % P.out_cols == 0,
                  "attention: depth_step and out_cols must divide the head dimension");

    using in_t = type_of<P.in>;
    using q_t = rt<in_t, P.rows, P.depth_step>;
    using k_t = rt<in_t, P.depth_step, P.keys, col>;
    using v_t = rt<in_t, P.keys, P.out_cols, col>;
    using score_t = rt_fl<P.rows, P.keys>;
    using weight_t = rt<in_t, P.rows, P.keys>;
    using out_t = rt_fl<P.rows, P.out_cols>;
    using rows_t = rv<float, P.rows, vector_layout::ortho>;  // col_vec<score_t>, which g++ 12 does not survive

    using globals = attention_globals<P.in, P.dim>;
    static constexpr kernel_traits traits{.grf = P.grf};
    static constexpr int block_rows = P.rows * P.tiles;

    static launch_shape geometry(const globals& g) {
        return {.groups = {ceil_div(ceil_div(ceil_div(g.queries, block_rows), blocks_of_worker(g)), P.workers), g.q.depth(), g.sequences * g.splits}, .subgroups = P.workers};
    }
    /// Blocks of queries that a subgroup takes.
    static constexpr int blocks_of_worker(const globals& g) {
        const int all = ceil_div(g.queries, block_rows);
        return !P.persistent ? 1 : g.blocks_per_group < all ? g.blocks_per_group : all;
    }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        if constexpr (P.decode && P.page_keys < P.keys)
            if (g.pages.ptr && g.page_keys % P.keys) return attention<by_pages(P)>()(g, sg);
        const sequence s(g, sg.group(2));
        // The last queries see most keys: their blocks come first.
        const int place = (sg.groups(0) - 1 - sg.group(0)) * P.workers + sg.id();
        if constexpr (P.persistent) {
            const int blocks = blocks_of_worker(g);
            for (int n = blocks - 1; n >= 0; --n) run_block(g, s, sg.group(1), place * blocks + n);
        } else run_block(g, s, sg.group(1), place);
    }

  private:
    /// Any score is above it, and it is finite, so that differences are no NaN.
    static constexpr float lowest = -3.0e38f;
    static constexpr float log2_e = 1.44269504088896340736f, ln_2 = 0.69314718055994530942f;
    /// How far a score may exceed the reference, as a power of two, and how far above the largest score a reference is put once scores
    /// have risen. Either costs range only: sums are float, and so are the exponents of bf16 weights, so that values between
    /// 2^-94 and 2^64 stay in it; half has no range to spare.
    static constexpr float slack = P.in == dtype::bf16 ? 48.0f : 8.0f, margin = P.in == dtype::bf16 ? 32.0f : 0.0f;
    /// Where a row's largest of a few scores is above `high`, later ones are likely to exceed it by more than the slack; once scores are
    /// looked at first, the reference follows a rise by `unsure`.
    static constexpr float high = P.in == dtype::bf16 ? 48.0f : 16.0f, unsure = 8.0f;

    /// A sequence's place in the tensors.
    struct sequence {
        int number, part, batch, queries, keys, first_query = 0, first_key = 0, diagonal;

        /// `place` counts parts of sequences.
        KITTENS_INLINE sequence(const globals& g, int place) : number(place / g.splits), part(place % g.splits), batch(number), queries(g.queries), keys(g.keys) {
            if constexpr (P.decode) {
                if (g.lengths.ptr) keys = g.lengths.ptr[number];
                diagonal = keys - g.positions;
                return;
            }
            const int n = number;
            if (g.query_starts.ptr) {
                batch = 0;
                first_query = g.query_starts.ptr[n], queries = g.query_starts.ptr[n + 1] - first_query;
                first_key = g.key_starts.ptr[n], keys = g.key_starts.ptr[n + 1] - first_key;
            }
            diagonal = g.diagonal + (g.align_ends ? keys - queries : 0);
        }
    };

    /// Steps of keys that a block of queries takes.
    struct step_range {
        int begin, end;

        KITTENS_INLINE step_range(const globals& g, const sequence& s, int first) {
            const int first_at = s.diagonal + (P.decode ? 0 : first);
            const int rows = P.decode ? g.positions : first + block_rows < s.queries ? block_rows : s.queries - first;
            const int last_at = first_at + rows - 1;
            const int last_key = last_at + g.right + 1 < s.keys ? last_at + g.right + 1 : s.keys;
            begin = first_at - g.left > 0 ? (first_at - g.left) / P.keys : 0;
            end = last_key > 0 ? ceil_div(last_key, P.keys) : 0;
            if (g.splits > 1) {
                const int n = end > begin ? end - begin : 0, from = begin;
                begin = from + n * s.part / g.splits;
                end = from + n * (s.part + 1) / g.splits;
            }
        }
    };

    /// Where the keys and values of a step are: in a layout without what lies behind the sequence.
    template <class GL> struct step_place {
        GL in;
        int batch, row;

        KITTENS_INLINE step_place(const globals& g, const GL& all, const sequence& s, int j) : in(all), batch(s.batch), row(j) {
            if constexpr (P.decode) {
                if (g.pages.ptr) {
                    const int page = j * P.keys / g.page_keys, before = page * g.page_keys, left = s.keys - before;
                    batch = g.pages.ptr[std::int64_t(s.number) * g.pages.row_stride + page];
                    row = j - before / P.keys;
                    in = all.rows_from(0, left < all.rows() ? left : all.rows());
                    return;
                }
            }
            in = all.rows_from(s.first_key, s.keys);
        }
    };

    /// A tile of queries with what is known of its rows so far.
    struct query_tile {
        q_t q[P.preload ? depth_parts : 1];
        out_t o[out_parts];
        rows_t reference, sum;  ///< in powers of two: scores less the reference are exponents
        bool started = false, rising = false;
    };

    KITTENS_INLINE void run_block(const globals& g, const sequence& s, int head, int index) const {
        const int first = index * block_rows;
        if (first >= s.queries) return;
        const auto queries = g.q.rows_from(s.first_query, s.queries);

        // A block at the end may have fewer tiles.
        const int there = ceil_div(s.queries - first, P.rows), tiles = P.tiles == 1 || there > P.tiles ? P.tiles : there;
        query_tile x[P.tiles];
        KITTENS_UNROLL_BY(1)
        for (int t = 0; t < tiles; ++t) {
            if constexpr (P.preload) {
                KITTENS_UNROLL
                for (int d = 0; d < depth_parts; ++d) load(x[t].q[d], queries, {s.batch, head, index * P.tiles + t, d});
            }
            KITTENS_UNROLL
            for (int c = 0; c < out_parts; ++c) zero(x[t].o[c]);
            fill(x[t].reference, lowest);
            zero(x[t].sum);
        }

        const step_range steps(g, s, first);
        for (int j = steps.begin; j < steps.end; ++j) {
            KITTENS_UNROLL_BY(1)
            for (int t = 0; t < tiles; ++t) {
                const int at = first + t * P.rows + s.diagonal - j * P.keys;
                const band inside{s.keys - j * P.keys, P.decode ? -band::unlimited : at - g.left, P.decode ? band::unlimited : at + g.right};
                if (P.tiles > 1 && inside.holds_none(P.rows, P.keys)) continue;
                step(g, s, x[t], head, index * P.tiles + t, j, inside);
            }
        }

        const auto out = g.o.rows_from(s.first_query, s.queries);
        KITTENS_UNROLL_BY(1)
        for (int t = 0; t < tiles; ++t) finish(g, s, out, x[t], head, index * P.tiles + t);
    }

    KITTENS_INLINE void step(const globals& g, const sequence& s, query_tile& x, int head, int tile, int j, const band& inside) const {
        const int key_head = head / g.heads_per_key_head;
        const step_place keys(g, g.k, s, j), values(g, g.v, s, j);
        // Decoding waits for memory alone: both at once make more streams of requests than one after the other.
        if constexpr (P.prefetch && P.decode) warm(g, g.k, s, key_head, j + 1), warm(g, g.v, s, key_head, j + 1);
        // Columns from here on are masked for every row.
        const int seen = inside.upper + P.rows < inside.cols ? inside.upper + P.rows : inside.cols;

        weight_t weight;
        const bool plain = !(g.soft_cap > 0) && !g.mask.ptr && !ragged(g, s, j);
        if (P.rescale == rescaling::lazy && plain) {
            if constexpr (P.rescale == rescaling::lazy) {
                static_assert(P.preload && depth_parts == 1, "attention: lazy rescaling needs the whole head dimension in one step (depth_step = dim) and preloaded queries");
                k_t k;
                load_transpose(k, keys.in, {keys.batch, key_head, 0, keys.row});
                weigh_product(x, k, weight, g.scale * log2_e, inside);
            }
        } else {
            score_t score;
            zero(score);
            KITTENS_UNROLL
            for (int d = 0; d < depth_parts; ++d) {
                k_t k;
                load_transpose(k, keys.in, {keys.batch, key_head, d, keys.row});
                if constexpr (!P.preload) load(x.q[0], g.q.rows_from(s.first_query, s.queries), {s.batch, head, tile, d});
                mma_AB(score, x.q[P.preload ? d : 0], k, score, needed{.cols = seen, .rows = rows_of(s, tile)});
            }
            weigh(g, s, x, score, weight, head, tile, j, inside);
        }
        x.started = true;
        if constexpr (P.prefetch && !P.decode) warm(g, g.k, s, key_head, j + 1);

        KITTENS_UNROLL
        for (int c = 0; c < out_parts; ++c) {
            v_t v;
            load_transform(v, values.in, {values.batch, key_head, values.row, c});
            mma_AB(x.o[c], weight, v, x.o[c], needed{.depth = seen, .rows = rows_of(s, tile)});
        }
        if constexpr (P.prefetch && !P.decode) warm(g, g.v, s, key_head, j + 1);
    }

    /// Rows that a tile has.
    static KITTENS_INLINE int rows_of(const sequence& s, int tile) { return s.queries - tile * P.rows; }

    /// Asks for a step's keys or values.
    template <class GL> KITTENS_INLINE void warm(const globals& g, const GL& all, const sequence& s, int key_head, int j) const {
        if (P.decode && j * P.keys >= s.keys) return;
        const step_place to(g, all, s, j);
        KITTENS_UNROLL
        for (int d = 0; d < out_parts; ++d) prefetch_load(rt<in_t, P.keys, P.out_cols>{}, to.in, {to.batch, key_head, to.row, d});
    }

    /// Decoding: whether some queries see a part of a step's keys that others do not.
    static KITTENS_INLINE bool ragged(const globals& g, const sequence& s, int j) {
        if constexpr (!P.decode) return false;
        const int end = (j + 1) * P.keys < s.keys ? (j + 1) * P.keys : s.keys;
        return s.diagonal + g.right < end - 1 || s.keys - 1 - g.left > j * P.keys;
    }

    /// Scores become weights, and what was summed so far is brought to the same reference.
    KITTENS_INLINE void weigh(const globals& g, const sequence& s, query_tile& x, score_t& score, weight_t& weight, int head, int tile, int j, const band& inside) const {
        float scale = g.scale * log2_e;
        if (g.soft_cap > 0) {
            mul(score, score, g.scale / g.soft_cap);
            tanh(score, score);
            scale = g.soft_cap * log2_e;
        }
        if (g.mask.ptr) {
            score_t bias;
            load(bias, g.mask, {s.batch, head, tile, j});
            mul(bias, bias, log2_e);
            mul(score, score, scale);
            add(score, score, bias);
            scale = 1;
        }

        if constexpr (P.decode) {
            if (ragged(g, s, j)) {
                const int at = s.diagonal - j * P.keys, positions = g.positions, first = tile * P.rows, left = g.left, right = g.right;
                apply(score, score, [=](int r, int c, float x) {
                    const int self = at + (first + r) % positions;
                    return c >= self - left && c <= self + right ? x : -__builtin_inff();
                });
            }
        }

        rows_t largest, change;
        if constexpr (P.rescale == rescaling::always) {
            if (!inside.holds_all(P.rows, P.keys)) keep_band(score, score, inside, -__builtin_inff());
            row_max(largest, score);
            mul(largest, largest, scale);
            max(largest, largest, x.reference);
            raise(x, largest, change);
            exp2_scaled(score, score, scale, x.reference);
            row_sum(x.sum, score, x.sum);
            copy(weight, score);
        } else {
            band_row_max(largest, score, scale, inside);
            raise_where_higher(x, largest, slack, x.started ? margin : 0.0f);
            band_weights(weight, x.sum, change, score, scale, x.reference, inside);
        }
    }

    /// The same without scores. The reference is that of the step before, where the scores do not rise too much above it; where they
    /// did, the next step's are likely to as well, and are looked at first.
    KITTENS_INLINE void weigh_product(query_tile& x, const k_t& k, weight_t& weight, float scale, const band& inside) const {
        rows_t sum;
        if (!x.started) x.rising = glance(x, k, scale, inside);
        if (!x.rising) {
            copy(sum, x.sum);
            x.rising = !(band_weights_AB(weight, sum, x.q[0], k, scale, x.reference, inside) <= slack);
            if (!x.rising) {
                copy(x.sum, sum);
                return;
            }
        }
        band_row_max_AB(sum, x.q[0], k, scale, inside);
        x.rising = raise_where_higher(x, sum, unsure, margin) && x.started;
        band_weights_AB(weight, x.sum, x.q[0], k, scale, x.reference, inside);
    }

    /// A first reference from a few keys, which is good enough for most data. Returns whether it may not be for these, whose scores are
    /// large: that is cheaper to ask for than how much they differ, and where it is wrong costs a product and no more.
    KITTENS_INLINE bool glance(query_tile& x, const k_t& k, float scale, const band& inside) const {
        constexpr int few = P.keys < 32 ? P.keys : 32;
        rows_t largest;
        band_row_max_AB(largest, x.q[0], k, scale, {inside.cols < few ? inside.cols : few, inside.lower, inside.upper});
        max(x.reference, x.reference, largest);
        return kittens::max(x.reference) > high;
    }

    /// Puts the reference `above` the largest scores if they are `much` higher for any row.
    KITTENS_INLINE bool raise_where_higher(query_tile& x, rows_t& largest, float much, float above) const {
        rows_t change;
        max(change, largest, x.reference);
        sub(change, change, x.reference);
        if (!(kittens::max(change) > much)) return false;
        add(largest, largest, above);
        max(largest, largest, x.reference);
        raise(x, largest, change);
        return true;
    }

    /// Makes `to` the reference.
    KITTENS_INLINE void raise(query_tile& x, const rows_t& to, rows_t& factor) const {
        sub(factor, x.reference, to);
        exp2(factor, factor);
        copy(x.reference, to);
        if (P.rescale == rescaling::lazy && !x.started) return;
        mul(x.sum, x.sum, factor);
        KITTENS_UNROLL
        for (int c = 0; c < out_parts; ++c) mul_row(x.o[c], x.o[c], factor);
    }

    template <class Out>
    KITTENS_INLINE void finish(const globals& g, const sequence& s, const Out& out, query_tile& x, int head, int tile) const {
        const bool partial = g.part_o.ptr;
        if (partial || g.lse.ptr) {
            rows_t lse;
            log2(lse, x.sum);
            add(lse, lse, x.reference);
            if (partial) store(g.part_lse.cols_from(s.first_query, s.queries), lse, {s.batch * g.splits + s.part, head, 0, tile});
            else {
                mul(lse, lse, ln_2);
                store(g.lse.cols_from(s.first_query, s.queries), lse, {s.batch, head, 0, tile});
            }
        }
        // Rows that see no key are zero.
        apply(x.sum, x.sum, [](int, float l) { return l == 0.0f ? 0.0f : base_ops::recip::op(l); });
        KITTENS_UNROLL
        for (int c = 0; c < out_parts; ++c) {
            mul_row(x.o[c], x.o[c], x.sum);
            if (partial) store(g.part_o.rows_from(s.first_query, s.queries), x.o[c], {s.batch * g.splits + s.part, head, tile, c});
            else store(out, x.o[c], {s.batch, head, tile, c});
        }
    }
#endif
};

}  // namespace kernels::inline KITTENS_NS
