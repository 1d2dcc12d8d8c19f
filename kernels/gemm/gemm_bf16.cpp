// SPDX-License-Identifier: Apache-2.0
#include "gemm.hpp"
#include "policies.hpp"

using namespace kernels;

KITTENS_KERNEL(gemm_bf16, gemm<default_policy(dtype::bf16)>)
KITTENS_KERNEL(gemm_bf16_masked, gemm<masked(dtype::bf16)>)
