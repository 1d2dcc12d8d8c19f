// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_problem.hpp"

namespace kittens::tool {

/// out[t] = table[ids[t]]
struct embedding_shape {
    dtype type = dtype::bf16;
    int tokens = 1, rows = 1, cols = 1;
    bool wide_ids = false;          ///< ids of 64 bits
    std::vector<std::int64_t> ids;  ///< these; random ones where empty
};

class embedding_problem : public suite_problem {
public:
    /// Throws std::invalid_argument where an id that is given is not the number of a row.
    embedding_problem(const embedding_shape& what, std::string workload, bench::cache_state cache);

    nlohmann::ordered_json shape() const override;
    std::string text() const override;
    double flops() const override { return 0; }
    double bytes_read() const override;
    std::size_t bytes_used(const bench::tensor_spec& t) const override;
    std::vector<bench::tensor_spec> tensors() const override;
    std::string peer_operation() const override { return "embedding"; }
    void fill(std::span<void* const> tensors, std::uint64_t seed) const override;
    kernel_call call(std::span<void* const> tensors) const override;
    bench::operator_verdict check(std::span<void* const> tensors, bool tolerant) const override;

private:
    embedding_shape s_;
};

/// `kittens ... embedding`.
class embedding_operation : public operator_operation {
public:
    std::string name() const override { return "embedding"; }
    std::string summary() const override { return "Rows of a table by their numbers"; }
    void add_problem_options(CLI::App& to) override;
    void check_kernel_options() override;
    void check_problem_options() override;
    std::vector<std::string> check_problems() const override { return {"--tokens 5 --rows 7 --cols 256", "--tokens 3 --rows 9 --cols 333 --id-type int64", "--tokens 1 --rows 1 --cols 1"}; }
    std::vector<std::string> kernel_choices() const override { return {"--dtype bf16"}; }  // the bits are copied, whatever they mean
    inspect_plan inspect() override;
    std::vector<std::string> bench_suites() const override { return {"default", "quick"}; }
    std::vector<std::shared_ptr<const bench::operator_problem>> bench_problems(const std::string& suite) const override;

protected:
    std::shared_ptr<const kernel_problem> problem() const override;

private:
    std::string tokens_, rows_, cols_, id_type_ = "int32", ids_;
    embedding_shape shape_;
};

}  // namespace kittens::tool
