// SPDX-License-Identifier: Apache-2.0
// What a benchmark of one kernel gave, and its figures as a chart: what `bench`, `bench all` and `plot` share.
#pragma once

#include "bench_options.hpp"
#include "console.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kittens::tool {

/// What one suite gave, in every form.
struct bench_report {
    std::string kernel, text, markdown;
    json figures;
    bool passed = false;
};

/// GEMM's suite `suite` against `peers` (as --against has them), for a report on everything; in a process that has been entered.
bench_report bench_gemm_suite(const std::string& suite, const std::string& peers, const bench_conditions& how, const bench::conditions& under, std::uint64_t seed);

/// Whether these figures (those of one suite, or of `bench all`) have a speed relative to some peer, so that there is something to draw.
bool has_comparison(const json& figures);
/// Draws what a benchmark has written, as the content of a file of that kind (".svg", ".png"); `peers`: only these, if any are named.
/// Throws user_error.
std::string draw_figures(const json& figures, const std::string& kind, const std::vector<std::string>& peers = {});
/// Throws user_error where draw_figures would, for want of what it needs.
void require_drawing();

}  // namespace kittens::tool
