// SPDX-License-Identifier: Apache-2.0
// RMSNorm and LayerNorm over rows of any width, plain or with a residual that is added first and whose sum is written back.
//
// The subgroups of a workgroup share a row: each holds its part in registers, in vectors of `chunk` elements, and exchanges one
// or two numbers through shared memory at one barrier. Wider rows than that are read in rounds, and all but the last round
// twice. Subgroups merge (sum, sum of squared distances from their own mean), so a large mean costs no accuracy (T. Chan,
// G. Golub, R. LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979).
//
// Where one subgroup has a row (cpu), results of a row leave in the same pass in which the next row is measured: its moments about
// the mean of its first elements, which lies within the row's own deviation times the root of the part that they are of it.
#pragma once

#include <kittens/kittens.hpp>
#include <kittens/ops/row_pass.hpp>

namespace kernels {

using kittens::dtype;

enum class norm_kind : int { rms, layer };

struct norm_policy {
    norm_kind kind = norm_kind::rms;
    dtype type = dtype::bf16;
    bool residual = false;
    int chunk = 128, chunks = 4;  ///< elements of a vector; vectors that a subgroup holds
    int most_subgroups = 32;      ///< that share a row
    int rows = 1;                 ///< rows that a workgroup takes, one after the other
    bool reread = false;          ///< a row is read where it lies each time, not held: it is in a cache. With a residual, if results go past it
    bool beside = false;          ///< a row's results leave while the next row is measured, unless rows are wider than what is held
    kittens::access access = kittens::access::block;
};

#if defined(KITTENS_TARGET_CPU)
// Read again, a sum with the residual is rounded three or four times: worth it where that is an instruction.
#if defined(__AVX512BF16__)
inline constexpr bool rounds_quickly = true;
#else
inline constexpr bool rounds_quickly = false;
#endif
constexpr norm_policy default_norm(norm_kind kind, dtype type, bool residual) {
    return {.kind = kind, .type = type, .residual = residual, .chunk = 1024, .chunks = 16, .most_subgroups = 1, .rows = 16,
            .reread = !residual || (rounds_quickly && type == dtype::bf16), .beside = true};
}
#else
constexpr norm_policy default_norm(norm_kind kind, dtype type, bool residual) { return {.kind = kind, .type = type, .residual = residual}; }
#endif

}  // namespace kernels

namespace kernels::inline KITTENS_NS {

using namespace kittens;

template <norm_policy P>
struct norm {
    using element = type_of<P.type>;
    using vec = rv<float, P.chunk, vector_layout::wide>;
    static constexpr bool layer = P.kind == norm_kind::layer;
    static constexpr int unroll = P.most_subgroups > 1 ? P.chunks : 1;
    static constexpr int held = P.chunk * P.chunks;  // elements of a row that a subgroup holds
    static_assert((!P.reread && !P.beside) || P.most_subgroups == 1, "norm: a row that is read again, or measured beside another, must be one subgroup's");

    struct globals {
        gl<const element, 1, 1, -1, -1, access::plain> x;
        gl<element, 1, 1, -1, -1, access::plain> residual;  ///< read where the policy says so; `sum` may be the same memory
        gl<const element, 1, 1, 1, -1, access::plain> weight, bias;  ///< bias: LayerNorm
        gl<element, 1, 1, -1, -1, access::plain> sum, out;
        float epsilon;
        store_policy stores;
    };

    static constexpr kernel_traits traits{.grf = 128};
    using slots = sv_fl<8 * P.most_subgroups>;  // eight equal floats for each subgroup
    using kept = sv<element, held>;             // a row's sum with the residual, for the pass that makes results of it
    static constexpr int slm_bytes = P.most_subgroups > 1 ? slm_bytes_for<slots, slots> : P.beside && P.residual ? slm_bytes_for<kept> : 0;

    static launch_shape geometry(const globals& g) {
        const int wanted = ceil_div(g.x.cols(), held);
        return {.groups = {ceil_div(g.x.rows(), P.rows), 1, 1}, .subgroups = wanted < P.most_subgroups ? wanted : P.most_subgroups};
    }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int first = sg.group(0) * P.rows;
        const int last = first + P.rows < g.x.rows() ? first + P.rows : g.x.rows();
        if constexpr (P.beside) {
            if (g.x.cols() <= held) {
                rows_beside(g, sg, first, last);
                finish_stores(g.stores);
                return;
            }
        }
        for (int r = first; r < last; ++r) {
            if constexpr (P.reread && P.residual) {
                if (g.stores == store_policy::streaming) row<true>(g, sg, r);
                else row<false>(g, sg, r);
            } else row<P.reread>(g, sg, r);
        }
        finish_stores(g.stores);
    }

  private:
    /// What is known of a part of a row: how many elements, their sum, and their squared distances from their mean; for
    /// RMSNorm, whose mean counts as zero, the sum of squares alone.
    struct moments {
        float count = 0, sum = 0, squares = 0;
        KITTENS_INLINE void merge(float n, float s, float q) {
            if constexpr (layer) {
                const float d = count > 0 && n > 0 ? s / n - sum / count : 0.0f;
                if (n > 0) squares += q + (count > 0 ? d * d * (count * n / (count + n)) : 0.0f);
                count += n;
                sum += s;
            } else squares += q;
        }
    };

    /// The rows [first, last), each measured while the results of the one before leave.
    KITTENS_INLINE void rows_beside(const globals& g, const subgroup& sg, int first, int last) const {
        float mean = 0, scale = 0;
        for (int r = first - 1; r < last; ++r) {
            const bool finish = r >= first, measure = r + 1 < last;
            const float shift = layer && measure ? shift_of(g, r + 1) : 0.0f, offset = -mean * scale;
            row_moments all;
            for (int c = 0; c * P.chunk < g.x.cols(); ++c) {
                // Nobody measures the first row of the next workgroup yet.
                const auto w = [&] {
                    const auto weights = in_memory<vec>(g.weight, {0, c});
                    if (measure) return weights;
                    const auto asking = weights.asking_for(g.x, {r + 1, c});
                    if constexpr (P.residual) return asking.asking_for(g.residual, {r + 1, c});
                    else return asking;
                }();
                row_moments m;
                if constexpr (layer) m = chunk_beside(g, sg, r, c, finish, measure, shift, [=](auto x, auto y, auto z) { return (x * scale + offset) * y + z; }, w, in_memory<vec>(g.bias, {0, c}));
                else m = chunk_beside(g, sg, r, c, finish, measure, shift, [=](auto x, auto y) { return x * scale * y; }, w);
                all.sum += m.sum, all.squares += m.squares;
            }
            const float cols = float(g.x.cols()), beyond = all.sum / cols, variance = layer ? all.squares / cols - beyond * beyond : all.squares / cols;
            mean = layer ? shift + beyond : 0.0f;
            scale = base_ops::rsqrt::op((variance < 0.0f ? 0.0f : variance) + g.epsilon);
        }
    }

    /// Chunk c of row r leaves, that of row r + 1 is measured.
    template <class F, class... W>
    KITTENS_INLINE row_moments chunk_beside(const globals& g, const subgroup& sg, int r, int c, bool finish, bool measure, float shift, F f, const W&... w) const {
        const auto next = in_memory<vec>(g.x, {r + 1, c}).asking_for(g.x, {r + 2, c});
        if constexpr (P.residual) {
            shared_allocator al(sg);
            const auto sums = subvec<P.chunk>(al.template allocate<kept>(), c);
            return store_with_moments_of_sum<vec>(g.out, {r, c}, g.stores, finish, f, measure, shift, sums, g.sum, {r + 1, c}, next,
                                                  in_memory<vec>(g.residual, {r + 1, c}).asking_for(g.residual, {r + 2, c}), w...);
        } else if (measure) {
            // What f takes first is the row itself, which is in a cache by now.
            return store_with_moments<vec>(g.out, {r, c}, g.stores, finish, f, shift, next, in_memory<vec>(g.x, {r, c}), w...);
        } else {
            store_with<vec>(g.out, {r, c}, g.stores, f, in_memory<vec>(g.x, {r, c}), w...);
            return {};
        }
    }

    /// The mean of a row's first elements.
    static KITTENS_INLINE float shift_of(const globals& g, int r) {
        using some = rv<float, 128, vector_layout::wide>;
        const float n = g.x.cols() < some::length ? float(g.x.cols()) : float(some::length);
        if constexpr (P.residual) return reduce_with<base_ops::sum>([](auto a, auto b) { return a + b; }, in_memory<some>(g.x, {r, 0}), in_memory<some>(g.residual, {r, 0})) / n;
        else return reduce_with<base_ops::sum>([](auto a) { return a; }, in_memory<some>(g.x, {r, 0})) / n;
    }

    template <bool Reread> KITTENS_INLINE void row(const globals& g, const subgroup& sg, int r) const {
        const int cols = g.x.cols();
        // Chunk c of round t of this subgroup is chunk (t * subgroups + id) * chunks + c of the row.
        const int rounds = ceil_div(cols, held * sg.count());
        vec v[P.chunks];
        moments m;
        for (int t = 0; t < rounds; ++t) {
            const int at = (t * sg.count() + sg.id()) * P.chunks;
            if constexpr (!Reread) fetch(g, r, at, v, true);
            measure<Reread>(m, g, r, v, at, cols);
        }
        combine(m, sg, cols, rounds);
        const float mean = layer ? m.sum / float(cols) : 0.0f;
        const float scale = base_ops::rsqrt::op(m.squares / float(cols) + g.epsilon);
        for (int t = rounds - 1; t >= 0; --t) {
            const int at = (t * sg.count() + sg.id()) * P.chunks;
            if (!Reread && t < rounds - 1) fetch(g, r, at, v, false);
            finish<Reread>(g, r, at, v, mean, scale);
        }
    }

    /// Whether chunk c is worth touching: on xe all are, as chunks have their registers.
    static KITTENS_INLINE bool live(int chunk, int cols) { return P.most_subgroups > 1 || chunk * P.chunk < cols; }

    KITTENS_INLINE void fetch(const globals& g, int r, int at, vec (&v)[P.chunks], bool first) const {
        KITTENS_UNROLL_BY(unroll)
        for (int c = 0; c < P.chunks; ++c) {
            if (!live(at + c, g.x.cols())) break;
            if constexpr (P.residual) {
                if (!first) {
                    load_wide(v[c], g.sum, {r, at + c});
                    continue;
                }
                map_with(v[c], with_residual, in_memory<vec>(g.x, {r, at + c}), in_memory<vec>(g.residual, {r, at + c}));
                store_wide(g.sum, v[c], {r, at + c}, g.stores);
            } else map_with(v[c], [](auto x) { return x; }, in_memory<vec>(g.x, {r, at + c}));
        }
    }

    template <bool Reread> KITTENS_INLINE void measure(moments& m, const globals& g, int r, vec (&v)[P.chunks], int at, int cols) const {
        KITTENS_UNROLL_BY(unroll)
        for (int c = 0; c < P.chunks; ++c) {
            if (!live(at + c, cols)) break;
            if constexpr (Reread) {
                if (!layer || (at + c + 1) * P.chunk <= cols) {
                    if constexpr (P.residual) measure_part(m, with_residual, in_memory<vec>(g.x, {r, at + c}), in_memory<vec>(g.residual, {r, at + c}));
                    else measure_part(m, as_it_is, in_memory<vec>(g.x, {r, at + c}));
                    continue;
                }
                if constexpr (P.residual) map_with(v[c], with_residual, in_memory<vec>(g.x, {r, at + c}), in_memory<vec>(g.residual, {r, at + c}));
                else load_wide(v[c], g.x, {r, at + c});
            }
            if constexpr (!layer) measure_part(m, as_it_is, v[c]);
            else {
                // Beyond the row's end there are zeros: they add nothing to the sum, and are set to the mean for the squares.
                const int left = cols - (at + c) * P.chunk, n = left < P.chunk ? left < 0 ? 0 : left : P.chunk;
                const float s = reduce_with<base_ops::sum>([](auto x) { return x; }, v[c]);
                const float mean = n > 0 ? s / float(n) : 0.0f;
                if (n < P.chunk) apply(v[c], v[c], [=](int i, float x) { return i < n ? x : mean; });
                m.merge(float(n), s, reduce_with<base_ops::sum>([=](auto x) { return (x - mean) * (x - mean); }, v[c]));
            }
        }
    }

    /// A chunk that is whole, or of which what lies beyond the row's end adds nothing; f makes an element of it.
    template <class F, class... Chunk> static KITTENS_INLINE void measure_part(moments& m, F f, const Chunk&... chunk) {
        if constexpr (!layer)
            m.squares += reduce_with<base_ops::sum>([=](auto... x) { const auto y = f(x...); return y * y; }, chunk...);
        else {
            const float s = reduce_with<base_ops::sum>(f, chunk...), mean = s / float(P.chunk);
            m.merge(float(P.chunk), s, reduce_with<base_ops::sum>([=](auto... x) { const auto y = f(x...) - mean; return y * y; }, chunk...));
        }
    }
    /// What is normalised is the sum as it is stored.
    static constexpr auto with_residual = [](auto a, auto b) { return round_as<element>(a + b); };
    static constexpr auto as_it_is = [](auto x) { return x; };

    /// Puts a number into this subgroup's slot, and zeros into its share of those that nobody has.
    static KITTENS_INLINE void publish(const slots& to, const subgroup& sg, float x) {
        rv<float, 8> eight;
        fill(eight, x);
        for (int j = sg.id(); j < P.most_subgroups; j += sg.count()) {
            store(subvec<8>(to, j), eight);
            zero(eight);
        }
    }

    /// Everybody's moments become those of the row.
    KITTENS_INLINE void combine(moments& m, const subgroup& sg, int cols, int rounds) const {
        if constexpr (P.most_subgroups > 1) {
            if (sg.count() == 1) return;
            shared_allocator al(sg);
            const auto sums = al.template allocate<slots>(), squares = al.template allocate<slots>();
            publish(squares, sg, m.squares);
            if constexpr (layer) publish(sums, sg, m.sum);
            sync(sg);
            // Slots hold each number eight times, and zeros where there is no subgroup.
            rv<float, slots::length> s, q;
            load(q, squares);
            if constexpr (layer) {
                load(s, sums);
                m.sum = 0.125f * kittens::sum(s);
                const float mean = m.sum / float(cols);
                const int others = 8 * sg.count(), step = held * sg.count(), whole = (rounds - 1) * held;
                apply(s, s, [=](int i, float x) {
                    const int left = cols - (rounds - 1) * step - i / 8 * held;
                    const float n = float(whole + (left < 0 ? 0 : left < held ? left : held));
                    const float d = n > 0.0f ? x * base_ops::recip::op(n) - mean : 0.0f;
                    return i < others ? n * d * d : 0.0f;
                });
                add(q, q, s);
            }
            m.squares = 0.125f * kittens::sum(q);
        }
    }

    template <bool Reread> KITTENS_INLINE void finish(const globals& g, int r, int at, vec (&v)[P.chunks], float mean, float scale) const {
        KITTENS_UNROLL_BY(unroll)
        for (int c = 0; c < P.chunks; ++c) {
            if (!live(at + c, g.x.cols())) break;
            // While results leave, the next row comes.
            const auto w = [&] {
                const auto weights = in_memory<vec>(g.weight, {0, at + c}).asking_for(g.x, {r + 1, at + c});
                if constexpr (P.residual) return weights.asking_for(g.residual, {r + 1, at + c});
                else return weights;
            }();
            const auto leave = [&](auto f, const auto&... chunk) {
                if constexpr (layer)
                    store_with<vec>(g.out, {r, at + c}, g.stores, [=](auto y, auto z, auto... x) { return (f(x...) - mean) * scale * y + z; }, w, in_memory<vec>(g.bias, {0, at + c}), chunk...);
                else store_with<vec>(g.out, {r, at + c}, g.stores, [=](auto y, auto... x) { return f(x...) * scale * y; }, w, chunk...);
            };
            if constexpr (Reread && P.residual) {
                const auto x = in_memory<vec>(g.x, {r, at + c});
                const auto y = in_memory<vec>(g.residual, {r, at + c});
                leave(with_residual, x, y);
                store_with<vec>(g.sum, {r, at + c}, g.stores, [](auto a, auto b) { return a + b; }, x, y);  // last: it may lie where the residual does
            } else if constexpr (Reread) leave(as_it_is, in_memory<vec>(g.x, {r, at + c}));
            else leave(as_it_is, v[c]);
        }
    }
#endif
};

/// The globals of a norm do not depend on more than its element type.
template <dtype T> using norm_globals = typename norm<default_norm(norm_kind::layer, T, true)>::globals;

}  // namespace kernels::inline KITTENS_NS
