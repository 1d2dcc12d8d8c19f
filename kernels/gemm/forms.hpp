// SPDX-License-Identifier: Apache-2.0
// Forms of a target's default policy: what else than C = A * B a GEMM can do. Any of them goes with any layout and access mode.
#pragma once

#include "policies.hpp"

namespace kernels::inline KITTENS_NS {

enum class gemm_form : int {
    product,   ///< C = A * B
    epilogue,  ///< C = activation(alpha * A * B + beta * C + bias) + residual
    sums,      ///< C in the accumulator's type; K may be split into planes, the depth of C
    atomic,    ///< as sums, planes added to C as they come
    stream,    ///< as sums, all K steps of all tiles shared out evenly
};

constexpr gemm_policy form_policy(dtype in, gemm_form form, stored a = stored::normal, stored b = stored::normal,
                                  kittens::access access = kittens::access::block) {
    auto p = with_layout(access == kittens::access::plain ? plain_policy(in) : default_policy(in), a, b);
    if (form == gemm_form::epilogue) {
        p.epilogue = true;
#if !defined(KITTENS_TARGET_CPU)
        p.piece_m = 16;
        p.piece_n = 32;
#endif
    } else if (form != gemm_form::product) {
        p.out = kittens::accumulator_of(in);
        p.split = form == gemm_form::sums ? split_kind::staged : form == gemm_form::atomic ? split_kind::atomic : split_kind::stream;
    }
    return p;
}

}  // namespace kernels::inline KITTENS_NS
