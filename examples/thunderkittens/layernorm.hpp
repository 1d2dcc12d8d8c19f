// SPDX-License-Identifier: Apache-2.0
// Layer norm over rows of 1024, with weight and bias: each subgroup takes a row.
#pragma once

#include <kittens/kittens.hpp>

namespace examples::inline KITTENS_NS {

using namespace kittens;

struct layernorm {
    static constexpr int width = 1024, workers = 8;
    static constexpr float epsilon = 1e-5f;
    using vec = rv<float, width>;

    struct globals {
        gl<const bf16, 1, 1, -1, width> x;
        gl<const bf16, 1, 1, 1, width> weight, bias;
        gl<bf16, 1, 1, -1, width> o;
    };

    static launch_shape geometry(const globals& g) {
        return {.groups = {ceil_div(g.x.rows(), workers), 1, 1}, .subgroups = workers};
    }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int i = sg.group(0) * workers + sg.id();
        vec x, t;
        load(x, g.x, {i, 0});
        const float mean = sum(x) / width;
        sub(x, x, mean);
        mul(t, x, x);
        const float variance = sum(t) / width;
        mul(x, x, base_ops::rsqrt::op(variance + epsilon));
        load(t, g.weight, {0, 0});
        mul(x, x, t);
        load(t, g.bias, {0, 0});
        add(x, x, t);
        store(g.o, x, {i, 0});
    }
#endif
};

}  // namespace examples::inline KITTENS_NS
