// SPDX-License-Identifier: Apache-2.0
// The operations of the kernel suite, as the commands see them. A new operation is one class here and one line in
// operations(); every command then takes it.
#pragma once

#include "console.hpp"
#include "launches.hpp"

#include <kittens/runtime/device.hpp>

#include <bench/operator_problem.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kittens::tool {

struct run_request {
    device where;
    std::uint64_t seed = 0;
    int repeat = 1;
};

/// What came out of a run and of its check.
struct run_outcome {
    std::string kernel;  ///< as it is registered, e.g. "gemm_bf16_plain"
    std::string policy, type;
    json shape;              ///< e.g. {"m": 1, "n": 1, "k": 1}
    std::string shape_text;  ///< e.g. "1 x 1 x 1"
    launches runs;
    double work = 0;  ///< floating-point (or integer) operations
    bool passed = false;
    json error;                         ///< has "relative_frobenius"; null where nothing could be compared
    std::string verdict;                ///< what was compared, and how far off it was
    std::vector<std::string> findings;  ///< what is wrong, one line each
    std::vector<std::string> notes;     ///< choices made on the user's behalf
};

/// A kernel to be compiled for an Intel GPU.
struct inspect_plan {
    std::string kernel, policy, type;
    std::string source;  ///< a whole translation unit
    unsigned grf = 0;    ///< registers per thread
    unsigned dpas_per_k_step = 0;
};

class operation {
public:
    virtual ~operation() = default;
    virtual std::string name() const = 0;
    virtual std::string summary() const = 0;

    /// Options that say which kernel: element type, policy.
    virtual void add_kernel_options(CLI::App& to) = 0;
    /// Puts them back to what they are where none is given.
    virtual void forget_kernel_options() {}
    /// Options that say what it works on: sizes, scale of the data.
    virtual void add_problem_options(CLI::App& to) = 0;

    /// Called after parsing and before any work: throws user_error where an option has no sense.
    virtual void check_kernel_options() = 0;
    virtual void check_problem_options() = 0;

    /// What `kittens check` runs where no sizes are given, as options: whole tiles, ragged edges, a single row.
    virtual std::vector<std::string> check_problems() const = 0;
    /// The options of every kernel that this program has of the operation.
    virtual std::vector<std::string> kernel_choices() const = 0;

    virtual run_outcome run(const run_request& request) = 0;
    virtual inspect_plan inspect() = 0;

    /// Policies that build on each other, plainest first, for `inspect --ladder`: name, and what the step adds. Empty where there are none.
    virtual std::vector<std::pair<std::string, std::string>> ladder() const { return {}; }
    /// As inspect(), for another policy than the one chosen. Called where ladder() is not empty.
    virtual inspect_plan inspect_policy(const std::string& policy) { return (void)policy, inspect(); }
    /// Bytes that a workgroup prefetches per step of its main loop, counted by the emulator in a run whose result was right.
    /// Nothing where this program has no emulated kernel of the policy.
    virtual std::optional<double> warmed_bytes(const std::string& policy) { return (void)policy, std::nullopt; }

    /// `kittens bench`: the element type and the policy that were chosen, the suites (the first is the default; none: the operation is
    /// measured by a command of its own), their problems, and the peers of the default comparison.
    virtual dtype element_type() const { return dtype::bf16; }
    virtual std::string bench_policy() const { return "default"; }
    virtual std::vector<std::string> bench_suites() const { return {}; }
    virtual std::vector<std::shared_ptr<const bench::operator_problem>> bench_problems(const std::string& suite) const {
        (void)suite;
        return {};
    }
    virtual std::vector<std::string> bench_peers() const { return {"torch", "compile"}; }
};

/// One of each, ordered as help lists them.
const std::vector<std::unique_ptr<operation>>& operations();

}  // namespace kittens::tool
