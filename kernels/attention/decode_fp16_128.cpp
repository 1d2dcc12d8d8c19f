// SPDX-License-Identifier: Apache-2.0
#include "attention.hpp"
#include "policies.hpp"

using namespace kernels;

KITTENS_KERNEL(attention_fp16_128_decode, attention<attention_decode(dtype::f16, 128)>)
