// SPDX-License-Identifier: Apache-2.0
// The way of keeping the softmax's reference that cpu's policies take, with tiles that every target has: what it is made of is
// then run on all of them.
#include <attention/attention.hpp>

namespace kernels::inline KITTENS_NS {
constexpr attention_policy lazy_policy{.dim = 64, .rows = 16, .keys = 32, .depth_step = 64, .out_cols = 64, .workers = 2, .prefetch = false, .rescale = rescaling::lazy};
}

KITTENS_KERNEL(attention_lazy, kernels::attention<kernels::lazy_policy>)
