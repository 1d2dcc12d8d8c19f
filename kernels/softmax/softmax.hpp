// SPDX-License-Identifier: Apache-2.0
// Softmax over rows of any width: out = e^(f (x - max)) / sum, with a positive factor f (a scale, or 1 / temperature).
//
// As in norm, the subgroups of a workgroup share a row, hold their parts in registers, and meet at one barrier: each brings its
// largest element and the sum of its weights relative to that, and sums are brought to the row's largest element when they are
// merged (M. Milakov, N. Gimelshein, "Online normalizer calculation for softmax", 2018). What is held becomes weights at once, which
// one factor each makes results in the end. Wider rows are read in rounds, and all but the last round twice.
//
// As PyTorch's: a NaN or +infinity makes its row NaN; so does a row of nothing but -infinity. -infinity beside numbers gives 0.
#pragma once

#include <kittens/kittens.hpp>
#include <kittens/ops/rows.hpp>

namespace kernels {

using kittens::dtype;

struct softmax_policy {
    dtype type = dtype::bf16;
    int chunk = 128, chunks = 4;  ///< elements of a vector; vectors that a subgroup holds
    int most_subgroups = 32;      ///< that share a row
    int rows = 1;                 ///< rows that a workgroup takes, one after the other
    bool reread = false;          ///< elements are read where they lie each time, not held: they are in a cache
};

#if defined(KITTENS_TARGET_CPU)
constexpr softmax_policy default_softmax(dtype type) { return {type, 1024, 4, 1, 8, true}; }
#else
constexpr softmax_policy default_softmax(dtype type) { return {type}; }
#endif

}  // namespace kernels

namespace kernels::inline KITTENS_NS {

using namespace kittens;

template <softmax_policy P>
struct softmax {
    using element = type_of<P.type>;
    using vec = rv<float, P.chunk, vector_layout::wide>;
    static constexpr int held = P.chunk * P.chunks;
    static constexpr bool shared = P.most_subgroups > 1;
    static constexpr int unroll = P.reread ? 1 : P.chunks;
    static_assert(!P.reread || !shared, "softmax: a row that is read again must be one subgroup's");

    struct globals {
        gl<const element, 1, 1, -1, -1, access::plain> x;
        gl<element, 1, 1, -1, -1, access::plain> out;
        float factor;  ///< f times log2(e)
        store_policy stores;
    };

    static constexpr kernel_traits traits{.grf = 128};
    using slots = sv_fl<8 * P.most_subgroups>;  // eight equal floats for each subgroup
    static constexpr int slm_bytes = shared ? slm_bytes_for<slots, slots> : 0;

    static launch_shape geometry(const globals& g) {
        const int wanted = ceil_div(g.x.cols(), held);
        return {.groups = {ceil_div(g.x.rows(), P.rows), 1, 1}, .subgroups = wanted < P.most_subgroups ? wanted : P.most_subgroups};
    }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int first = sg.group(0) * P.rows;
        const int last = first + P.rows < g.x.rows() ? first + P.rows : g.x.rows();
        for (int r = first; r < last; ++r) row(g, sg, r);
        finish_stores(g.stores);
    }

  private:
    /// The largest element of a part of a row, and the sum of its weights relative to it.
    struct part {
        float top = -__builtin_inff(), sum = 0;
        KITTENS_INLINE void merge(float t, float s, float factor) {
            // A NaN is in the sum, whatever the maximum makes of it.
            const float all = base_ops::max::op(top, t);
            sum = sum * weight(top, all, factor) + s * weight(t, all, factor);
            top = all;
        }
    };
    /// Weight of x relative to the reference `top`. Equal infinities are no distance.
    static KITTENS_INLINE float weight(float x, float top, float factor) {
        const float w = base_ops::exp2::op((x - top) * factor);
        return x == top ? 1.0f : w;
    }
    /// A part of nothing but -infinity has weights 0, not NaN.
    static KITTENS_INLINE float reference(float top) { return top == -__builtin_inff() ? 0.0f : top; }

    /// Of two numbers; a NaN is in the sum, whatever this makes of it.
    struct larger { template <class X> KITTENS_INLINE static X op(X a, X b) { return a > b ? a : b; } };
    static constexpr auto as_it_is = [](auto x) { return x; };

    KITTENS_INLINE void row(const globals& g, const subgroup& sg, int r) const {
        const int rounds = ceil_div(g.x.cols(), held * sg.count());
        vec v[P.chunks];
        part all;
        float mine = 0;  // the largest of what is held in the end
        for (int t = 0; t < rounds; ++t) mine = weigh(g, r, first_chunk(sg, t), v, all);
        combine(all, sg, g.factor);
        const float share = base_ops::recip::op(all.sum), to_share = weight(mine, all.top, g.factor) * share;
        finish(g, r, first_chunk(sg, rounds - 1), [=](auto w) { return w * to_share; }, [&](int c) -> const vec& { return v[c]; });
        for (int t = rounds - 2; t >= 0; --t) {
            const int at = first_chunk(sg, t);
            finish(g, r, at, [=, top = reference(all.top), f = g.factor](auto x) { return exp2_of((x - top) * f) * share; },
                   [&](int c) { return in_memory<vec>(g.x, {r, at + c}); });
        }
    }

    /// Round t of this subgroup has these chunks and the P.chunks - 1 after it.
    static KITTENS_INLINE int first_chunk(const subgroup& sg, int t) { return (t * sg.count() + sg.id()) * P.chunks; }

    /// v = the weights of a round, relative to the largest of its elements, which is returned; they are merged into `all`.
    static KITTENS_INLINE float weigh(const globals& g, int r, int at, vec (&v)[P.chunks], part& all) {
        const float f = g.factor;
        float top = -__builtin_inff(), sum = 0;
        if constexpr (P.reread) {
            const int last = ceil_div(g.x.cols(), P.chunk), n = last - at < P.chunks ? last - at : P.chunks;
            for (int c = 0; c < n; ++c) {
                float of_chunk;
                if (whole(g, at + c)) of_chunk = reduce_with<larger>(as_it_is, in_memory<vec>(g.x, {r, at + c}));
                else {
                    fetch(g, r, at + c, v[c]);
                    of_chunk = reduce_with<larger>(as_it_is, v[c]);
                }
                top = larger::op(of_chunk, top);
            }
            const auto relative = [=, from = reference(top)](auto x) { return exp2_of((x - from) * f); };
            for (int c = 0; c < n; ++c) {
                if (whole(g, at + c)) map_with(v[c], relative, in_memory<vec>(g.x, {r, at + c}).asking_for(g.x, {r + 1, at + c}));
                else map_with(v[c], relative, v[c]);
                sum += reduce_with<base_ops::sum>(as_it_is, v[c]);
            }
        } else {
            KITTENS_UNROLL
            for (int c = 0; c < P.chunks; ++c) fetch(g, r, at + c, v[c]);
            vec acc = v[0];
            KITTENS_UNROLL
            for (int c = 1; c < P.chunks; ++c) max(acc, acc, v[c]);
            top = kittens::max(acc);
            const auto relative = [=, from = reference(top)](auto x) { return exp2_of((x - from) * f); };
            KITTENS_UNROLL
            for (int c = 0; c < P.chunks; ++c) map_with(v[c], relative, v[c]);
            acc = v[0];
            KITTENS_UNROLL
            for (int c = 1; c < P.chunks; ++c) add(acc, acc, v[c]);
            sum = kittens::sum(acc);
        }
        all.merge(top, sum, f);
        return top;
    }

    /// Results of a round: f of each element of operand(chunk).
    template <class F, class Operand> static KITTENS_INLINE void finish(const globals& g, int r, int at, F f, Operand operand) {
        KITTENS_UNROLL_BY(unroll)
        for (int c = 0; c < P.chunks; ++c) {
            if (P.reread && (at + c) * P.chunk >= g.x.cols()) break;
            store_with<vec>(g.out, {r, at + c}, g.stores, f, operand(c));
        }
    }

    static KITTENS_INLINE bool whole(const globals& g, int chunk) { return (chunk + 1) * P.chunk <= g.x.cols(); }

    /// A chunk; -infinity beyond the end of the row.
    static KITTENS_INLINE void fetch(const globals& g, int r, int chunk, vec& v) {
        map_with(v, as_it_is, in_memory<vec>(g.x, {r, chunk}));
        const int n = g.x.cols() - chunk * P.chunk;
        if (n < P.chunk) apply(v, v, [=](int i, float x) { return i < n ? x : -__builtin_inff(); });
    }

    /// Puts a number into this subgroup's slot, and `none` into its share of those that nobody has.
    static KITTENS_INLINE void publish(const slots& to, const subgroup& sg, float x, float none) {
        rv<float, 8> eight;
        fill(eight, x);
        for (int j = sg.id(); j < P.most_subgroups; j += sg.count()) {
            store(subvec<8>(to, j), eight);
            fill(eight, none);
        }
    }

    static KITTENS_INLINE void combine(part& all, const subgroup& sg, float factor) {
        if constexpr (shared) {
            if (sg.count() == 1) return;
            shared_allocator al(sg);
            const auto tops = al.template allocate<slots>(), sums = al.template allocate<slots>();
            publish(tops, sg, all.top, -__builtin_inff());
            publish(sums, sg, all.sum, 0.0f);
            sync(sg);
            rv<float, slots::length> t, s;
            load(t, tops);
            load(s, sums);
            const float top = kittens::max(t);
            map_with(s, [=](float sum, float mine) { return sum * weight(mine, top, factor); }, s, t);
            all.top = top;
            all.sum = 0.125f * kittens::sum(s);
        }
    }
#endif
};

template <dtype T> using softmax_globals = typename softmax<default_softmax(T)>::globals;

}  // namespace kernels::inline KITTENS_NS
