// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_problem.hpp"

namespace kittens::tool {

struct argmax_shape {
    dtype type = dtype::bf16;
    int rows = 1, cols = 1;
};

class argmax_problem : public suite_problem {
public:
    argmax_problem(const argmax_shape& what, std::string workload, bench::cache_state cache) : suite_problem(std::move(workload), cache), s_(what) {}

    nlohmann::ordered_json shape() const override { return {{"rows", s_.rows}, {"cols", s_.cols}}; }
    std::string text() const override;
    double flops() const override { return static_cast<double>(s_.rows) * s_.cols; }
    std::vector<bench::tensor_spec> tensors() const override;
    std::string peer_operation() const override { return "argmax"; }
    void fill(std::span<void* const> tensors, std::uint64_t seed) const override;
    kernel_call call(std::span<void* const> tensors) const override;
    bench::operator_verdict check(std::span<void* const> tensors, bool tolerant) const override;

private:
    argmax_shape s_;
};

/// `kittens ... argmax`.
class argmax_operation : public operator_operation {
public:
    std::string name() const override { return "argmax"; }
    std::string summary() const override { return "Where the largest element of each row is; the first among equals"; }
    void add_problem_options(CLI::App& to) override;
    void check_kernel_options() override;
    void check_problem_options() override;
    std::vector<std::string> check_problems() const override { return {"--rows 2 --cols 2048", "--rows 3 --cols 777", "--rows 1 --cols 1"}; }
    std::vector<std::string> kernel_choices() const override { return {"--dtype bf16", "--dtype fp16"}; }
    inspect_plan inspect() override;
    std::vector<std::string> bench_suites() const override { return {"default", "quick"}; }
    std::vector<std::shared_ptr<const bench::operator_problem>> bench_problems(const std::string& suite) const override;

protected:
    std::shared_ptr<const kernel_problem> problem() const override;

private:
    std::string rows_, cols_;
    argmax_shape shape_;
};

}  // namespace kittens::tool
