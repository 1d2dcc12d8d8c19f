// SPDX-License-Identifier: Apache-2.0
// The steps from the plainest tile GEMM to the default one on xe: each adds one change to the step before. They are for looking
// at and for tests; every target runs them, but only xe has a reason to.
#pragma once

#include "policy.hpp"

namespace kernels::inline KITTENS_NS {

constexpr dtype default_output(dtype in) { return in == dtype::i8 ? dtype::i32 : in == dtype::tf32 ? dtype::f32 : in; }

/// 16 x 16 base tiles, straight from memory: a load per 16 x 16 block, no prefetch, tiles of C row by row.
constexpr gemm_policy base_16x16(dtype in) {
    return {.in = in,
            .out = default_output(in),
            .k_step = 64 / kittens::size_of(in),  // one 64-byte line of A
            .base = kittens::rt_16x16,
            .prefetch = prefetch_kind::none,
            .order = tile_order::linear};
}

/// + 32 x 32 base tiles: a load brings whole 64-byte lines.
constexpr gemm_policy base_32x32(dtype in) {
    auto p = base_16x16(in);
    p.base = kittens::rt_32x32;
    return p;
}

/// + prefetch of whole tiles by some of the subgroups.
constexpr gemm_policy masked(dtype in) {
    auto p = base_32x32(in);
    p.prefetch = prefetch_kind::masked;
    return p;
}

/// + 32 K steps to an iteration; not on cpu, where a step is a loop of its own, too long to repeat.
constexpr gemm_policy unroll_32(dtype in) {
    auto p = masked(in);
#if !defined(KITTENS_TARGET_CPU)
    p.unroll = 32;
#endif
    return p;
}

/// + tiles of C in snake order.
constexpr gemm_policy snake(dtype in) {
    auto p = unroll_32(in);
    p.order = tile_order::snake;
    return p;
}

/// + every byte of the panels prefetched by one subgroup.
constexpr gemm_policy cooperative(dtype in) {
    auto p = snake(in);
    p.prefetch = prefetch_kind::cooperative;
    return p;
}

/// + how far ahead chosen by the shape.
constexpr gemm_policy shape_distance(dtype in) {
    auto p = cooperative(in);
    p.distance = prefetch_distance::by_shape;
    return p;
}

struct ladder_step {
    const char* name;  ///< of the policy, and of the function that makes it
    const char* adds;
    gemm_policy (*make)(dtype in);
};

inline constexpr ladder_step ladder[] = {
    {"base_16x16", "16 x 16 base tiles, no prefetch", base_16x16},
    {"base_32x32", "32 x 32 base tiles", base_32x32},
    {"masked", "prefetch masked by subgroup", masked},
    {"unroll_32", "32 K steps per iteration", unroll_32},
    {"snake", "snake order", snake},
    {"cooperative", "disjoint cooperative prefetch", cooperative},
    {"shape_distance", "prefetch distance by shape", shape_distance},
};

}  // namespace kernels::inline KITTENS_NS
