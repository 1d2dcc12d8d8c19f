// SPDX-License-Identifier: Apache-2.0
// Figures of operators as JSON (docs/schema/bench-operator.schema.json), as text and as Markdown.
#pragma once

#include "environment.hpp"
#include "operator_bench.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace kittens::bench {

struct operator_setting {
    const operator_request& request;
    const device& where;
    std::string processor{};  ///< model name, as the system says
    peak limit{};
    std::vector<int> processors{};
    bool passive_waiting = false;
    interference::shares disturbance{};
    std::string version{};
};

/// E.g. "Intel(R) Xeon(R) Processor, model 207"; empty where the system does not tell.
std::string processor_name();

nlohmann::ordered_json to_json(const suite_figures& figures, const operator_setting& in);
std::string to_text(const suite_figures& figures, const operator_setting& in);
/// A section of a report.
std::string to_markdown(const suite_figures& figures, const operator_setting& in);

}  // namespace kittens::bench
