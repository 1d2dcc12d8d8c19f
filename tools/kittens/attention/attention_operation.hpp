// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../operation.hpp"

#include <kittens/base/types.hpp>

#include <attention/launch.hpp>

#include <cstdint>
#include <string>

namespace kittens::tool {

/// `kittens ... attention`: o = softmax(q k^T / sqrt(dim)) v.
class attention_operation : public operation {
public:
    std::string name() const override { return "attention"; }
    std::string summary() const override { return "Attention forward, O = softmax(Q K^T / sqrt(D)) V, with grouped heads and masks"; }
    void add_kernel_options(CLI::App& to) override;
    void add_problem_options(CLI::App& to) override;
    void check_kernel_options() override;
    void check_problem_options() override;
    std::vector<std::string> check_problems() const override;
    std::vector<std::string> kernel_choices() const override;
    run_outcome run(const run_request& request) override;
    inspect_plan inspect() override;

    dtype element_type() const override { return type_; }
    std::string bench_policy() const override { return policy_; }
    std::vector<std::string> bench_suites() const override { return {"default", "quick", "large-scores", "decode"}; }
    std::vector<std::shared_ptr<const bench::operator_problem>> bench_problems(const std::string& suite) const override;
    std::vector<std::string> bench_peers() const override { return {"torch"}; }

private:
    void check_decode_options(kernels::attention_request& r);

    /// As given. Options that are left out have these values, also when problems are set one after the other.
    struct problem_text {
        std::string batch = "1", heads, key_heads, queries, keys, query_offset = "0", key_offset = "0", window = "0", soft_cap, scale, data_scale = "1",
                    layout = "bhnd", lengths, splits, cache_lengths, page_size, page_table;
        bool causal = false, mask = false, lse = false, align_ends = false, decode = false;
    };
    std::string type_text_ = "bf16", policy_ = "default", dim_text_ = "128";
    problem_text text_;
    // As checked; pointers are null.
    dtype type_ = dtype::bf16;
    int dim_ = 128;
    kernels::attention_request asked_;
    std::vector<std::int32_t> query_starts_, key_starts_, cache_lengths_, page_table_;
    double data_scale_ = 1;
};

}  // namespace kittens::tool
