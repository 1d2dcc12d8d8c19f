// SPDX-License-Identifier: Apache-2.0
#include "build_config.hpp"
#include "commands.hpp"
#include "console.hpp"

#include <kittens/inspect/toolchain.hpp>
#include <kittens/runtime/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <new>

namespace kittens::tool {

namespace {

/// The first argument that names no command, or a command's first that names none of its operations, is what people
/// mistype; CLI11's own message for it does not say what there is.
void check_command_names(const CLI::App& program, const std::vector<std::string>& arguments) {
    const CLI::App* at = &program;
    for (const auto& word : arguments) {
        const auto subs = at->get_subcommands([](const CLI::App*) { return true; });
        if (subs.empty() || word.starts_with("-")) return;
        std::vector<std::string> names;
        const CLI::App* next = nullptr;
        for (const CLI::App* s : subs) {
            names.push_back(s->get_name());
            if (s->get_name() == word) next = s;
        }
        if (!next)
            throw user_error(fmt::format("there is no {} \"{}\"; {}: {}", at == &program ? "command" : "kernel", word,
                                         at == &program ? "the commands are" : fmt::format("{} takes", at->get_name()),
                                         fmt::join(names, ", ")));
        at = next;
    }
    const auto subs = at->get_subcommands([](const CLI::App*) { return true; });
    if (subs.empty()) return;
    std::vector<std::string> names;
    for (const CLI::App* s : subs) names.push_back(s->get_name());
    throw user_error(fmt::format("{} is missing: {}; see {} --help", at == &program ? "a command" : "the kernel",
                                 fmt::join(names, ", "), at == &program ? "kittens" : "kittens " + at->get_name()));
}

int parse_and_act(int argc, char** argv) {
    CLI::App program("SyclKittens: run, check and look at tile kernels for Intel GPUs", "kittens");
    program.set_version_flag("--version", std::string("kittens ") + config::version);
    program.get_formatter()->column_width(36);
    action chosen;
    add_devices(program, chosen);
    add_run(program, chosen);
    add_inspect(program, chosen);
    add_bench(program, chosen);
    add_tune(program, chosen);
    add_plot(program, chosen);
    add_check(program, chosen);
    add_test(program, chosen);
    program.require_subcommand(1);
    program.footer(
        "Each command has its own --help. Exit status: 0 well, 1 a check failed, 2 wrong use or something missing.");

    check_command_names(program, {argv + 1, argv + argc});
    try {
        program.parse(argc, argv);
    } catch (const CLI::Success& e) {
        return program.exit(e);
    } catch (const CLI::ParseError& e) {
        throw user_error(fmt::format("{}; see --help", e.what()));
    }
    return chosen();
}

}  // namespace

}  // namespace kittens::tool

int main(int argc, char** argv) {
    using kittens::tool::console;
    try {
        return kittens::tool::parse_and_act(argc, argv);
    } catch (const kittens::kernel_error& e) {
        console::complain(e.what());
        return kittens::tool::status_failed;
    } catch (const std::bad_alloc&) {
        console::complain("out of memory; use a smaller problem");
    } catch (const std::exception& e) {
        console::complain(e.what());
    }
    return kittens::tool::status_error;
}
