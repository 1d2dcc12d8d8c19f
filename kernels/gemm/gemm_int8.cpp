// SPDX-License-Identifier: Apache-2.0
#include "gemm.hpp"
#include "policies.hpp"

using namespace kernels;

KITTENS_KERNEL(gemm_int8, gemm<default_policy(dtype::i8)>)
