// SPDX-License-Identifier: Apache-2.0
// Compiled once for each target by kittens_add_kernels.
#include "my_gemm.hpp"

KITTENS_KERNEL(my_gemm, example::my_gemm)
