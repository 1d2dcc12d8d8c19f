// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../operation.hpp"
#include "gemm_general.hpp"

#include <kittens/base/types.hpp>

#include <cstdint>
#include <string>

namespace kittens::tool {

/// `kittens ... gemm`: C = A * B.
class gemm_operation : public operation {
public:
    std::string name() const override { return "gemm"; }
    std::string summary() const override { return "C = A * B; A is M x K, B is K x N, row-major"; }
    void add_kernel_options(CLI::App& to) override;
    void forget_kernel_options() override { options_ = {}, type_text_ = "bf16", policy_ = "auto"; }
    void add_problem_options(CLI::App& to) override;
    void check_kernel_options() override;
    void check_problem_options() override;
    std::vector<std::string> check_problems() const override;
    std::vector<std::string> kernel_choices() const override;
    run_outcome run(const run_request& request) override;
    inspect_plan inspect() override;
    std::vector<std::pair<std::string, std::string>> ladder() const override;
    inspect_plan inspect_policy(const std::string& policy) override;
    std::optional<double> warmed_bytes(const std::string& policy) override;

private:
    bool default_policy() const { return policy_ == "default" || policy_ == "auto"; }
    /// A named policy of the plain product.
    inspect_plan plan_for(const std::string& policy) const;

    // As given.
    std::string type_text_ = "bf16", policy_ = "auto", m_text_, n_text_, k_text_, scale_text_ = "1";
    gemm_options options_;
    // As checked.
    dtype type_ = dtype::bf16;
    std::int64_t m_ = 0, n_ = 0, k_ = 0;
    double scale_ = 1;
};

}  // namespace kittens::tool
