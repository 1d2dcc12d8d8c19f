// SPDX-License-Identifier: Apache-2.0
// kittens test: the grid of tile operations. Its kernels are many and slow to compile, so they are a program of their own
// beside this one, kittens-grid, which takes over with the same options.
#include "commands.hpp"
#include "console.hpp"
#include "test_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace kittens::tool {

namespace {

int hand_over(const grid::run_options& options) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path() / "kittens-grid";
    if (access(program.c_str(), X_OK) != 0)
        throw user_error(fmt::format("{} is not there; build it with cmake --build BUILD --target kittens_grid, where BUILD was configured with KITTENS_BUILD_TESTS=ON",
                                     program.string()));

    std::vector<std::string> words{program.string()};
    for (const auto& [name, value] : {std::pair("--filter", options.filter), {"--target", options.target}, {"--seed", options.seed_text}, {"--json", options.json_path}})
        if (!value.empty()) words.insert(words.end(), {name, value});
    for (const auto& [name, set] : {std::pair("--list", options.list), {"--paper", options.paper}, {"--skip-missing", options.skip_missing}})
        if (set) words.emplace_back(name);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(program.c_str(), arguments.data());
    throw user_error(fmt::format("cannot start {}: {}", program.string(), std::strerror(errno)));
}

}  // namespace

void add_test(CLI::App& program, action& chosen) {
    CLI::App* command = program.add_subcommand("test", "Check the tile operations, case by case, on one target or all");
    static grid::run_options options;
    grid::add_options(*command, options);
    command->callback([&chosen] { chosen = [] { return hand_over(options); }; });
}

}  // namespace kittens::tool
