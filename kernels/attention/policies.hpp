// SPDX-License-Identifier: Apache-2.0
// The named policies: each target's for each element type and head dimension.
#pragma once

#include "policy.hpp"

#include <kittens/base/target.hpp>

namespace kernels::inline KITTENS_NS {

/// Pages of a cache hold a multiple of so many keys: steps of every target's decoding policy end where pages do.
inline constexpr int decode_page_unit = 64;

#if defined(KITTENS_TARGET_CPU)
// One thread is one subgroup. A step's keys and values stay packed in the second-level cache for all query tiles of a block,
// and the scores of a tile in the first.
// Registers hold blocks of 6 rows with AVX2, so 48 rows are whole blocks; AMX works on 32.
#if defined(__AVX512F__)
inline constexpr int attention_rows = 32, attention_tiles = 8;
#else
inline constexpr int attention_rows = 48, attention_tiles = 5;
#endif
constexpr attention_policy attention_default(dtype in, int dim) {
    return {.in = in, .dim = dim, .rows = attention_rows, .tiles = attention_tiles, .keys = 512, .depth_step = dim, .out_cols = dim, .workers = 1,
            .prefetch = false, .persistent = true, .rescale = rescaling::lazy};
}
/// Fewer queries to a block, so that more threads find work.
constexpr attention_policy attention_rows8(dtype in, int dim) {
    auto p = attention_default(in, dim);
    p.tiles = 1;
    return p;
}
/// Other lengths of a step: shorter where there are few keys, longer where packing them is shared by more queries.
constexpr attention_policy attention_keys(dtype in, int dim, int keys) {
    auto p = attention_default(in, dim);
    p.keys = keys;
    return p;
}
/// Each key and value is used once, so a step only has to be long enough that its costs do not count.
constexpr attention_policy attention_decode(dtype in, int dim) {
    auto p = attention_default(in, dim);
    p.rows = 16, p.tiles = 1, p.keys = 128, p.page_keys = decode_page_unit, p.prefetch = true, p.persistent = false, p.decode = true;
    return p;
}
#else
// 256 registers hold 16 rows of the output at a head dimension of 128, the scores, and keys or values, but not the queries
// too: with them, all devices' compilers spill. At 64 and 96 they fit.
constexpr attention_policy attention_default(dtype in, int dim) {
    return {.in = in, .dim = dim, .rows = dim > 128 ? 8 : 16, .preload = dim <= 96};
}
/// Half the rows, so that there are twice as many tiles: for few queries.
constexpr attention_policy attention_rows8(dtype in, int dim) {
    return {.in = in, .dim = dim, .rows = 8, .preload = dim <= 128};
}
/// One subgroup to a workgroup: there is one tile of rows, and parts of the keys make the parallelism.
constexpr attention_policy attention_decode(dtype in, int dim) {
    auto p = attention_default(in, dim);
    p.workers = 1, p.decode = true;
    return p;
}
#endif

}  // namespace kernels::inline KITTENS_NS
