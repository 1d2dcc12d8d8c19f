// SPDX-License-Identifier: Apache-2.0
// Softmax over rows of 128: each subgroup takes 16 rows.
#pragma once

#include <kittens/kittens.hpp>

namespace examples::inline KITTENS_NS {

using namespace kittens;

struct softmax {
    static constexpr int width = 128, rows = 16, workers = 4;
    using tile = rt_fl<rows, width>;

    struct globals {
        gl<const bf16, 1, 1, -1, width> x;
        gl<bf16, 1, 1, -1, width> o;
    };

    static launch_shape geometry(const globals& g) {
        return {.groups = {ceil_div(g.x.rows(), rows * workers), 1, 1}, .subgroups = workers};
    }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int i = sg.group(0) * workers + sg.id();
        tile x;
        col_vec<tile> v;
        load(x, g.x, {i, 0});
        row_max(v, x);
        sub_row(x, x, v);
        exp(x, x);
        row_sum(v, x);
        div_row(x, x, v);
        store(g.o, x, {i, 0});
    }
#endif
};

}  // namespace examples::inline KITTENS_NS
