// SPDX-License-Identifier: Apache-2.0
// Each target's policy for each element type and head dimension.
#pragma once

#include "policy.hpp"

#include <kittens/base/target.hpp>

namespace kernels::inline KITTENS_NS {

#if defined(KITTENS_TARGET_CPU)
// One thread is one subgroup. A step's keys and values stay packed in the second-level cache for all query tiles of a block,
// and scores in the first.
constexpr attention_policy attention_default(dtype in, int dim) {
    return {.in = in, .dim = dim, .rows = 32, .tiles = 8, .keys = 512, .depth_step = dim, .out_cols = dim, .workers = 1,
            .prefetch = false, .persistent = true, .rescale = rescaling::lazy};
}
#else
// Queries and output accumulators take 192 of 256 registers with 16 rows at a head dimension of 128.
constexpr attention_policy attention_default(dtype in, int dim) {
    return {.in = in, .dim = dim, .rows = dim > 128 ? 8 : 16};
}
#endif
/// Half the rows, twice the tiles: for few queries.
constexpr attention_policy attention_rows8(dtype in, int dim) {
    auto p = attention_default(in, dim);
    if (p.rows == 16) p.rows = 8;
    return p;
}

}  // namespace kernels::inline KITTENS_NS
