// SPDX-License-Identifier: Apache-2.0
// Options that every `kittens bench` has, and their meaning.
#pragma once

#include <kittens/runtime/cpu_isa.hpp>

#include <bench/environment.hpp>
#include <bench/interleave.hpp>

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace kittens::tool {

/// "a,b,,c" by ',': a, b, c.
std::vector<std::string> split(const std::string& text, char by);

/// As given.
struct bench_conditions {
    std::string isa, threads, wait = "default", seed, warm_ups = "10", rounds = "30";

    void add_to(CLI::App& command);
    /// Throw user_error.
    bench::protocol protocol() const;
    bench::conditions conditions() const;
};

/// The cap for everybody: `name`, or the one that our own kernels are under where it is empty.
std::optional<cpu_isa> parse_isa_cap(const std::string& name);

}  // namespace kittens::tool
