// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_problem.hpp"

namespace kittens::tool {

/// A token from each row of logits, as kernels/sample/sample.hpp says.
struct sample_shape {
    dtype type = dtype::bf16;
    int rows = 1, cols = 1;
    double temperature = 1;  ///< 0: the first of the largest
    int top_k = 0;           ///< 0: all
    double top_p = 1;
    std::uint64_t generator = 0, offset = 0;  ///< the generator's seed, and where its counter starts
    float scale = 1.0f;                       ///< standard deviation of the data
};

class sample_problem : public suite_problem {
public:
    sample_problem(const sample_shape& what, std::string workload, bench::cache_state cache) : suite_problem(std::move(workload), cache), s_(what) {}

    nlohmann::ordered_json shape() const override;
    std::string text() const override;
    double flops() const override { return static_cast<double>(s_.rows) * s_.cols; }
    std::vector<bench::tensor_spec> tensors() const override;
    std::string peer_operation() const override { return "sample"; }
    std::vector<std::pair<std::string, double>> attributes() const override;
    void fill(std::span<void* const> tensors, std::uint64_t seed) const override;
    kernel_call call(std::span<void* const> tensors) const override;
    /// Against a sorted row in double precision. Which tokens could be drawn must be right but for what the integer weights round; a
    /// peer has a generator of its own, so its token must be one of those, ours the one that the generator's word falls on.
    bench::operator_verdict check(std::span<void* const> tensors, bool tolerant) const override;

private:
    sample_shape s_;
};

/// `kittens ... sample`.
class sample_operation : public operator_operation {
public:
    std::string name() const override { return "sample"; }
    std::string summary() const override { return "A token from each row of logits: temperature, top-k, top-p, counter-based generator"; }
    void add_problem_options(CLI::App& to) override;
    void check_kernel_options() override;
    void check_problem_options() override;
    std::vector<std::string> check_problems() const override { return {"--rows 2 --cols 1000 --top-k 20 --top-p 0.9", "--rows 1 --cols 300 --top-p 0.5", "--rows 1 --cols 1"}; }
    std::vector<std::string> kernel_choices() const override { return {"--dtype bf16", "--dtype fp16"}; }
    inspect_plan inspect() override;
    std::vector<std::string> bench_suites() const override { return {"default", "quick"}; }
    std::vector<std::shared_ptr<const bench::operator_problem>> bench_problems(const std::string& suite) const override;
    std::vector<std::string> bench_peers() const override { return {"torch"}; }

protected:
    std::shared_ptr<const kernel_problem> problem() const override;

private:
    std::string rows_, cols_, temperature_ = "1", top_k_ = "0", top_p_ = "1", generator_ = "0", offset_ = "0", scale_ = "1";
    sample_shape shape_;
};

}  // namespace kittens::tool
