// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_problem.hpp"

#include <norm/norm.hpp>

namespace kittens::tool {

/// What a norm works on. `stores` is chosen by norm_problem::call.
struct norm_shape {
    kernels::norm_kind kind = kernels::norm_kind::rms;
    dtype type = dtype::bf16;
    bool residual = false;
    int rows = 1, cols = 1;
    float epsilon = 1e-5f;
    float scale = 1;  ///< standard deviation of x
};

class norm_problem : public suite_problem {
public:
    norm_problem(const norm_shape& what, std::string workload, bench::cache_state cache) : suite_problem(std::move(workload), cache), s_(what) {}

    nlohmann::ordered_json shape() const override;
    std::string text() const override;
    double flops() const override;
    std::vector<bench::tensor_spec> tensors() const override;
    std::string peer_operation() const override;
    std::vector<std::pair<std::string, double>> attributes() const override { return {{"epsilon", s_.epsilon}}; }
    void fill(std::span<void* const> tensors, std::uint64_t seed) const override;
    kernel_call call(std::span<void* const> tensors) const override;
    bench::operator_verdict check(std::span<void* const> tensors, bool tolerant) const override;

private:
    norm_shape s_;
};

/// `kittens ... norm`.
class norm_operation : public operator_operation {
public:
    std::string name() const override { return "norm"; }
    std::string summary() const override { return "RMSNorm and LayerNorm of rows, with or without a residual that is added first"; }
    void add_kernel_options(CLI::App& to) override;
    void add_problem_options(CLI::App& to) override;
    void check_kernel_options() override;
    void check_problem_options() override;
    std::vector<std::string> check_problems() const override { return {"--rows 3 --cols 512", "--rows 2 --cols 4100", "--rows 2 --cols 7", "--rows 1 --cols 1"}; }
    std::vector<std::string> kernel_choices() const override;
    inspect_plan inspect() override;
    std::vector<std::string> bench_suites() const override { return {"default", "decode", "quick"}; }
    std::vector<std::shared_ptr<const bench::operator_problem>> bench_problems(const std::string& suite) const override;
    std::vector<std::string> bench_peers() const override { return {"torch", "compile", "onednn"}; }

protected:
    std::shared_ptr<const kernel_problem> problem() const override;

private:
    std::string kind_ = "rms", rows_, cols_, scale_ = "1", epsilon_ = "1e-5";
    bool residual_ = false;
    norm_shape shape_;
};

}  // namespace kittens::tool
