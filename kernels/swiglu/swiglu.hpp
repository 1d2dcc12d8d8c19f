// SPDX-License-Identifier: Apache-2.0
// out = silu(gate) * up, element by element: gate and up as tensors of their own or as the halves of one (each row gate, then
// up), or interleaved (gate and up alternate along a row).
#pragma once

#include <kittens/kittens.hpp>
#include <kittens/ops/rows.hpp>

namespace kernels {

using kittens::dtype;

struct swiglu_policy {
    dtype type = dtype::bf16;
    bool interleaved = false;
    int chunk = 128;
    int subgroups = 8;  ///< that share a workgroup's rows
    int chunks = 1;     ///< chunks of a row that a workgroup takes for each of its subgroups
    int rows = 1;       ///< rows that a workgroup takes, one after the other
};

#if defined(KITTENS_TARGET_CPU)
constexpr swiglu_policy default_swiglu(dtype type, bool interleaved) { return {type, interleaved, interleaved ? 256 : 1024, 1, interleaved ? 16 : 4}; }
#else
constexpr swiglu_policy default_swiglu(dtype type, bool interleaved) { return {type, interleaved}; }
#endif

}  // namespace kernels

namespace kernels::inline KITTENS_NS {

using namespace kittens;

template <swiglu_policy P>
struct swiglu {
    using element = type_of<P.type>;
    using vec = rv<float, P.chunk, vector_layout::wide>;

    struct globals {
        gl<const element, 1, 1, -1, -1, access::plain> gate, up;  ///< interleaved: both in `gate`, whose rows are twice as long
        gl<element, 1, 1, -1, -1, access::plain> out;
        store_policy stores;
    };

    static constexpr kernel_traits traits{.grf = 128};

    static launch_shape geometry(const globals& g) {
        const int chunks = ceil_div(g.out.cols(), P.chunk), share = chunks / P.chunks < P.subgroups ? chunks / P.chunks : P.subgroups, subgroups = share < 1 ? 1 : share;
        return {.groups = {ceil_div(chunks, P.chunks * subgroups), ceil_div(g.out.rows(), P.rows), 1}, .subgroups = subgroups};  // along a row first
    }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int first = sg.group(1) * P.rows;
        const int last = first + P.rows < g.out.rows() ? first + P.rows : g.out.rows();
        const int chunks = ceil_div(g.out.cols(), P.chunk), share = sg.count() * P.chunks, begin = sg.group(0) * share, end = begin + share < chunks ? begin + share : chunks;
        for (int r = first; r < last; ++r)
            for (int c = begin + sg.id(); c < end; c += sg.count()) part(g, r, c);
        finish_stores(g.stores);
    }

  private:
    static KITTENS_INLINE void part(const globals& g, int r, int c) {
        const auto f = [](auto gate, auto up) { return silu_of(gate) * up; };
        if constexpr (P.interleaved) {
            vec gate, up;
            load_interleaved(gate, up, g.gate, {r, c});
            store_with<vec>(g.out, {r, c}, g.stores, f, gate, up);
        } else {
            store_with<vec>(g.out, {r, c}, g.stores, f, in_memory<vec>(g.gate, {r, c}).asking_for(g.gate, {r + 1, c}), in_memory<vec>(g.up, {r, c}).asking_for(g.up, {r + 1, c}));
        }
    }
#endif
};

/// The globals do not depend on more than the element type.
template <dtype T> using swiglu_globals = typename swiglu<default_swiglu(T, false)>::globals;

}  // namespace kernels::inline KITTENS_NS
