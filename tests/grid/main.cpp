// SPDX-License-Identifier: Apache-2.0
// Runs the cases that are linked into this program: kittens-grid with all families, which `kittens test` starts, and one
// program for each family.
#include "grid.hpp"
#include "run.hpp"

#include "console.hpp"
#include "text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace {

using namespace grid;
using kittens::tool::user_error;

int act(int argc, char** argv) {
    run_options options;
    CLI::App program("Checks the tile operations, case by case", "kittens test");
    add_options(program, options);
    try {
        program.parse(argc, argv);
    } catch (const CLI::Success& e) {
        return program.exit(e);
    } catch (const CLI::ParseError& e) {
        throw user_error(fmt::format("{}; see --help", e.what()));
    }
    options.seed = options.seed_text.empty() ? kittens::tool::fresh_seed() : kittens::tool::seed_number(options.seed_text);
    return options.list ? list_cases(options) : run_cases(options);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return act(argc, argv);
    } catch (const std::exception& e) {
        kittens::tool::console::complain(e.what());
    }
    return kittens::tool::status_error;
}
