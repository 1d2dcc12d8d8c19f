// SPDX-License-Identifier: Apache-2.0
#include "operation.hpp"

#include "attention/attention_operation.hpp"
#include "gemm/gemm_operation.hpp"
#include "operators/argmax_operation.hpp"
#include "operators/embedding_operation.hpp"
#include "operators/gemv_operation.hpp"
#include "operators/norm_operation.hpp"
#include "operators/rotary_operation.hpp"
#include "operators/sample_operation.hpp"
#include "operators/softmax_operation.hpp"
#include "operators/swiglu_operation.hpp"

namespace kittens::tool {

const std::vector<std::unique_ptr<operation>>& operations() {
    static const auto all = [] {
        std::vector<std::unique_ptr<operation>> list;
        list.push_back(std::make_unique<gemm_operation>());
        list.push_back(std::make_unique<attention_operation>());
        list.push_back(std::make_unique<norm_operation>());
        list.push_back(std::make_unique<rotary_operation>());
        list.push_back(std::make_unique<gemv_operation>());
        list.push_back(std::make_unique<swiglu_operation>());
        list.push_back(std::make_unique<softmax_operation>());
        list.push_back(std::make_unique<embedding_operation>());
        list.push_back(std::make_unique<argmax_operation>());
        list.push_back(std::make_unique<sample_operation>());
        return list;
    }();
    return all;
}

}  // namespace kittens::tool
