// SPDX-License-Identifier: Apache-2.0
#include "sample.hpp"

using namespace kernels;

KITTENS_KERNEL(sample_fp16, sample<default_sample(dtype::f16)>)
