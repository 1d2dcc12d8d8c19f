// SPDX-License-Identifier: Apache-2.0
// What else than the plain product the command line offers in bf16: gemm_<form>_<type>_<layout>.
#include "forms.hpp"
#include "gemm.hpp"

using namespace kernels;
using enum gemm_form;
using enum stored;

KITTENS_KERNEL(gemm_epilogue_bf16_nn, gemm<form_policy(dtype::bf16, epilogue, normal, normal)>)
KITTENS_KERNEL(gemm_epilogue_bf16_nt, gemm<form_policy(dtype::bf16, epilogue, normal, transposed)>)
KITTENS_KERNEL(gemm_sums_bf16_nn, gemm<form_policy(dtype::bf16, sums, normal, normal)>)
KITTENS_KERNEL(gemm_sums_bf16_nt, gemm<form_policy(dtype::bf16, sums, normal, transposed)>)
KITTENS_KERNEL(gemm_sums_bf16_tn, gemm<form_policy(dtype::bf16, sums, transposed, normal)>)
KITTENS_KERNEL(gemm_sums_bf16_tt, gemm<form_policy(dtype::bf16, sums, transposed, transposed)>)
KITTENS_KERNEL(gemm_atomic_bf16_nn, gemm<form_policy(dtype::bf16, atomic, normal, normal)>)
KITTENS_KERNEL(gemm_stream_bf16_nn, gemm<form_policy(dtype::bf16, stream, normal, normal)>)
