// SPDX-License-Identifier: Apache-2.0
// kittens inspect --ladder and --compare: policies of a kernel side by side.
#pragma once

#include "operation.hpp"

#include <kittens/inspect/report.hpp>

#include <string>
#include <vector>

namespace kittens::tool {

/// What inspect asks the compilers for: the plan's source for `device`, with the headers of this program.
inspect::inspect_options compile_request(const inspect_plan& plan, inspect::gpu device);

/// A policy, what it adds to the one before (or ""), its machine code, and what the emulator counted.
struct compared_policy {
    std::string name, adds;
    unsigned dpas_per_k_step = 0;
    inspect::report report;
    std::optional<double> warmed_bytes;
};

/// Compiles each of `policies` (name, what it adds) and has the emulator count. Throws user_error and inspect_error.
std::vector<compared_policy> compare_policies(operation& op, const std::vector<std::pair<std::string, std::string>>& policies, inspect::gpu device);

/// One column per policy; figures of the main loop are per step of K. Says of each figure how it was obtained.
std::string to_text(const std::vector<compared_policy>& policies);
json to_json(const std::vector<compared_policy>& policies);

}  // namespace kittens::tool
