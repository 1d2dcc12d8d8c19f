// SPDX-License-Identifier: Apache-2.0
// The options of `kittens test`, which the command and the grid's own programs (tests/grid) share.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

namespace grid {

struct run_options {
    std::string filter, target, json_path, seed_text;
    std::uint64_t seed = 0;
    bool list = false, paper = false, skip_missing = false;
};

inline void add_options(CLI::App& to, run_options& options) {
    to.add_option("--filter", options.filter, "Only cases whose name contains F, or matches it where F has * or ?, e.g. 'product/bf16/*'")->type_name("F");
    to.add_option("--target", options.target, "cpu, emulated or xe; all that can run here if not given")->type_name("TARGET");
    to.add_option("--seed", options.seed_text, "Seed of the data; a fresh one if not given")->type_name("S");
    to.add_flag("--list", options.list, "List the cases, run none");
    to.add_flag("--paper", options.paper, "Only the 1,032 cases that stand for the paper's suite (docs/test-grid.md)");
    to.add_flag("--skip-missing", options.skip_missing, "Exit with 77 where the target cannot run here, not with 2");
    to.add_option("--json", options.json_path, "Write the result as JSON to FILE, or to standard output for \"-\" (text then goes to standard error)")
        ->type_name("FILE");
}

}  // namespace grid
