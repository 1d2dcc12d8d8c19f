// SPDX-License-Identifier: Apache-2.0
// The method's steps on a CPU's matrix unit: where B is packed, who prefetches, and then what a CPU wants instead of a GPU's workgroups.
// To be measured (kittens bench gemm --ladder); the steps of xe, whose machine code is looked at, are in ladder.hpp.
#pragma once

#include "policies.hpp"

namespace kernels::inline KITTENS_NS {

/// B packed in registers by each tile of C for itself, in every K step. A workgroup is 4 x 4 tiles of 32 x 64, as on a GPU: they share
/// panels, here in one core's caches. No prefetch.
constexpr gemm_policy cpu_pack_per_use(dtype in) {
    auto p = plain_policy(in);
    p.tile_m = 32;
    p.tile_n = 64;
    p.k_step = 1024 * 2 / kittens::size_of(in);
    p.sg_rows = p.sg_cols = 4;
    p.pack = packing::registers;
    p.distance_a = p.distance_b = 1;
    return p;
}

/// B is packed before the product begins, once, in memory.
constexpr gemm_policy cpu_pack_once(dtype in) {
    auto p = cpu_pack_per_use(in);
    p.pack = packing::load;
    p.b = stored::packed;
    return p;
}

/// B is packed by the load; tiles of the same columns on one thread share what was loaded.
constexpr gemm_policy cpu_pack_fused(dtype in) {
    auto p = cpu_pack_once(in);
    p.b = stored::normal;
    return p;
}

/// + prefetch of whole tiles, one K step ahead, by some of the subgroups.
constexpr gemm_policy cpu_masked(dtype in) {
    auto p = cpu_pack_fused(in);
    p.prefetch = prefetch_kind::masked;
    return p;
}

/// + every byte of the panels prefetched by one subgroup instead.
constexpr gemm_policy cpu_cooperative(dtype in) {
    auto p = cpu_masked(in);
    p.prefetch = prefetch_kind::cooperative;
    return p;
}

struct cpu_ladder_step {
    const char* name;
    const char* adds;
    gemm_policy (*make)(dtype in);
};

/// The last step, not listed here, is the cpu target's default policy: one subgroup with one tile that is a cache block.
inline constexpr cpu_ladder_step cpu_ladder[] = {
    {"pack_per_use", "B packed in registers, by every tile in every K step", cpu_pack_per_use},
    {"pack_once", "B packed in memory ahead of the product (not in the time)", cpu_pack_once},
    {"pack_fused", "B packed by the load, shared by the tiles of its columns", cpu_pack_fused},
    {"masked", "whole tiles prefetched by some subgroups", cpu_masked},
    {"cooperative", "disjoint parts of the panels prefetched instead", cpu_cooperative},
};

}  // namespace kernels::inline KITTENS_NS
