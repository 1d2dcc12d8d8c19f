// SPDX-License-Identifier: Apache-2.0
// C = alpha * A * B + bias: a kernel in the tile language. A is M x K, B is K x N, C is M x N, bias has N elements.
#pragma once

#include <kittens/kittens.hpp>

namespace example::inline KITTENS_NS {

using namespace kittens;

struct my_gemm {
    // Tiles that one subgroup holds in registers.
    using acc_t = rt_fl<32, 64>;
    using a_t = rt_bf<32, 32>;
    using b_t = rt_bf<32, 64, col>;
    using bias_t = row_vec<acc_t>;

    // What the launcher passes. `const`: nothing writes A, B and bias while the kernel runs.
    struct globals {
        gl<const bf16, 1, 1, -1, -1> a, b;
        gl<const float, 1, 1, 1, -1> bias;
        gl<float, 1, 1, -1, -1> c;
        float alpha;
    };

    // 32 x 64 sums, A, B and bias together need more than the default 128 registers.
    static constexpr kernel_traits traits{.grf = 256};

    // One workgroup of one subgroup for each tile of C.
    static launch_shape geometry(const globals& g) {
        return {.groups = {ceil_div(g.c.cols(), acc_t::cols), ceil_div(g.c.rows(), acc_t::rows), 1}, .subgroups = 1};
    }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int m = sg.group(1), n = sg.group(0);
        acc_t acc;
        a_t a;
        b_t b;
        bias_t bias;
        zero(acc);
        for (int k = 0; k < g.a.steps<a_t>(); ++k) {
            load(a, g.a, {m, k});  // coordinates count in tiles; outside the matrix there are zeros
            load_transform(b, g.b, {k, n});
            mma_AB(acc, a, b, acc);
        }
        load(bias, g.bias, {0, n});
        mul(acc, acc, g.alpha);
        add_col(acc, acc, bias);
        store(g.c, acc, {m, n});
    }
#endif
};

}  // namespace example::inline KITTENS_NS
