// SPDX-License-Identifier: Apache-2.0
// Policies of the xe target that are named after what they choose, for the table of choices: "32x64x32_8x4_cooperative2_u1_snake8_split4" is
// tile_m x tile_n x k_step, sg_rows x sg_cols, prefetch and its distance (none has no distance), unroll, order and its band (linear has none), and
// in how many planes K is split ("_split": in any number, as the kernel is called: the number is no part of its code).
#pragma once

#include "ladder.hpp"
#include "policy.hpp"

namespace kernels {

/// What such a name says.
struct xe_choice {
    int tile_m = 32, tile_n = 64, k_step = 32, sg_rows = 8, sg_cols = 4;
    prefetch_kind prefetch = prefetch_kind::cooperative;
    int distance = 2, unroll = 1;
    tile_order order = tile_order::snake;
    int band = 8;
    bool split = false;
    int parts = 0;  ///< 0: the name leaves it open
    bool valid = false;

    constexpr int subgroups() const { return sg_rows * sg_cols; }
};

namespace detail {

struct name_reader {
    const char* at;
    bool good = true;

    constexpr bool take(const char* word) {
        const char* p = at;
        while (*word && *p == *word) ++p, ++word;
        if (*word) return false;
        at = p;
        return true;
    }
    constexpr void need(const char* word) { good = good && take(word); }
    /// 1 to 9999.
    constexpr int number() {
        int value = 0;
        const char* from = at;
        for (; *at >= '0' && *at <= '9' && at - from < 4; ++at) value = 10 * value + (*at - '0');
        good = good && at != from && value > 0 && *from != '0';
        return value;
    }
};

}  // namespace detail

/// `valid` is false for what is no such name.
constexpr xe_choice parse_xe_choice(const char* name) {
    xe_choice c;
    detail::name_reader in{name};
    c.tile_m = in.number(), in.need("x"), c.tile_n = in.number(), in.need("x"), c.k_step = in.number(), in.need("_");
    c.sg_rows = in.number(), in.need("x"), c.sg_cols = in.number(), in.need("_");
    if (in.take("none")) c.prefetch = prefetch_kind::none, c.distance = 0;
    else if (in.take("masked")) c.prefetch = prefetch_kind::masked, c.distance = in.number();
    else in.need("cooperative"), c.distance = in.number();
    in.need("_u"), c.unroll = in.number(), in.need("_");
    if (in.take("linear")) c.order = tile_order::linear, c.band = 1;
    else if (in.take("grouped")) c.order = tile_order::grouped, c.band = in.number();
    else in.need("snake"), c.band = in.number();
    if (in.good && in.take("_split")) c.split = true, c.parts = *in.at ? in.number() : 0;
    c.valid = in.good && *in.at == '\0';
    return c;
}

}  // namespace kernels

namespace kernels::inline KITTENS_NS {

/// The policy that a choice means. A split one leaves sums in planes, for reduce_planes to add up.
constexpr gemm_policy xe_policy(dtype in, const xe_choice& c) {
    return {.in = in,
            .out = c.split ? kittens::accumulator_of(in) : default_output(in),
            .tile_m = c.tile_m,
            .tile_n = c.tile_n,
            .k_step = c.k_step,
            .sg_rows = c.sg_rows,
            .sg_cols = c.sg_cols,
            .prefetch = c.prefetch,
            .distance_a = c.distance,
            .distance_b = c.distance,
            .unroll = c.unroll,
            .order = c.order,
            .band = c.band,
            .split = c.split ? split_kind::staged : split_kind::none};
}

}  // namespace kernels::inline KITTENS_NS

/// KITTENS_KERNEL for a name of the table; the kernel is xe_gemm_<type>_<name>.
#define KITTENS_XE_GEMM(TYPE, IN, NAME)                                                                                                            \
    static_assert(kernels::parse_xe_choice(#NAME).valid, "gemm: " #NAME " is no name of an xe policy: tile, workgroup, prefetch, unroll, order, e.g. " \
                                                         "32x64x32_8x4_cooperative2_u1_snake8 (xe_policies.hpp)");                                  \
    KITTENS_KERNEL(xe_gemm_##TYPE##_##NAME, kernels::gemm<kernels::xe_policy(IN, kernels::parse_xe_choice(#NAME))>)
