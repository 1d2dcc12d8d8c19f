// SPDX-License-Identifier: Apache-2.0
#include "attention.hpp"

KITTENS_KERNEL(example_attention, examples::attention<false>)
KITTENS_KERNEL(example_attention_causal, examples::attention<true>)
