// SPDX-License-Identifier: Apache-2.0
// Figures as JSON (docs/benchmarks.md) and as a table.
#pragma once

#include "environment.hpp"
#include "gemm_bench.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace kittens::bench {

/// What the figures were taken on and how, beside the figures.
struct setting {
    std::string kernel = "gemm";
    const gemm_request& request;
    const device& where;
    peak limit{};
    std::string policy{};
    std::string isa_cap{};              ///< empty: none
    std::vector<int> processors{};
    bool passive_waiting = false;
    interference::shares disturbance{};  ///< while the shapes were measured
    std::string version{};              ///< of the project
};

nlohmann::ordered_json to_json(const gemm_figures& figures, const setting& in);
std::string to_text(const gemm_figures& figures, const setting& in);

}  // namespace kittens::bench
