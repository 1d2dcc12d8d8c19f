// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_problem.hpp"

namespace kittens::tool {

/// out = softmax of each row of scale / temperature * x.
struct softmax_shape {
    dtype type = dtype::bf16;
    int rows = 1, cols = 1;
    float score_scale = 1.0f, temperature = 1.0f;
    float scale = 1.0f;  ///< standard deviation of the data
};

class softmax_problem : public suite_problem {
public:
    softmax_problem(const softmax_shape& what, std::string workload, bench::cache_state cache) : suite_problem(std::move(workload), cache), s_(what) {}

    nlohmann::ordered_json shape() const override;
    std::string text() const override;
    double flops() const override { return 5.0 * s_.rows * s_.cols; }
    std::vector<bench::tensor_spec> tensors() const override;
    std::string peer_operation() const override { return "softmax"; }
    std::vector<std::pair<std::string, double>> attributes() const override;
    void fill(std::span<void* const> tensors, std::uint64_t seed) const override;
    kernel_call call(std::span<void* const> tensors) const override;
    bench::operator_verdict check(std::span<void* const> tensors, bool tolerant) const override;

private:
    double factor() const { return static_cast<double>(s_.score_scale) / static_cast<double>(s_.temperature); }

    softmax_shape s_;
};

/// `kittens ... softmax`.
class softmax_operation : public operator_operation {
public:
    std::string name() const override { return "softmax"; }
    std::string summary() const override { return "Softmax over rows of any width, with a scale and a temperature"; }
    void add_problem_options(CLI::App& to) override;
    void check_kernel_options() override;
    void check_problem_options() override;
    std::vector<std::string> check_problems() const override { return {"--rows 2 --cols 1024", "--rows 3 --cols 777", "--rows 1 --cols 1"}; }
    std::vector<std::string> kernel_choices() const override { return {"--dtype bf16", "--dtype fp16"}; }
    inspect_plan inspect() override;
    std::vector<std::string> bench_suites() const override { return {"default", "quick"}; }
    std::vector<std::shared_ptr<const bench::operator_problem>> bench_problems(const std::string& suite) const override;
    std::vector<std::string> bench_peers() const override { return {"torch", "compile", "onednn"}; }

protected:
    std::shared_ptr<const kernel_problem> problem() const override;

private:
    std::string rows_, cols_, scale_ = "1", score_scale_ = "1", temperature_ = "1";
    softmax_shape shape_;
};

}  // namespace kittens::tool
