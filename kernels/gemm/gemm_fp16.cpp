// SPDX-License-Identifier: Apache-2.0
#include "gemm.hpp"
#include "policies.hpp"

using namespace kernels;

KITTENS_KERNEL(gemm_fp16, gemm<default_policy(dtype::f16)>)
