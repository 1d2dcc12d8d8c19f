// SPDX-License-Identifier: Apache-2.0
#include "bench_options.hpp"

#include "console.hpp"
#include "text.hpp"

#include <fmt/format.h>

namespace kittens::tool {

std::vector<std::string> split(const std::string& text, char by) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (std::size_t at; (at = text.find(by, from)) != std::string::npos; from = at + 1) parts.push_back(text.substr(from, at - from));
    parts.push_back(text.substr(from));
    std::erase(parts, "");
    return parts;
}

std::optional<cpu_isa> parse_isa_cap(const std::string& name) {
    if (name.empty()) return cpu_isa_cap();
    require_choice("instruction set", name, {"avx2", "avx512", "avx512_bf16", "amx"});
    const auto isa = parse_cpu_isa(name), top = detected_cpu_isa();
    if (top && *isa > *top) throw user_error(fmt::format("--isa {}: this processor goes up to {}", name, to_string(*top)));
    return isa;
}

void bench_conditions::add_to(CLI::App& command) {
    command.add_option("--isa", isa, "Cap everybody's instruction set: avx2, avx512, avx512_bf16 or amx; KITTENS_MAX_CPU_ISA if not given")->type_name("LEVEL");
    command.add_option("--threads", threads, "Threads of everybody; one for each core if not given")->type_name("T");
    command.add_option("--warm-ups", warm_ups, "Rounds that are not kept")->type_name("W")->capture_default_str();
    command.add_option("--rounds", rounds, "Rounds that are kept")->type_name("R")->capture_default_str();
    command.add_option("--wait-policy", wait, "How idle OpenMP threads wait: default (they poll for a while) or passive")->type_name("HOW")->capture_default_str();
    command.add_option("--seed", seed, "Seed of the data; a fresh one if not given")->type_name("S");
}

bench::protocol bench_conditions::protocol() const {
    bench::protocol how;
    how.warm_ups = static_cast<int>(whole_number("--warm-ups", warm_ups, 1, 100'000));
    how.rounds = static_cast<int>(whole_number("--rounds", rounds, 1, 100'000));
    return how;
}

bench::conditions bench_conditions::conditions() const {
    require_choice("wait policy", wait, {"default", "passive"});
    const int count = threads.empty() ? 0 : static_cast<int>(whole_number("--threads", threads, 1, 4096));
    return {parse_isa_cap(isa), bench::choose_processors(count), wait == "passive"};
}

}  // namespace kittens::tool
