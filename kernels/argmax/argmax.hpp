// SPDX-License-Identifier: Apache-2.0
// Where the largest element of each row is: the first among equals; the first NaN where there is one, as PyTorch's argmax.
//
// A row is read once. Subgroups take chunks in turns and remember which chunk brought their largest element; only that chunk is
// read again, for the place in it.
#pragma once

#include <kittens/kittens.hpp>
#include <kittens/ops/element.hpp>
#include <kittens/ops/rows.hpp>

namespace kernels {

using kittens::dtype;

struct argmax_policy {
    dtype type = dtype::bf16;
    int chunk = 512;
    int most_subgroups = 32;  ///< that share a row
};

#if defined(KITTENS_TARGET_CPU)
constexpr argmax_policy default_argmax(dtype type) { return {type, 1024, 1}; }
#else
constexpr argmax_policy default_argmax(dtype type) { return {type}; }
#endif

}  // namespace kernels

namespace kernels::inline KITTENS_NS {

using namespace kittens;

template <argmax_policy P>
struct argmax {
    using element = type_of<P.type>;
    using vec = rv<float, P.chunk, vector_layout::wide>;
    static constexpr bool shared = P.most_subgroups > 1;
    static constexpr int nowhere = 0x7fffffff;

    struct globals {
        gl<const element, 1, 1, -1, -1, access::plain> x;
        gl<int32, 1, 1, 1, -1, access::plain> out;  ///< an index for each row
    };

    static constexpr kernel_traits traits{.grf = 128};
    using values = sv_fl<P.most_subgroups < 16 ? 16 : P.most_subgroups>;
    using places = sv<int32, values::length>;
    static constexpr int slm_bytes = shared ? slm_bytes_for<values, places> : 0;

    static launch_shape geometry(const globals& g) {
        const int chunks = ceil_div(g.x.cols(), P.chunk);
        return {.groups = {g.x.rows(), 1, 1}, .subgroups = chunks < P.most_subgroups ? chunks : P.most_subgroups};
    }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int r = sg.group(0), cols = g.x.cols(), chunks = ceil_div(cols, P.chunk);
        float best = -__builtin_inff();
        int where = sg.id() < chunks ? sg.id() : -1;
        for (int c = sg.id(); c < chunks; c += sg.count()) {
            const float top = largest(g, r, c);
            const bool better = top > best || (top != top && best == best);
            best = better ? top : best;
            where = better ? c : where;
        }
        int index = nowhere;
        if (where >= 0) {
            vec v;
            fetch(g, r, where, v);
            const int n = cols - where * P.chunk;
            apply(v, v, [=](int i, float x) { return i < n && (x == best || x != x) ? float(i) : float(P.chunk); });
            index = where * P.chunk + int(reduce_with<smaller>(as_it_is, v));
        }
        if constexpr (shared) {
            if (sg.count() > 1) {
                shared_allocator al(sg);
                const auto all = al.template allocate<values>();
                const auto at = al.template allocate<places>();
                for (int j = sg.id(); j < values::length; j += sg.count()) {
                    set_element(all, j, j == sg.id() ? best : -__builtin_inff());
                    set_element(at, j, j == sg.id() ? index : nowhere);
                }
                sync(sg);
                rv<float, values::length> v;
                rv<int32, values::length> i;
                load(v, all);
                load(i, at);
                const float top = reduce<larger>(v);
                map_with(i, [=](int place, float x) { return x == top || x != x ? place : nowhere; }, i, v);
                index = kittens::min(i);
            }
        }
        if (sg.id() == 0) set_element(g.out, 0, r, index);
    }

  private:
    /// A NaN is larger than all else.
    struct larger { template <class X> KITTENS_INLINE static X op(X a, X b) { return a > b || a != a ? a : b; } };
    struct smaller { template <class X> KITTENS_INLINE static X op(X a, X b) { return a < b ? a : b; } };
    static constexpr auto as_it_is = [](auto x) { return x; };

    /// The largest element of a chunk.
    static KITTENS_INLINE float largest(const globals& g, int r, int c) {
        if (!shared && (c + 1) * P.chunk <= g.x.cols()) return reduce_with<larger>(as_it_is, in_memory<vec>(g.x, {r, c}).asking_for(g.x, {r, c}));
        vec v;
        fetch(g, r, c, v);
        return reduce_with<larger>(as_it_is, v);
    }

    static KITTENS_INLINE void fetch(const globals& g, int r, int c, vec& v) {
        map_with(v, as_it_is, in_memory<vec>(g.x, {r, c}));
        const int n = g.x.cols() - c * P.chunk;
        if (n < P.chunk) apply(v, v, [=](int i, float x) { return i < n ? x : -__builtin_inff(); });
    }
#endif
};

template <dtype T> using argmax_globals = typename argmax<default_argmax(T)>::globals;

}  // namespace kernels::inline KITTENS_NS
