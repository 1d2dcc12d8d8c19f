// SPDX-License-Identifier: Apache-2.0
// y += factor * x, for matrices of any size whose rows are multiples of 16 bytes, at least 64.
#pragma once

#include <kittens/kittens.hpp>

namespace example::inline KITTENS_NS {

struct scaled_sum {
    using tile_t = kittens::rt_fl<16, 32>;
    static constexpr int subgroups = 4;  // in a workgroup, side by side along a row

    struct globals {
        kittens::gl<const float, 1, 1, -1, -1> x;
        kittens::gl<float, 1, 1, -1, -1> y;
        float factor;
    };

    static kittens::launch_shape geometry(const globals& g) {
        const int wide = tile_t::cols * subgroups;
        return {.groups = {kittens::ceil_div(g.y.cols(), wide), kittens::ceil_div(g.y.rows(), tile_t::rows), 1},
                .subgroups = subgroups};
    }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const kittens::subgroup& sg) const {
        const int row = sg.group(1), col = sg.group(0) * subgroups + sg.id();
        tile_t x, y;
        load(x, g.x, {row, col});
        load(y, g.y, {row, col});
        mul(x, x, g.factor);
        add(y, y, x);
        store(g.y, y, {row, col});
    }
#endif
};

}  // namespace example::inline KITTENS_NS
