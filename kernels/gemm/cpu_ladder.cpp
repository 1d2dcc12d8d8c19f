// SPDX-License-Identifier: Apache-2.0
#include "cpu_ladder.hpp"
#include "gemm.hpp"

using namespace kernels;

KITTENS_KERNEL(cpu_ladder_pack_per_use, gemm<cpu_pack_per_use(dtype::bf16)>)
KITTENS_KERNEL(cpu_ladder_pack_once, gemm<cpu_pack_once(dtype::bf16)>)
KITTENS_KERNEL(cpu_ladder_pack_fused, gemm<cpu_pack_fused(dtype::bf16)>)
KITTENS_KERNEL(cpu_ladder_masked, gemm<cpu_masked(dtype::bf16)>)
KITTENS_KERNEL(cpu_ladder_cooperative, gemm<cpu_cooperative(dtype::bf16)>)
