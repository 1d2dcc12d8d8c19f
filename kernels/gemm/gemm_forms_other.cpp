// SPDX-License-Identifier: Apache-2.0
// The other element types, and the second pass.
#include "forms.hpp"
#include "gemm.hpp"
#include "split_k.hpp"

using namespace kernels;
using enum gemm_form;
using enum stored;

KITTENS_KERNEL(gemm_sums_fp16_nn, gemm<form_policy(dtype::f16, sums, normal, normal)>)
KITTENS_KERNEL(gemm_sums_fp16_nt, gemm<form_policy(dtype::f16, sums, normal, transposed)>)
KITTENS_KERNEL(gemm_sums_tf32_nn, gemm<form_policy(dtype::tf32, sums, normal, normal)>)
KITTENS_KERNEL(gemm_sums_tf32_nt, gemm<form_policy(dtype::tf32, sums, normal, transposed)>)
KITTENS_KERNEL(gemm_sums_int8_nn, gemm<form_policy(dtype::i8, sums, normal, normal)>)
KITTENS_KERNEL(gemm_sums_int8_nt, gemm<form_policy(dtype::i8, sums, normal, transposed)>)
KITTENS_KERNEL(gemm_atomic_int8_nn, gemm<form_policy(dtype::i8, atomic, normal, normal)>)

KITTENS_KERNEL(gemm_reduce_bf16, reduce_planes<reduce_policy{.out = dtype::bf16}>)
KITTENS_KERNEL(gemm_reduce_fp16, reduce_planes<reduce_policy{.out = dtype::f16}>)
KITTENS_KERNEL(gemm_reduce_fp32, reduce_planes<reduce_policy{.out = dtype::f32}>)
KITTENS_KERNEL(gemm_reduce_int32, reduce_planes<reduce_policy{.sum = dtype::i32, .out = dtype::i32}>)
