// SPDX-License-Identifier: Apache-2.0
#include "gemm.hpp"
#include "policies.hpp"

using namespace kernels;

KITTENS_KERNEL(gemm_bf16, gemm<default_policy(dtype::bf16)>)
KITTENS_KERNEL(gemm_fp16, gemm<default_policy(dtype::f16)>)
KITTENS_KERNEL(gemm_int8, gemm<default_policy(dtype::i8)>)
KITTENS_KERNEL(gemm_bf16_masked, gemm<masked_policy(dtype::bf16)>)
KITTENS_KERNEL(gemm_bf16_plain, gemm<plain_policy(dtype::bf16)>)
KITTENS_KERNEL(gemm_fp16_plain, gemm<plain_policy(dtype::f16)>)
KITTENS_KERNEL(gemm_int8_plain, gemm<plain_policy(dtype::i8)>)
