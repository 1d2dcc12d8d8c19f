// SPDX-License-Identifier: Apache-2.0
#include "rotary.hpp"

using namespace kernels;

KITTENS_KERNEL(rotary_beside_fp16, rotary<default_rotary(dtype::f16, rotary_partner::beside)>)
KITTENS_KERNEL(rotary_near_fp16, rotary<default_rotary(dtype::f16, rotary_partner::near)>)
KITTENS_KERNEL(rotary_far_fp16, rotary<default_rotary(dtype::f16, rotary_partner::far)>)
