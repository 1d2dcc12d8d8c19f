// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include "columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace kittens::bench {

namespace {

using json = nlohmann::ordered_json;
using half = gemm_figures::half;

json number(std::optional<double> x) { return x && std::isfinite(*x) ? json(*x) : json(nullptr); }
json quartiles(const summary& s, double scale = 1) { return json::array({s.q1 * scale, s.q3 * scale}); }

json to_json(const peer_figures& p) {
    return {{"us", p.seconds.median * 1e6},      {"ratio", p.ratio.median},
            {"ratio_quartiles", quartiles(p.ratio)}, {"us_quartiles", quartiles(p.seconds, 1e6)},
            {"dtype", p.types},                  {"implementation", p.implementation},
            {"relative_frobenius", p.relative_frobenius}};
}

json to_json(const shape_figures& s, const peak& limit) {
    const bool passed = s.failure.empty();
    const peer_figures* best = s.best();
    const double rate = s.flops() / s.seconds.median;
    json peers = json::object(), omitted = json::array();
    for (const peer_figures& p : s.peers) peers[p.name] = to_json(p);
    for (const omission& o : s.omitted) omitted.push_back({{"peer", o.peer}, {"reason", o.reason}, {"wrong", o.wrong}});
    return {{"shape", {{"m", s.shape.m}, {"n", s.shape.n}, {"k", s.shape.k}}},
            {"workload", s.shape.workload},
            {"policy", s.policy.empty() ? json(nullptr) : json(s.policy)},
            {"half", s.shape.square() ? "square" : "rectangular"},
            {"passed", passed},
            {"failure", passed ? json(nullptr) : json(s.failure)},
            {"candidate_us", passed ? json(s.seconds.median * 1e6) : json(nullptr)},
            {"candidate_us_quartiles", passed ? quartiles(s.seconds, 1e6) : json(nullptr)},
            {"candidate_tflops", passed ? json(rate * 1e-12) : json(nullptr)},
            {"of_peak", passed && limit.flops > 0 ? json(rate / limit.flops) : json(nullptr)},
            {"peers", peers},
            {"omitted", omitted},
            {"best_peer", best ? json(best->name) : json(nullptr)},
            {"ratio_best", best ? json(best->ratio.median) : json(nullptr)},
            {"relative_frobenius", number(s.relative_frobenius)}};
}

json means(const gemm_figures& f, half which) {
    json result = {{"best", number(f.geomean(nullptr, which))}};
    for (const peer_identity& p : f.peers) result[p.name] = number(f.geomean(&p.name, which));
    return result;
}

std::vector<std::string> row_of(const shape_figures& s, const gemm_figures& f, const setting& in) {
    std::vector<std::string> row{fmt::format("{} x {} x {}", s.shape.m, s.shape.n, s.shape.k)};
    if (!s.failure.empty()) {
        row.emplace_back("WRONG");
        return row;
    }
    const double rate = s.flops() / s.seconds.median;
    row.push_back(time_text(s.seconds.median));
    row.push_back(fmt::format("{:.3f}", rate * 1e-12));
    row.push_back(fmt::format("{:.0f} %", 100 * rate / in.limit.flops));
    const peer_figures* best = s.best();
    for (const peer_identity& who : f.peers) {
        std::string cell = "-";
        for (const peer_figures& p : s.peers)
            if (p.name == who.name)
                cell = fmt::format("{:.2f} ({:.2f}-{:.2f}){}{}", p.ratio.median, p.ratio.q1, p.ratio.q3,
                                   p.types == name_of(in.request.in) ? "" : " " + p.types, &p == best ? " *" : "  ");
        row.push_back(cell);
    }
    row.push_back(fmt::format("{:.2e}", s.relative_frobenius));
    row.push_back(s.policy);
    return row;
}

}  // namespace

json to_json(const gemm_figures& f, const setting& in) {
    const device_properties& d = in.where.properties();
    json peers = json::object(), missing = json::array(), entries = json::array(), overall = json::object();
    for (const peer_identity& p : f.peers) peers[p.name] = {{"version", p.version}, {"isa", p.isa}};
    for (const auto& m : f.not_here) missing.push_back({{"peer", m.name}, {"why", m.why}, {"command", m.command}});
    for (const shape_figures& s : f.shapes) entries.push_back(to_json(s, in.limit));
    for (const peer_identity& p : f.peers) overall[p.name] = number(f.geomean(&p.name, half::all));
    const protocol& how = in.request.how;
    return {{"kernel", in.kernel},
            {"version", in.version},
            {"suite", in.request.suite},
            {"dtype", name_of(in.request.in)},
            {"policy", in.policy},
            {"device", d.name},
            {"device_id", in.where.id()},
            {"target", d.target},
            {"isa", d.isa},
            {"isa_cap", in.isa_cap.empty() ? json(nullptr) : json(in.isa_cap)},
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
              {"seed", in.request.seed}}},
            {"peers", peers},
            {"missing", missing},
            {"entries", entries},
            {"geomean_best", number(f.geomean(nullptr, half::all))},
            {"geomean", overall},
            {"geomean_by_half", {{"square", means(f, half::square)}, {"rectangular", means(f, half::rectangular)}}},
            {"passed", f.passed()}};
}

std::string to_text(const gemm_figures& f, const setting& in) {
    const device_properties& d = in.where.properties();
    std::string text = fmt::format("gemm {}, suite {}, policy {}, on {} ({}), {} thread{}\n", name_of(in.request.in), in.request.suite, in.policy,
                                   in.where.id(), d.name, in.request.threads, in.request.threads == 1 ? "" : "s");
    text += in.isa_cap.empty() ? std::string("instruction set: each its best\n")
                               : fmt::format("instruction set: everybody capped to {}\n", in.isa_cap);
    text += fmt::format("peak, measured: {:.3f} TFLOP/s ({})\n", in.limit.flops * 1e-12, in.limit.instruction);
    for (const peer_identity& p : f.peers) text += fmt::format("peer {}: {}, {}\n", p.name, p.version, p.isa);
    for (const auto& m : f.not_here) text += fmt::format("not measured: {} ({}); to get it: {}\n", m.name, m.why, m.command);
    const double lost = in.disturbance.others + in.disturbance.stolen;
    text += fmt::format("processor time taken by others meanwhile: {:.1f} %{}\n", 100 * lost,
                        lost > 0.05 ? "; repeat this on a quiet machine, the figures are no result" : "");

    text += "\nRatio: time of the peer over ours, above 1 we are faster; median of the rounds and quartiles. * is the best peer.\n\n";
    std::vector<std::vector<std::string>> rows{{"M x N x K", "ours", "TFLOP/s", "of peak"}};
    for (const peer_identity& p : f.peers) rows[0].push_back(p.name + "  ");
    rows[0].emplace_back("error");
    rows[0].emplace_back("policy");
    for (const shape_figures& s : f.shapes) rows.push_back(row_of(s, f, in));
    text += aligned(rows);

    rows = {{"geometric mean", "best peer"}};
    for (const peer_identity& p : f.peers) rows[0].push_back(p.name);
    const auto mean_row = [&](const char* name, half which) {
        const auto cell = [](std::optional<double> x) { return x ? fmt::format("{:.3f}", *x) : std::string("-"); };
        rows.push_back({name, cell(f.geomean(nullptr, which))});
        for (const peer_identity& p : f.peers) rows.back().push_back(cell(f.geomean(&p.name, which)));
    };
    mean_row("square", half::square);
    mean_row("rectangular", half::rectangular);
    mean_row("all", half::all);
    if (!f.peers.empty()) text += "\n" + aligned(rows);

    std::vector<std::string> notes;
    for (const shape_figures& s : f.shapes) {
        const std::string shape = fmt::format("{} x {} x {}", s.shape.m, s.shape.n, s.shape.k);
        if (!s.failure.empty()) text += fmt::format("wrong: {}: {}\n", shape, s.failure);
        for (const omission& o : s.omitted) {
            // What a peer does not have is the same for every shape.
            const std::string note = o.wrong ? fmt::format("wrong: {} on {}: {}\n", o.peer, shape, o.reason) : fmt::format("left out: {}: {}\n", o.peer, o.reason);
            if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
        }
    }
    for (const auto& note : notes) text += note;
    return text;
}

}  // namespace kittens::bench
