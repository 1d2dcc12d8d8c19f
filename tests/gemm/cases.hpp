// SPDX-License-Identifier: Apache-2.0
// The kernels under test: small tiles, so that small matrices have many of them; between them every form, layout, access, prefetch,
// order and element type of a GEMM, and the policies of the ladder as they are.
#pragma once

#include <gemm/forms.hpp>
#include <gemm/gemm.hpp>
#include <gemm/split_k.hpp>

namespace gemm_tests {

using kernels::gemm_form;
using kernels::gemm_policy;
using kernels::prefetch_kind;
using kernels::stored;
using kernels::tile_order;
using kittens::access;
using kittens::dtype;

/// The same on every target. `out` matters to forms product and epilogue.
constexpr gemm_policy small_policy(dtype in, dtype out, gemm_form form, stored a, stored b, kittens::access reach, prefetch_kind prefetch, tile_order order) {
    gemm_policy p{.in = in,
                  .out = out,
                  .tile_m = 16,
                  .tile_n = 32,
                  .k_step = 64 / kittens::size_of(in),
                  .sg_rows = 2,
                  .sg_cols = 2,
                  .prefetch = prefetch,
                  .distance_a = 1,
                  .distance_b = 3,
                  .order = order,
                  .band = 2,
                  .access = reach,
                  .grf = 128,
                  .a = a,
                  .b = b};
    if (form == gemm_form::epilogue) {
        p.epilogue = true;
        p.piece_m = 8;
        p.piece_n = 16;
    } else if (form != gemm_form::product) {
        p.out = kittens::accumulator_of(in);
        p.split = form == gemm_form::sums ? kernels::split_kind::staged : form == gemm_form::atomic ? kernels::split_kind::atomic : kernels::split_kind::stream;
    }
    return p;
}

// X(name, in, out, form, a, b, access, prefetch, order)
#define GEMM_TEST_BF16(X)                                                                              \
    X(bf16_epilogue_nn, bf16, bf16, epilogue, normal, normal, block, cooperative, snake)               \
    X(bf16_epilogue_nt, bf16, f32, epilogue, normal, transposed, plain, none, grouped)                 \
    X(bf16_product_tn, bf16, bf16, product, transposed, normal, block, masked, grouped)                \
    X(bf16_sums_tt, bf16, f32, sums, transposed, transposed, block, cooperative, linear)               \
    X(bf16_sums_nn_plain, bf16, f32, sums, normal, normal, plain, none, snake)
#define GEMM_TEST_PACKED(X)                                                                            \
    X(bf16_product_np, bf16, bf16, product, normal, packed, block, cooperative, snake)                 \
    X(i8_sums_np_plain, i8, i32, sums, normal, packed, plain, none, linear)
#define GEMM_TEST_SPLIT(X)                                                                             \
    X(bf16_atomic_nt, bf16, f32, atomic, normal, transposed, block, cooperative, grouped)              \
    X(bf16_atomic_tn_plain, bf16, f32, atomic, transposed, normal, plain, none, linear)                \
    X(bf16_stream_nn, bf16, f32, stream, normal, normal, block, cooperative, snake)                    \
    X(bf16_stream_tt_plain, bf16, f32, stream, transposed, transposed, plain, none, grouped)
#define GEMM_TEST_OTHER(X)                                                                             \
    X(f16_epilogue_nt, f16, f16, epilogue, normal, transposed, block, cooperative, snake)              \
    X(f16_product_tt_plain, f16, f32, product, transposed, transposed, plain, none, linear)            \
    X(tf32_product_nt, tf32, f32, product, normal, transposed, block, cooperative, snake)              \
    X(tf32_epilogue_tn, tf32, f32, epilogue, transposed, normal, block, masked, grouped)
#define GEMM_TEST_INT8(X)                                                                              \
    X(i8_product_nn, i8, i32, product, normal, normal, block, cooperative, snake)                      \
    X(i8_sums_nt, i8, i32, sums, normal, transposed, block, cooperative, grouped)                      \
    X(i8_atomic_tn, i8, i32, atomic, transposed, normal, block, none, linear)                          \
    X(i8_stream_nn_plain, i8, i32, stream, normal, normal, plain, none, snake)

#define GEMM_TEST_POLICY(IN, OUT, FORM, A, B, ACCESS, PREFETCH, ORDER)                                                      \
    ::gemm_tests::small_policy(::kittens::dtype::IN, ::kittens::dtype::OUT, ::kernels::gemm_form::FORM, ::kernels::stored::A, \
                               ::kernels::stored::B, ::kittens::access::ACCESS, ::kernels::prefetch_kind::PREFETCH, ::kernels::tile_order::ORDER)
#define GEMM_TEST_KERNEL(NAME, ...) KITTENS_KERNEL(test_##NAME, kernels::gemm<GEMM_TEST_POLICY(__VA_ARGS__)>)

/// B packed by every subgroup for itself.
constexpr gemm_policy packing_policy() {
    auto p = GEMM_TEST_POLICY(bf16, f32, product, normal, normal, block, masked, snake);
    p.pack = kernels::packing::registers;
    return p;
}

// X(name, sum, out, access)
#define GEMM_TEST_REDUCE(X)              \
    X(reduce_f32_bf16, f32, bf16, block) \
    X(reduce_f32_f32, f32, f32, plain)   \
    X(reduce_i32, i32, i32, block)

#define GEMM_TEST_LADDER(X) X(base_16x16) X(base_32x32) X(masked) X(unroll_32) X(snake) X(cooperative) X(shape_distance)

}  // namespace gemm_tests
