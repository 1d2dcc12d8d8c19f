// SPDX-License-Identifier: Apache-2.0
// The tensors of an operator's problem as PyTorch's.
#pragma once

#include "operator_plugin.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>

#include <string>
#include <vector>

namespace kittens::peers {

inline at::ScalarType torch_type(kittens_peer_dtype type) {
    switch (type) {
    case KITTENS_PEER_FP32: return at::kFloat;
    case KITTENS_PEER_BF16: return at::kBFloat16;
    case KITTENS_PEER_FP16: return at::kHalf;
    case KITTENS_PEER_INT8: return at::kChar;
    case KITTENS_PEER_INT32: return at::kInt;
    }
    throw unsupported("unknown element type");
}

/// All tensors of one copy, in the problem's order.
inline std::vector<at::Tensor> torch_tensors(const kittens_operator_problem& p, int set) {
    std::vector<at::Tensor> result;
    for (int i = 0; i < p.tensors; ++i) {
        const kittens_operator_tensor& t = p.tensor[i];
        result.push_back(at::from_blob(p.data[set * p.tensors + i], at::IntArrayRef(t.sizes, static_cast<std::size_t>(t.rank)),
                                       at::TensorOptions().dtype(torch_type(t.type))));
    }
    return result;
}

}  // namespace kittens::peers
