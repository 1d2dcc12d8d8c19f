// SPDX-License-Identifier: Apache-2.0
// Softmax over rows of any width: out = e^(f (x - max)) / sum, with a positive factor f (a scale, or 1 / temperature).
//
// As in norm, the subgroups of a workgroup share a row, hold their parts in registers, and meet at one barrier: each brings its
// largest element and the sum of its weights relative to that, and sums are brought to the row's largest element when they are
// merged (M. Milakov, N. Gimelshein, "Online normalizer calculation for softmax", 2018). Wider rows are read in rounds, and all
// but the last round twice.
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
};

#if defined(KITTENS_TARGET_CPU)
constexpr softmax_policy default_softmax(dtype type) { return {type, 1024, 1, 1, 8}; }
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

    KITTENS_INLINE void row(const globals& g, const subgroup& sg, int r) const {
        const int cols = g.x.cols();
        const int rounds = ceil_div(cols, held * sg.count());
        vec v[P.chunks];
        part all;
        for (int t = 0; t < rounds; ++t) {
            const int at = (t * sg.count() + sg.id()) * P.chunks;
            fetch(g, r, at, v);
            measure(g, v, at, all);
        }
        combine(all, sg, g.factor);
        const float top = reference(all.top), share = base_ops::recip::op(all.sum);
        for (int t = rounds - 1; t >= 0; --t) {
            const int at = (t * sg.count() + sg.id()) * P.chunks;
            if (t < rounds - 1) fetch(g, r, at, v);
            KITTENS_UNROLL
            for (int c = 0; c < P.chunks; ++c)
                store_with<vec>(g.out, {r, at + c}, g.stores, [=, f = g.factor](auto x) { return exp2_of((x - top) * f) * share; }, v[c]);
        }
    }

    static KITTENS_INLINE void fetch(const globals& g, int r, int at, vec (&v)[P.chunks]) {
        KITTENS_UNROLL
        for (int c = 0; c < P.chunks; ++c) map_with(v[c], [](auto x) { return x; }, in_memory<vec>(g.x, {r, at + c}));
    }

    static KITTENS_INLINE void measure(const globals& g, vec (&v)[P.chunks], int at, part& all) {
        KITTENS_UNROLL
        for (int c = 0; c < P.chunks; ++c) {
            const int n = g.x.cols() - (at + c) * P.chunk;
            if (n < P.chunk) apply(v[c], v[c], [=](int i, float x) { return i < n ? x : -__builtin_inff(); });
        }
        const float f = g.factor;
        if constexpr (P.chunks == 1) {
            const float top = kittens::max(v[0]), from = reference(top);
            all.merge(top, reduce_with<base_ops::sum>([=](auto x) { return exp2_of((x - from) * f); }, v[0]), f);
        } else {
            vec acc = v[0];
            KITTENS_UNROLL
            for (int c = 1; c < P.chunks; ++c) max(acc, acc, v[c]);
            const float top = kittens::max(acc), from = reference(top);
            map_with(acc, [=](auto x) { return exp2_of((x - from) * f); }, v[0]);
            KITTENS_UNROLL
            for (int c = 1; c < P.chunks; ++c) map_with(acc, [=](auto s, auto x) { return s + exp2_of((x - from) * f); }, acc, v[c]);
            all.merge(top, kittens::sum(acc), f);
        }
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
