// SPDX-License-Identifier: Apache-2.0
// Choosing cases, running them, and reporting.
#pragma once

#include "grid.hpp"
#include "test_options.hpp"

namespace grid {

/// The cases that the options choose. Throws user_error where there is none.
std::vector<const grid_case*> chosen_cases(const run_options& options);

/// Both return the exit status.
int list_cases(const run_options& options);
int run_cases(const run_options& options);

/// Runs one case on a queue. Returns what is wrong, or "".
std::string run_case(const grid_case& one, queue& on, std::uint64_t seed);

}  // namespace grid
