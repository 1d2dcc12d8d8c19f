// SPDX-License-Identifier: Apache-2.0
#include "inspect_compare.hpp"

#include "places.hpp"
#include "progress.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace kittens::tool {

namespace {

using inspect::instruction_counts;
using inspect::kernel_report;

const kernel_report& kernel_of(const compared_policy& p) { return p.report.kernels.at(0); }

/// A count of the main loop per step of K, whole where it is whole.
std::string per_step(const compared_policy& p, unsigned count) {
    const auto& loop = kernel_of(p).main_loop;
    if (!loop || loop->k_steps == 0) return "?";
    return count % loop->k_steps == 0 ? std::to_string(count / loop->k_steps) : fmt::format("{:.1f}", static_cast<double>(count) / loop->k_steps);
}

}  // namespace

inspect::inspect_options compile_request(const inspect_plan& plan, inspect::gpu device) {
    const source_places places = find_sources();
    inspect::inspect_options request;
    request.source.emplace();
    request.source->text = plan.source;
    request.source->include_dirs = {places.include, places.kernels};
    request.source->flags = {"-isystem", places.freestanding.string()};
    request.device = device;
    request.native.grf = plan.grf;
    request.dpas_per_k_step = plan.dpas_per_k_step;
    return request;
}

std::vector<compared_policy> compare_policies(operation& op, const std::vector<std::pair<std::string, std::string>>& policies, inspect::gpu device) {
    std::vector<inspect_plan> plans;  // all first: a wrong name costs no compilation
    for (const auto& [name, adds] : policies) plans.push_back(op.inspect_policy(name));
    progress bar("compiling", policies.size());
    std::vector<compared_policy> result;
    for (std::size_t i = 0; i < policies.size(); ++i) {
        result.push_back({policies[i].first, policies[i].second, plans[i].dpas_per_k_step, inspect::run(compile_request(plans[i], device)), op.warmed_bytes(policies[i].first)});
        bar.advance();
    }
    return result;
}

std::string to_text(const std::vector<compared_policy>& policies) {
    std::size_t width = 10;
    for (const auto& p : policies) width = std::max(width, p.name.size() + 2);
    std::string out = fmt::format("{:<42}", "");
    for (const auto& p : policies) out += fmt::format("{:>{}}", p.name, width);
    out += '\n';
    const auto line = [&](const char* name, const std::function<std::string(const compared_policy&)>& value) {
        out += fmt::format("{:<42}", name);
        for (const auto& p : policies) out += fmt::format("{:>{}}", value(p), width);
        out += '\n';
    };
    const auto of_kernel = [&](const char* name, unsigned kernel_report::* member) {
        line(name, [=](const compared_policy& p) { return std::to_string(kernel_of(p).*member); });
    };
    const auto of_loop = [&](const char* name, unsigned instruction_counts::* member) {
        line(name, [=](const compared_policy& p) { return kernel_of(p).main_loop ? per_step(p, kernel_of(p).main_loop->counts.*member) : "-"; });
    };
    const auto bytes = [&](const char* name, std::optional<unsigned> inspect::loop_report::* member) {
        line(name, [=](const compared_policy& p) {
            const auto& loop = kernel_of(p).main_loop;
            return loop && ((*loop).*member) ? per_step(p, *((*loop).*member)) : "?";
        });
    };
    out += "compiled: the kernel\n";
    of_kernel("  registers per thread", &kernel_report::grf);
    of_kernel("  bytes spilled per thread", &kernel_report::spill_bytes);
    line("  instructions", [](const compared_policy& p) { return std::to_string(kernel_of(p).counts.instructions); });
    line("  instructions of the main loop", [](const compared_policy& p) { return kernel_of(p).main_loop ? std::to_string(kernel_of(p).main_loop->counts.instructions) : "-"; });
    line("  K steps in one iteration of it", [](const compared_policy& p) { return kernel_of(p).main_loop && kernel_of(p).main_loop->k_steps ? std::to_string(kernel_of(p).main_loop->k_steps) : "?"; });
    line("  dpas of all its instructions", [](const compared_policy& p) {
        const auto& loop = kernel_of(p).main_loop;
        return loop ? fmt::format("{:.3f}", static_cast<double>(loop->counts.dpas) / loop->counts.instructions) : "-";
    });
    out += "compiled: the main loop, per step of K\n";
    of_loop("  instructions", &instruction_counts::instructions);
    of_loop("  dpas", &instruction_counts::dpas);
    of_loop("  2-D loads, plain", &instruction_counts::block_loads);
    of_loop("  2-D loads, VNNI packed", &instruction_counts::transform_loads);
    of_loop("  2-D loads, transposed", &instruction_counts::transpose_loads);
    of_loop("  2-D prefetches", &instruction_counts::prefetches);
    of_loop("  other sends", &instruction_counts::other_sends);
    of_loop("  moves", &instruction_counts::moves);
    of_loop("  sync", &instruction_counts::sync);
    bytes("  bytes loaded by a subgroup", &inspect::loop_report::loaded_bytes);
    bytes("  bytes prefetched by a subgroup, at most", &inspect::loop_report::prefetched_bytes);
    out += "emulated: a run on random data, checked\n";
    line("  bytes warmed per workgroup and K step", [](const compared_policy& p) { return p.warmed_bytes ? show_count(static_cast<std::uint64_t>(*p.warmed_bytes)) : "-"; });
    if (std::any_of(policies.begin(), policies.end(), [](const auto& p) { return !p.adds.empty(); })) {
        out += "\nsteps, each with all before it\n";
        for (const auto& p : policies) out += fmt::format("  {:<16} {}\n", p.name, p.adds);
    }
    for (const auto& p : policies)
        for (const auto& warning : p.report.warnings) out += "warning: " + warning + "\n";
    return out;
}

json to_json(const std::vector<compared_policy>& policies) {
    json list = json::array();
    for (const auto& p : policies) {
        const json report = json::parse(inspect::to_json(p.report));
        list.push_back({{"policy", p.name},
                        {"adds", p.adds.empty() ? json(nullptr) : json(p.adds)},
                        {"compiled", report["kernels"][0]},
                        {"emulated", {{"warmed_bytes_per_workgroup_k_step", p.warmed_bytes ? json(*p.warmed_bytes) : json(nullptr)}}},
                        {"warnings", report["warnings"]}});
    }
    return list;
}

}  // namespace kittens::tool
