// SPDX-License-Identifier: Apache-2.0
// Each target's default policy for each element type, and those derived from it. The steps that lead to xe's: ladder.hpp.
#pragma once

#include "ladder.hpp"
#include "policy.hpp"

#include <kittens/base/target.hpp>

namespace kernels::inline KITTENS_NS {

#if defined(KITTENS_TARGET_CPU)
// One thread is one subgroup, and the tile is a cache block: K goes by in long panels, since an accumulator costs nothing
// to keep but much to write back. A packed panel of B is used by all tiles of a column of C before the next is packed,
// so tiles are taken column by column. Measured on an AMX Xeon; see docs/targets-cpu.md.
constexpr gemm_policy default_policy(dtype in) {
#if defined(KITTENS_CPU_AMX)
    const bool matrix_unit = in != dtype::f16 && in != dtype::tf32;
#else
    const bool matrix_unit = false;
#endif
    return {.in = in,
            .out = default_output(in),
            .tile_m = 128,
            .tile_n = matrix_unit ? 256 : 128,
            .k_step = matrix_unit ? 1024 : 512,
            .sg_rows = 1,
            .sg_cols = 1,
            .prefetch = prefetch_kind::none,
            .distance_a = 0,
            .distance_b = 0,
            .order = tile_order::snake,
            .band = 1};
}
#else
// 32 x 64 accumulators take half of the 256 registers; a K step is one 64-byte line of A.
constexpr gemm_policy default_policy(dtype in) {
    return {.in = in, .out = default_output(in), .k_step = 64 / kittens::size_of(in)};
}
#endif

/// For tensors that break the rules of the 2-D block instructions.
constexpr gemm_policy plain_policy(dtype in) {
    auto p = default_policy(in);
    p.access = kittens::access::plain;
    p.prefetch = prefetch_kind::none;
    return p;
}

}  // namespace kernels::inline KITTENS_NS
