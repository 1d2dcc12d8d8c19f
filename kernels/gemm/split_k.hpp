// SPDX-License-Identifier: Apache-2.0
// The second pass of a split GEMM: adds up planes of partial sums, in order, so that the result is the same every time; applies
// the epilogue and converts. With one plane it is the last step of the atomic and stream combinations, whose sums are float.
#pragma once

#include "epilogue.hpp"

namespace kernels {

struct reduce_policy {
    dtype sum = dtype::f32, out = dtype::bf16;
    int tile_m = 16, tile_n = 32;  ///< per subgroup
    int subgroups = 8;             ///< side by side in a workgroup
    kittens::access access = kittens::access::block;
    int grf = 128;
};

}  // namespace kernels

namespace kernels::inline KITTENS_NS {

template <reduce_policy P>
struct reduce_planes {
    using sum_t = rt<type_of<P.sum>, P.tile_m, P.tile_n>;
    static constexpr bool exact = P.out == dtype::i32;  ///< sums of whole numbers are not scaled

    struct globals {
        gl<const type_of<P.sum>, -1, -1, -1, -1, P.access> planes;  ///< depth: planes
        gl<type_of<P.out>, -1, 1, -1, -1, P.access> c;
        [[no_unique_address]] epilogue_args<!exact, P.out, P.access> epilogue{};
    };

    static constexpr kernel_traits traits{.grf = P.grf};
    static launch_shape geometry(const globals& g) {
        return {.groups = {ceil_div(g.c.cols(), P.tile_n * P.subgroups), ceil_div(g.c.rows(), P.tile_m), g.c.batch()}, .subgroups = P.subgroups};
    }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int b = sg.group(2), m = sg.group(1), n = sg.group(0) * P.subgroups + sg.id();
        if (!g.c.template holds<sum_t>(m, n)) return;
        sum_t sum, plane;
        load(sum, g.planes, {b, 0, m, n});
        for (int p = 1; p < g.planes.depth(); ++p) {
            load(plane, g.planes, {b, p, m, n});
            add(sum, sum, plane);
        }
        if constexpr (exact) store(g.c, sum, {b, 0, m, n});
        else finish<0, 0>(g.c, sum, g.epilogue, {b, 0, m, n});
    }
#endif
};

}  // namespace kernels::inline KITTENS_NS
