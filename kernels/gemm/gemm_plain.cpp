// SPDX-License-Identifier: Apache-2.0
// For tensors that break the rules of the 2-D block instructions.
#include "gemm.hpp"
#include "policies.hpp"

using namespace kernels;

KITTENS_KERNEL(gemm_bf16_plain, gemm<plain_policy(dtype::bf16)>)
KITTENS_KERNEL(gemm_fp16_plain, gemm<plain_policy(dtype::f16)>)
KITTENS_KERNEL(gemm_int8_plain, gemm<plain_policy(dtype::i8)>)
