// SPDX-License-Identifier: Apache-2.0
#include "rotary.hpp"

using namespace kernels;

KITTENS_KERNEL(rotary_beside_bf16, rotary<default_rotary(dtype::bf16, rotary_partner::beside)>)
KITTENS_KERNEL(rotary_near_bf16, rotary<default_rotary(dtype::bf16, rotary_partner::near)>)
KITTENS_KERNEL(rotary_far_bf16, rotary<default_rotary(dtype::bf16, rotary_partner::far)>)
