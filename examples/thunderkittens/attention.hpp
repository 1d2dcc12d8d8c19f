// SPDX-License-Identifier: Apache-2.0
// Attention forward, head dimension 64, with or without causal mask, any length: each subgroup takes 16 queries and walks over the keys, 32 at a
// time, with the usual online softmax.
#pragma once

#include <kittens/kittens.hpp>

namespace examples::inline KITTENS_NS {

using namespace kittens;

template <bool Causal>
struct attention {
    static constexpr int dim = 64, queries = 16, keys = 32, workers = 4;
    using q_t = rt_bf<queries, dim>;
    using k_t = rt_bf<keys, dim>;
    using v_t = rt_bf<keys, dim, col>;
    using att_t = rt_fl<queries, keys>;
    using out_t = rt_fl<queries, dim>;

    struct globals {
        gl<const bf16, -1, -1, -1, dim> q, k, v;  // batch, head, position
        gl<bf16, -1, -1, -1, dim> o;
    };
    static constexpr kernel_traits traits{.grf = 256};

    static launch_shape geometry(const globals& g) {
        return {.groups = {ceil_div(g.q.rows(), queries * workers), g.q.depth(), g.q.batch()}, .subgroups = workers};
    }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int i = sg.group(0) * workers + sg.id(), head = sg.group(1), batch = sg.group(2);
        if (!g.q.template holds<q_t>(i, 0)) return;

        q_t q;
        k_t k;
        v_t v;
        att_t att;
        rt_bf<queries, keys> att_bf;
        out_t o;
        col_vec<att_t> max_vec, max_last, norm;

        load(q, g.q, {batch, head, i, 0});
        zero(o);
        zero(norm);
        neg_infty(max_vec);
        const int all = g.k.rows(), seen = Causal && (i + 1) * queries < all ? (i + 1) * queries : all;
        for (int j = 0; j * keys < seen; ++j) {
            load(k, g.k, {batch, head, j, 0});
            zero(att);
            mma_ABt(att, q, k, att);
            mul(att, att, 0.125f * 1.44269504f);  // 1/sqrt(64), and exp2 in place of exp
            if constexpr (Causal) make_causal(att, att, -__builtin_inff(), i * queries, j * keys);
            right_fill(att, att, all - j * keys, -__builtin_inff());
            copy(max_last, max_vec);
            row_max(max_vec, att, max_vec);
            sub_row(att, att, max_vec);
            exp2(att, att);
            sub(max_last, max_last, max_vec);
            exp2(max_last, max_last);
            mul(norm, norm, max_last);
            row_sum(norm, att, norm);
            copy(att_bf, att);
            load(v, g.v, {batch, head, j, 0});
            mul_row(o, o, max_last);
            mma_AB(o, att_bf, v, o);
        }
        div_row(o, o, norm);
        store(g.o, o, {batch, head, i, 0});
    }
#endif
};

}  // namespace examples::inline KITTENS_NS
