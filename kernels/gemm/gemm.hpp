// SPDX-License-Identifier: Apache-2.0
// C = A * B: A is M x K, B is K x N, row-major. Each subgroup keeps one tile of C in registers and walks along K.
#pragma once

#include "policy.hpp"
#include "schedule.hpp"

namespace kernels::inline KITTENS_NS {

using namespace kittens;

template <gemm_policy P>
struct gemm {
    using in_t = type_of<P.in>;
    using acc_t = rt<type_of<accumulator_of(P.in)>, P.tile_m, P.tile_n, row, P.base>;
    using a_t = rt<in_t, P.tile_m, P.k_step, row, P.base>;
    using b_t = rt<in_t, P.k_step, P.tile_n, col, P.base>;

    struct globals {
        gl<const in_t, 1, 1, -1, -1, P.access> a, b;
        gl<type_of<P.out>, 1, 1, -1, -1, P.access> c;
    };

    static constexpr kernel_traits traits{.grf = P.grf};

    static launch_shape geometry(const globals& g) {
        return {.groups = {ceil_div(g.c.cols(), P.tile_n * P.sg_cols), ceil_div(g.c.rows(), P.tile_m * P.sg_rows), 1},
                .subgroups = P.sg_rows * P.sg_cols};
    }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int i = sg.id() / P.sg_cols, j = sg.id() % P.sg_cols;
        const auto [gm, gn] = workgroup_tile<P.order, P.band>(sg.group(0), sg.group(1), sg.groups(1), sg.groups(0));
        const int m = gm * P.sg_rows + i, n = gn * P.sg_cols + j;
        if (!g.c.template holds<acc_t>(m, n)) return;

        acc_t acc;
        a_t a;
        b_t b;
        const prefetcher ahead{g, sg.id(), m, n, i, j};
        for (int k = 0; k < P.distance_a; ++k) ahead.warm(a, k);
        for (int k = 0; k < P.distance_b; ++k) ahead.warm(b, k);

        zero(acc);
        const int steps = g.a.template steps<a_t>();
        KITTENS_UNROLL_BY(P.unroll)
        for (int k = 0; k < steps; ++k) {
            load(a, g.a, {m, k});
            load_transform(b, g.b, {k, n});
            ahead.warm(a, k + P.distance_a);
            ahead.warm(b, k + P.distance_b);
            mma_AB(acc, a, b, acc);
        }
        store(g.c, acc, {m, n});
    }

  private:
    /// Issues this subgroup's share of the prefetches for K step k. Steps past the end touch nothing.
    struct prefetcher {
        const globals& g;
        int id, m, n, i, j;

        KITTENS_INLINE void warm(const a_t& a, int k) const {
            if constexpr (P.prefetch == prefetch_kind::cooperative)
                prefetch_load_coop<panel_parts<P>::a_block>(a, g.a, {m, k}, panel_parts<P>::a_part(j));
            else if constexpr (P.prefetch == prefetch_kind::masked)
                if (id % 5 != 0) prefetch_load(a, g.a, {m, k});
        }
        KITTENS_INLINE void warm(const b_t& b, int k) const {
            if constexpr (P.prefetch == prefetch_kind::cooperative)
                prefetch_load_coop<panel_parts<P>::b_block>(b, g.b, {k, n}, panel_parts<P>::b_part(i));
            else if constexpr (P.prefetch == prefetch_kind::masked)
                if (id & 8) prefetch_load(b, g.b, {k, n});
        }
    };
#endif
};

}  // namespace kernels::inline KITTENS_NS
