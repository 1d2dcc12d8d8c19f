// SPDX-License-Identifier: Apache-2.0
#include "embedding.hpp"

KITTENS_KERNEL(embedding_16, kernels::embedding<kernels::default_embedding>)
