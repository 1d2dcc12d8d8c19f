// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kittens/kittens.hpp>

namespace outside::inline KITTENS_NS {

using namespace kittens;

/// y = 2 x
struct double_it {
    using tile = rt_fl<16, 32>;
    struct globals {
        gl<const float, 1, 1, -1, -1> x;
        gl<float, 1, 1, -1, -1> y;
    };
    static launch_shape geometry(const globals& g) {
        return {.groups = {ceil_div(g.y.cols(), tile::cols), ceil_div(g.y.rows(), tile::rows), 1}};
    }
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        tile t;
        load(t, g.x, {sg.group(1), sg.group(0)});
        mul(t, t, 2.0f);
        store(g.y, t, {sg.group(1), sg.group(0)});
    }
#endif
};

}  // namespace outside::inline KITTENS_NS
