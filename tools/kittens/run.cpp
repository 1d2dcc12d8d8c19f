// SPDX-License-Identifier: Apache-2.0
// kittens run: one kernel on fresh random data, checked and timed.
#include "commands.hpp"
#include "console.hpp"
#include "operation.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kittens::tool {

namespace {

struct run_options {
    std::string target = "cpu", device, seed, repeat = "1", json_path;
};

/// A rate means something where instructions are executed, not modelled.
bool rate_makes_sense(const device& d) { return d.target() != "emulated"; }

json seconds_json(const launches& runs) {
    if (runs.seconds.empty())
        return {{"median", nullptr}, {"min", nullptr}, {"max", nullptr}, {"runs", 0}, {"clock", runs.clock}};
    const auto [least, most] = std::minmax_element(runs.seconds.begin(), runs.seconds.end());
    return {{"median", median(runs.seconds)},
            {"min", *least},
            {"max", *most},
            {"runs", runs.seconds.size()},
            {"clock", runs.clock}};
}

json to_json(const operation& op, const device& where, const run_request& request, const run_outcome& r) {
    const device_properties& p = where.properties();
    const bool rated = rate_makes_sense(where) && !r.runs.seconds.empty();
    json error = r.error.is_object() ? r.error : json{{"relative_frobenius", nullptr}};
    return {{"kernel", op.name()},
            {"variant", r.kernel},
            {"policy", r.policy},
            {"target", p.target},
            {"device", p.name},
            {"device_id", where.id()},
            {"isa", p.isa},
            {"mode", p.mode},
            {"threads", p.threads},
            {"shape", r.shape},
            {"dtype", r.type},
            {"seed", request.seed},
            {"passed", r.passed},
            {"error", error},
            {"findings", r.findings},
            {"faults", r.runs.faults},
            {"advice", r.runs.advice},
            {"notes", r.notes},
            {"seconds", seconds_json(r.runs)},
            {"tflops", rated ? json(r.work / median(r.runs.seconds) * 1e-12) : json(nullptr)},
            {"counters", r.runs.counters}};
}

std::string counters_text(const json& c) {
    std::string text;
    const auto line = [&](const char* what, const char* key) {
        if (c.contains(key))
            text +=
                fmt::format("  {:<42} {:>16}\n", what, show_count(static_cast<std::uint64_t>(c[key].get<double>())));
    };
    line("workgroups", "workgroups");
    line("K steps", "k_steps");
    line("dpas", "dpas");
    for (const auto& [operation, totals] : c["blocks"].items())
        if (totals["count"] > 0)
            text += fmt::format("  {:<42} {:>16}  {:>16} bytes\n", "2-D block " + operation,
                                show_count(totals["count"]), show_count(totals["bytes"]));
    line("bytes prefetched per workgroup and K step", "prefetched_bytes_per_workgroup_k_step");
    line("bytes loaded, each once per workgroup", "distinct_loaded_bytes");
    line("bytes prefetched, each once per workgroup", "distinct_prefetched_bytes");
    for (const char* key : {"plain_loads", "plain_stores", "slm_bytes", "barriers", "shuffles", "atomics"})
        if (c[key] > 0) line(key, key);
    return text;
}

std::string timing_text(const device& where, const run_outcome& r) {
    const launches& runs = r.runs;
    if (runs.seconds.empty()) return {};
    const double seconds = median(runs.seconds);
    if (!rate_makes_sense(where)) return fmt::format("emulated in {}\n", show_seconds(seconds));
    const double rate = r.work / seconds * 1e-12;
    std::string text = fmt::format("{}, {} {}", show_seconds(seconds),
                                   rate < 1 ? fmt::format("{:.3g} G", rate * 1e3) : fmt::format("{:.3f} T", rate),
                                   r.type == "int8" ? "OP/s" : "FLOP/s");
    text.erase(text.rfind(' '), 1);
    if (runs.seconds.size() > 1) text += fmt::format(" (median of {}; {} clock)", runs.seconds.size(), runs.clock);
    if (where.properties().mode == "software")
        text += "; with the software instruction library, so no measure of a GPU";
    return text + "\n";
}

std::string to_text(const device& where, const run_outcome& r) {
    std::string text;
    for (const auto& note : r.notes) text += fmt::format("note: {}\n", note);
    text += timing_text(where, r);
    if (!r.runs.counters.empty()) text += "counters\n" + counters_text(r.runs.counters);
    constexpr std::size_t most = 10;
    const auto list = [&](const char* what, const std::vector<std::string>& lines) {
        for (std::size_t i = 0; i < std::min(most, lines.size()); ++i) text += fmt::format("{}: {}\n", what, lines[i]);
        if (lines.size() > most) text += fmt::format("... and {} more; all are in the JSON\n", lines.size() - most);
    };
    list("advice", r.runs.advice);
    list("fault", r.runs.faults);
    for (const auto& finding : r.findings) text += fmt::format("wrong: {}\n", finding);
    text += fmt::format("{}: {}\n", r.passed ? "passed" : "FAILED", r.verdict);
    return text;
}

int run_operation(operation& op, const run_options& options) {
    op.check_kernel_options();
    op.check_problem_options();
    const int repeat = static_cast<int>(whole_number("--repeat", options.repeat, 1, 1'000'000));
    const std::uint64_t seed = options.seed.empty() ? fresh_seed() : seed_number(options.seed);
    const run_request request{find_device(options.target, options.device), seed, repeat};
    const console out(options.json_path);

    const run_outcome result = op.run(request);
    out.print(fmt::format("{} {} {}, policy {}, kernel {}\non {} ({}), seed {}\n", op.name(), result.shape_text,
                          result.type, result.policy, result.kernel, request.where.id(), request.where.name(), seed));
    out.print(to_text(request.where, result));
    out.write(to_json(op, request.where, request, result));
    return result.passed ? status_ok : status_failed;
}

}  // namespace

void add_run(CLI::App& program, action& chosen) {
    CLI::App* command =
        program.add_subcommand("run", "Run a kernel on fresh random data, check the result, and time it");
    command->require_subcommand(1);
    static run_options options;
    for (const auto& op : operations()) {
        CLI::App* sub = command->add_subcommand(op->name(), op->summary());
        op->add_problem_options(*sub);
        op->add_kernel_options(*sub);
        sub->add_option("--target", options.target, "cpu, emulated or xe")->type_name("TARGET")->capture_default_str();
        sub->add_option("--device", options.device,
                        "Device of the target, by a part of its id or name (kittens devices); the first if not given")
            ->type_name("NAME");
        sub->add_option("--seed", options.seed, "Seed of the data; a fresh one if not given")->type_name("S");
        sub->add_option("--repeat", options.repeat, "Runs to take the median of; more than one come after a warm-up")
            ->type_name("R")
            ->capture_default_str();
        add_json_option(*sub, options.json_path);
        sub->callback([&chosen, &op] { chosen = [&op] { return run_operation(*op, options); }; });
    }
}

}  // namespace kittens::tool
