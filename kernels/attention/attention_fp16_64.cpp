// SPDX-License-Identifier: Apache-2.0
#include "attention.hpp"
#include "policies.hpp"

using namespace kernels;

KITTENS_KERNEL(attention_fp16_64, attention<attention_default(dtype::f16, 64)>)
