// SPDX-License-Identifier: Apache-2.0
// The commands, one file each. A command adds its options to the program and leaves behind what is to be done.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace kittens::tool {

/// What the command line asked for: set while parsing, called afterwards; returns the exit status.
using action = std::function<int()>;

void add_devices(CLI::App& program, action& chosen);
void add_run(CLI::App& program, action& chosen);
void add_inspect(CLI::App& program, action& chosen);
void add_bench(CLI::App& program, action& chosen);
/// The operators' subcommands of `bench`, and `bench all`.
void add_operator_benches(CLI::App& command, action& chosen);
void add_tune(CLI::App& program, action& chosen);
void add_plot(CLI::App& program, action& chosen);
void add_check(CLI::App& program, action& chosen);
void add_test(CLI::App& program, action& chosen);

/// The option --json, the same everywhere.
void add_json_option(CLI::App& to, std::string& path);

}  // namespace kittens::tool
