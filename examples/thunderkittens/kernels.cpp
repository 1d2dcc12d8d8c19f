// SPDX-License-Identifier: Apache-2.0
#include "attention.hpp"
#include "layernorm.hpp"
#include "softmax.hpp"

KITTENS_KERNEL(example_softmax, examples::softmax)
KITTENS_KERNEL(example_layernorm, examples::layernorm)
KITTENS_KERNEL(example_attention, examples::attention<false>)
KITTENS_KERNEL(example_attention_causal, examples::attention<true>)
