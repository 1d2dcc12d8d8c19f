// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_problem.hpp"

#include <rotary/tables.hpp>

namespace kittens::tool {

struct rotary_shape {
    dtype type = dtype::bf16;
    bool interleaved = false;
    int tokens = 1, heads = 32, kv_heads = 8, head_dim = 128;  ///< kv_heads 0: queries alone
    int rotated = 128;
    int position = 0, sequence = 1;  ///< token t is at position + t % sequence
    double base = 500000;
    kernels::rotary_scaling scaling{};
};

class rotary_problem : public suite_problem {
public:
    rotary_problem(const rotary_shape& what, std::string workload, bench::cache_state cache) : suite_problem(std::move(workload), cache), s_(what) {}

    nlohmann::ordered_json shape() const override;
    std::string text() const override;
    double flops() const override;
    /// Queries and keys alone: tables are shared by all heads.
    double bytes_read() const override;
    std::vector<bench::tensor_spec> tensors() const override;
    std::string peer_operation() const override { return "rotary"; }
    std::vector<std::pair<std::string, double>> attributes() const override { return {{"interleaved", s_.interleaved ? 1.0 : 0.0}}; }
    void fill(std::span<void* const> tensors, std::uint64_t seed) const override;
    kernel_call call(std::span<void* const> tensors) const override;
    bench::operator_verdict check(std::span<void* const> tensors, bool tolerant) const override;

private:
    rotary_shape s_;
};

/// `kittens ... rotary`.
class rotary_operation : public operator_operation {
public:
    std::string name() const override { return "rotary"; }
    std::string summary() const override { return "Rotary position embedding of queries and keys, halved or interleaved, in one launch"; }
    void add_kernel_options(CLI::App& to) override;
    void add_problem_options(CLI::App& to) override;
    void check_kernel_options() override;
    void check_problem_options() override;
    std::vector<std::string> check_problems() const override { return {"--tokens 3", "--tokens 2 --heads 3 --kv-heads 0", "--tokens 1 --kv-heads 1 --position 17"}; }
    std::vector<std::string> kernel_choices() const override;
    inspect_plan inspect() override;
    std::vector<std::string> bench_suites() const override { return {"default", "quick"}; }
    std::vector<std::shared_ptr<const bench::operator_problem>> bench_problems(const std::string& suite) const override;

protected:
    std::shared_ptr<const kernel_problem> problem() const override;

private:
    std::string convention_ = "halved", head_dim_ = "128", tokens_, heads_ = "32", kv_heads_ = "8", rotated_, position_ = "0", sequence_, base_ = "500000", factor_ = "1";
    rotary_shape shape_;
};

}  // namespace kittens::tool
