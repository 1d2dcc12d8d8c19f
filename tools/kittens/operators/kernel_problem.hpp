// SPDX-License-Identifier: Apache-2.0
// An operator that one launch does, for all commands: run, check and inspect come from here, bench takes the problems.
#pragma once

#include "../operation.hpp"

#include <kittens/base/store_policy.hpp>

#include <bench/operator_problem.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kittens::tool {

/// A launch: the registered kernel and its globals.
struct kernel_call {
    std::string kernel;
    std::vector<std::byte> globals;

    template <class Globals> static kernel_call of(std::string kernel, const Globals& g) {
        const auto* p = reinterpret_cast<const std::byte*>(&g);
        return {std::move(kernel), {p, p + sizeof g}};
    }
};

class kernel_problem : public bench::operator_problem {
public:
    /// The launch for these tensors, in the order of `tensors()`.
    virtual kernel_call call(std::span<void* const> tensors) const = 0;
    std::function<void()> candidate(const device& where, std::span<void* const> tensors) const override;
};

/// One that a suite measures: where the sizes come from, and whether its data is in the caches.
class suite_problem : public kernel_problem {
public:
    suite_problem(std::string workload, bench::cache_state cache) : workload_(std::move(workload)), cache_(cache) {}
    std::string workload() const override { return workload_; }
    bench::cache_state cache() const override { return cache_; }

private:
    std::string workload_;
    bench::cache_state cache_;
};

/// Streaming stores for results of this many bytes if they are more than second-level caches hold: nobody will find them there.
store_policy stores_for(double bytes);

/// The gate for a kernel that computes in single precision and rounds once to `type`: twice the unit roundoff. Rounding alone
/// stays below half of it.
double rounding_gate(dtype type);

/// What all operators of this kind share. A subclass adds options, and says what problem they describe.
class operator_operation : public operation {
public:
    void add_kernel_options(CLI::App& to) override;
    void check_kernel_options() override;
    run_outcome run(const run_request& request) override;
    dtype element_type() const override { return type_; }

protected:
    /// The problem of the options, as they have been checked.
    virtual std::shared_ptr<const kernel_problem> problem() const = 0;
    virtual std::string policy() const { return "default"; }
    /// Sizes up to here keep 32-bit arithmetic safe.
    static constexpr std::int64_t largest_size = std::int64_t{1} << 26;
    const std::string& type_text() const { return type_text_; }

private:
    std::string type_text_ = "bf16";
    dtype type_ = dtype::bf16;
};

/// `name` is how the types are called on the command line and in kernels' names.
std::string type_suffix(dtype type);

}  // namespace kittens::tool
