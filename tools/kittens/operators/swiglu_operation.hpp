// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_problem.hpp"

namespace kittens::tool {

/// How gate and up lie: tensors of their own, the halves of each row of one, or alternating elements of one.
enum class gate_layout { separate, packed, interleaved };

/// out = silu(gate) * up, rows x cols each.
struct swiglu_shape {
    dtype type = dtype::bf16;
    gate_layout layout = gate_layout::separate;
    int rows = 1, cols = 1;
    float scale = 1.0f;  ///< standard deviation of the data
};

class swiglu_problem : public suite_problem {
public:
    swiglu_problem(const swiglu_shape& what, std::string workload, bench::cache_state cache) : suite_problem(std::move(workload), cache), s_(what) {}

    nlohmann::ordered_json shape() const override;
    std::string text() const override;
    double flops() const override { return 4.0 * s_.rows * s_.cols; }
    std::vector<bench::tensor_spec> tensors() const override;
    std::string peer_operation() const override;
    void fill(std::span<void* const> tensors, std::uint64_t seed) const override;
    kernel_call call(std::span<void* const> tensors) const override;
    bench::operator_verdict check(std::span<void* const> tensors, bool tolerant) const override;

private:
    swiglu_shape s_;
};

/// `kittens ... swiglu`.
class swiglu_operation : public operator_operation {
public:
    std::string name() const override { return "swiglu"; }
    std::string summary() const override { return "SwiGLU: silu(gate) * up"; }
    void add_kernel_options(CLI::App& to) override;
    void add_problem_options(CLI::App& to) override;
    void check_kernel_options() override;
    void check_problem_options() override;
    std::vector<std::string> check_problems() const override { return {"--rows 2 --cols 1024", "--rows 3 --cols 301", "--rows 1 --cols 1"}; }
    std::vector<std::string> kernel_choices() const override { return {"--dtype bf16", "--dtype fp16", "--dtype bf16 --layout interleaved", "--dtype fp16 --layout interleaved"}; }
    inspect_plan inspect() override;
    std::vector<std::string> bench_suites() const override { return {"default", "quick"}; }
    std::vector<std::shared_ptr<const bench::operator_problem>> bench_problems(const std::string& suite) const override;

protected:
    std::shared_ptr<const kernel_problem> problem() const override;

private:
    std::string rows_, cols_, scale_ = "1", layout_ = "separate";
    swiglu_shape shape_;
};

}  // namespace kittens::tool
