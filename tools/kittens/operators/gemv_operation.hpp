// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_problem.hpp"

namespace kittens::tool {

/// out (m x n) = x (m x k) * weight^T (n x k)
struct gemv_shape {
    dtype type = dtype::bf16;
    int m = 1, n = 1, k = 1;
    bool gated = false, bias = false, residual = false;
};

class gemv_problem : public suite_problem {
public:
    gemv_problem(const gemv_shape& what, std::string workload, bench::cache_state cache) : suite_problem(std::move(workload), cache), s_(what) {}

    nlohmann::ordered_json shape() const override;
    std::string text() const override;
    double flops() const override { return 2.0 * s_.m * s_.n * s_.k * (s_.gated ? 2 : 1); }
    std::vector<bench::tensor_spec> tensors() const override;
    std::string peer_operation() const override { return s_.gated ? "gate_up" : "linear"; }
    kernel_call call(std::span<void* const> tensors) const override;
    bench::operator_verdict check(std::span<void* const> tensors, bool tolerant) const override;

private:
    gemv_shape s_;
};

/// `kittens ... gemv`.
class gemv_operation : public operator_operation {
public:
    std::string name() const override { return "gemv"; }
    std::string summary() const override { return "Few rows times a large matrix, as decoding does it: out = x * weight^T, with M from 1 to 8"; }
    void add_kernel_options(CLI::App& to) override;
    void add_problem_options(CLI::App& to) override;
    void check_kernel_options() override;
    void check_problem_options() override;
    std::vector<std::string> check_problems() const override { return {"-m 1 -n 19 -k 520", "-m 3 -n 8 -k 64", "-m 1 -n 1 -k 1"}; }
    std::vector<std::string> kernel_choices() const override { return {"--dtype bf16", "--dtype fp16", "--dtype bf16 --gated", "--dtype fp16 --gated"}; }
    inspect_plan inspect() override;
    std::vector<std::string> bench_suites() const override { return {"default", "sharded", "quick"}; }
    std::vector<std::shared_ptr<const bench::operator_problem>> bench_problems(const std::string& suite) const override;
    std::vector<std::string> bench_peers() const override { return {"torch", "onednn", "openblas", "mkl"}; }

protected:
    std::shared_ptr<const kernel_problem> problem() const override;

private:
    std::string m_ = "1", n_, k_;
    bool gated_ = false, bias_ = false, residual_ = false;
    gemv_shape shape_;
};

}  // namespace kittens::tool
