// SPDX-License-Identifier: Apache-2.0
#include "norm.hpp"

using namespace kernels;

KITTENS_KERNEL(rms_norm_fp16, norm<default_norm(norm_kind::rms, dtype::f16, false)>)
KITTENS_KERNEL(rms_norm_residual_fp16, norm<default_norm(norm_kind::rms, dtype::f16, true)>)
KITTENS_KERNEL(layer_norm_fp16, norm<default_norm(norm_kind::layer, dtype::f16, false)>)
KITTENS_KERNEL(layer_norm_residual_fp16, norm<default_norm(norm_kind::layer, dtype::f16, true)>)
