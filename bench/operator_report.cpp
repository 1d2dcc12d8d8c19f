// SPDX-License-Identifier: Apache-2.0
#include "operator_report.hpp"

#include "columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace kittens::bench {

namespace {

using json = nlohmann::ordered_json;
using table = std::vector<std::vector<std::string>>;

json number(std::optional<double> x) { return x && std::isfinite(*x) ? json(*x) : json(nullptr); }
json quartiles(const summary& s, double scale = 1) { return json::array({s.q1 * scale, s.q3 * scale}); }
const char* name_of_state(cache_state s) { return s == cache_state::cold ? "cold" : "warm"; }

json to_json(const operator_figures& e, const peak& limit) {
    const bool passed = e.failure.empty();
    json peers = json::object(), omitted = json::array(), bandwidth = json::array();
    for (const auto& p : e.peers)
        peers[p.name] = {{"us", p.seconds.median * 1e6},
                         {"ratio", p.ratio.median},
                         {"ratio_quartiles", quartiles(p.ratio)},
                         {"us_quartiles", quartiles(p.seconds, 1e6)},
                         {"implementation", p.implementation},
                         {"relative_frobenius", number(p.error.relative_frobenius)},
                         {"max_abs", number(p.error.max_abs)}};
    for (const omission& o : e.omitted) omitted.push_back({{"peer", o.peer}, {"reason", o.reason}, {"wrong", o.wrong}});
    for (const auto& b : e.bandwidth)
        bandwidth.push_back({{"kind", b.kind}, {"gbs", e.bytes() / b.seconds.median * 1e-9}, {"ratio", b.ratio.median}, {"ratio_quartiles", quartiles(b.ratio)}});
    const auto* best = e.best();
    const auto* roof = e.limit();
    const double flops = e.problem->flops();
    return {{"shape", e.problem->shape()},
            {"text", e.problem->text()},
            {"policy", e.policy},
            {"workload", e.problem->workload()},
            {"cache", name_of_state(e.problem->cache())},
            {"copies", e.copies},
            {"bytes", e.bytes()},
            {"flops", flops},
            {"passed", passed},
            {"failure", passed ? json(nullptr) : json(e.failure)},
            {"candidate_us", passed ? json(e.seconds.median * 1e6) : json(nullptr)},
            {"candidate_us_quartiles", passed ? quartiles(e.seconds, 1e6) : json(nullptr)},
            {"candidate_gbs", passed ? json(e.bytes() / e.seconds.median * 1e-9) : json(nullptr)},
            {"candidate_tflops", passed ? json(flops / e.seconds.median * 1e-12) : json(nullptr)},
            {"of_peak", passed && limit.flops > 0 ? json(flops / e.seconds.median / limit.flops) : json(nullptr)},
            {"bandwidth", bandwidth},
            {"of_bandwidth", roof ? json(roof->ratio.median) : json(nullptr)},
            {"peers", peers},
            {"omitted", omitted},
            {"best_peer", best ? json(best->name) : json(nullptr)},
            {"ratio_best", best ? json(best->ratio.median) : json(nullptr)},
            {"relative_frobenius", number(e.error.relative_frobenius)},
            {"max_abs", number(e.error.max_abs)}};
}

json means(const suite_figures& f, std::optional<cache_state> which) {
    json result = {{"best", number(f.geomean(nullptr, which))}};
    for (const peer_identity& p : f.peers) result[p.name] = number(f.geomean(&p.name, which));
    return result;
}

std::string as_markdown(const table& rows) {
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        text += fmt::format("| {} |\n", fmt::join(rows[i], " | "));
        if (i == 0) {
            text += '|';
            for (std::size_t c = 0; c < rows[0].size(); ++c) text += c == 0 ? "---|" : "---:|";
            text += '\n';
        }
    }
    return text;
}

table figures_table(const suite_figures& f) {
    table rows{{"problem", "caches", "ours", "GB/s", "TFLOP/s", "of bandwidth"}};
    for (const peer_identity& p : f.peers) rows[0].push_back(p.name);
    rows[0].emplace_back("error");
    for (const operator_figures& e : f.entries) {
        std::vector<std::string> row{e.problem->text(), name_of_state(e.problem->cache())};
        if (!e.failure.empty()) row.emplace_back("WRONG");
        else {
            row.push_back(time_text(e.seconds.median));
            row.push_back(fmt::format("{:.2f}", e.bytes() / e.seconds.median * 1e-9));
            row.push_back(fmt::format("{:.3f}", e.problem->flops() / e.seconds.median * 1e-12));
            const auto* l = e.limit();
            row.push_back(l ? fmt::format("{:.2f} ({:.2f}-{:.2f})", l->ratio.median, l->ratio.q1, l->ratio.q3) : "-");
            for (const peer_identity& who : f.peers) {
                std::string cell = "-";
                for (const auto& p : e.peers)
                    if (p.name == who.name) cell = fmt::format("{:.2f} ({:.2f}-{:.2f}){}", p.ratio.median, p.ratio.q1, p.ratio.q3, &p == e.best() ? " *" : "");
                row.push_back(cell);
            }
            row.push_back(fmt::format("{:.1e}", e.error.relative_frobenius));
        }
        row.resize(rows[0].size());
        rows.push_back(row);
    }
    return rows;
}

table means_table(const suite_figures& f) {
    table rows{{"geometric mean", "of bandwidth", "best peer"}};
    for (const peer_identity& p : f.peers) rows[0].push_back(p.name);
    const auto cell = [](std::optional<double> x) { return x ? fmt::format("{:.3f}", *x) : std::string("-"); };
    const auto add = [&](const char* name, std::optional<cache_state> which) {
        rows.push_back({name, cell(f.geomean_bandwidth(which)), cell(f.geomean(nullptr, which))});
        for (const peer_identity& p : f.peers) rows.back().push_back(cell(f.geomean(&p.name, which)));
    };
    add("cold", cache_state::cold);
    add("warm", cache_state::warm);
    add("all", std::nullopt);
    return rows;
}

/// What the figures were taken on and how, a line each.
std::vector<std::string> circumstances(const suite_figures& f, const operator_setting& in) {
    const device_properties& d = in.where.properties();
    std::vector<std::string> lines{
        fmt::format("{} {}, suite {}, on {} ({}), {} thread{}", in.request.operation, name_of(in.request.type), in.request.suite, in.where.id(),
                    in.processor.empty() ? d.name : in.processor, in.request.threads, in.request.threads == 1 ? "" : "s"),
        fmt::format("policy: {}", in.request.policy),
        in.request.isa_cap.empty() ? std::string("instruction set: each its best") : fmt::format("instruction set: everybody capped to {}", in.request.isa_cap)};
    for (const peer_identity& p : f.peers) lines.push_back(fmt::format("peer {}: {}, {}", p.name, p.version, p.isa));
    for (const auto& m : f.not_here) lines.push_back(fmt::format("not measured: {} ({}); to get it: {}", m.name, m.why, m.command));
    const double lost = in.disturbance.others + in.disturbance.stolen;
    lines.push_back(fmt::format("processor time taken by others meanwhile: {:.1f} %{}", 100 * lost,
                                lost > 0.05 ? "; repeat this on a quiet machine, the figures are no result" : ""));
    return lines;
}

std::vector<std::string> remarks(const suite_figures& f) {
    std::vector<std::string> notes;
    for (const operator_figures& e : f.entries) {
        if (!e.failure.empty()) notes.push_back(fmt::format("wrong: {}: {}", e.problem->text(), e.failure));
        for (const omission& o : e.omitted) {
            const std::string note = o.wrong ? fmt::format("wrong: {} on {}: {}", o.peer, e.problem->text(), o.reason) : fmt::format("left out: {}: {}", o.peer, o.reason);
            if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
        }
    }
    return notes;
}

constexpr const char* legend =
    "Ratio: time of the peer over ours, above 1 we are faster; median of the rounds and quartiles. * is the best peer. Of bandwidth: time of "
    "plain reading or copying of the same bytes over ours.";

}  // namespace

std::string processor_name() {
    std::ifstream in("/proc/cpuinfo");
    std::string name, model;
    for (std::string line; std::getline(in, line);) {
        const auto colon = line.find(": ");
        if (colon == std::string::npos) continue;
        if (line.starts_with("model name") && name.empty()) name = line.substr(colon + 2);
        else if (line.starts_with("model\t") && model.empty()) model = line.substr(colon + 2);
    }
    return name.empty() ? name : fmt::format("{}, model {}", name, model);
}

json to_json(const suite_figures& f, const operator_setting& in) {
    const device_properties& d = in.where.properties();
    json peers = json::object(), missing = json::array(), entries = json::array(), overall = json::object();
    for (const peer_identity& p : f.peers) peers[p.name] = {{"version", p.version}, {"isa", p.isa}};
    for (const auto& m : f.not_here) missing.push_back({{"peer", m.name}, {"why", m.why}, {"command", m.command}});
    for (const operator_figures& e : f.entries) entries.push_back(to_json(e, in.limit));
    for (const peer_identity& p : f.peers) overall[p.name] = number(f.geomean(&p.name));
    const protocol& how = in.request.how;
    return {{"kernel", in.request.operation},
            {"version", in.version},
            {"suite", in.request.suite},
            {"dtype", name_of(in.request.type)},
            {"policy", in.request.policy},
            {"device", d.name},
            {"device_id", in.where.id()},
            {"processor", in.processor},
            {"target", d.target},
            {"isa", d.isa},
            {"isa_cap", in.request.isa_cap.empty() ? json(nullptr) : json(in.request.isa_cap)},
            {"threads", in.request.threads},
            {"processors", in.processors},
            {"disturbance", {{"others", in.disturbance.others}, {"stolen", in.disturbance.stolen}}},
            {"peak", {{"tflops", in.limit.flops * 1e-12}, {"instruction", in.limit.instruction}}},
            {"protocol",
             {{"warm_ups", how.warm_ups},
              {"rounds", how.rounds},
              {"least_sample_us", how.least_sample * 1e6},
              {"settle", how.settle},
              {"wait_policy", in.passive_waiting ? "passive" : "default"},
              {"cold_bytes", in.request.cold_bytes},
              {"seed", in.request.seed}}},
            {"peers", peers},
            {"missing", missing},
            {"entries", entries},
            {"geomean_best", number(f.geomean(nullptr))},
            {"geomean", overall},
            {"geomean_by_cache", {{"cold", means(f, cache_state::cold)}, {"warm", means(f, cache_state::warm)}}},
            {"geomean_of_bandwidth", number(f.geomean_bandwidth())},
            {"passed", f.passed()}};
}

std::string to_text(const suite_figures& f, const operator_setting& in) {
    std::string text = fmt::format("{}\n\n{}\n\n", fmt::join(circumstances(f, in), "\n"), legend);
    text += aligned(figures_table(f));
    text += "\n" + aligned(means_table(f));
    for (const std::string& note : remarks(f)) text += note + "\n";
    return text;
}

std::string to_markdown(const suite_figures& f, const operator_setting& in) {
    std::string text = fmt::format("## {}\n\n- {}\n\n{}\n\n", in.request.operation, fmt::join(circumstances(f, in), "\n- "), legend);
    text += as_markdown(figures_table(f));
    text += "\n" + as_markdown(means_table(f));
    for (const std::string& note : remarks(f)) text += "\n" + note + "\n";
    return text + "\n";
}

}  // namespace kittens::bench
