// SPDX-License-Identifier: Apache-2.0
#include "gemm_machine_tune.hpp"

#include "../inspect_compare.hpp"
#include "../progress.hpp"
#include "../text.hpp"
#include "gemm_policies.hpp"

#include <kittens/inspect/toolchain.hpp>

#include <bench/gemm_data.hpp>
#include <fmt/format.h>
#include <gemm/choices.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <utility>

namespace kittens::tool {

namespace {

using kernels::prefetch_kind;
using kernels::tile_order;
using kernels::xe_choice;

std::string name_of_choice(const xe_choice& c, bool planes) {
    const char* prefetch = c.prefetch == prefetch_kind::none ? "none" : c.prefetch == prefetch_kind::masked ? "masked" : "cooperative";
    const char* order = c.order == tile_order::linear ? "linear" : c.order == tile_order::grouped ? "grouped" : "snake";
    std::string name = fmt::format("{}x{}x{}_{}x{}_{}{}_u{}_{}{}", c.tile_m, c.tile_n, c.k_step, c.sg_rows, c.sg_cols, prefetch, c.prefetch == prefetch_kind::none ? "" : std::to_string(c.distance), c.unroll, order,
                                   c.order == tile_order::linear ? "" : std::to_string(c.band));
    if (c.split) name += planes ? fmt::format("_split{}", c.parts) : "_split";
    return name;
}

/// Whether the blocks of a panel divide among the subgroups that prefetch it: as panel_parts (kernels/gemm/operands.hpp) asserts. What this lets pass and
/// does not compile is reported as that.
bool divides(int rows, int cols, int size, int sharers) {
    const int width = std::min(cols, 64 / size), across = cols / width;
    int height = rows * across / sharers;
    while (height > 32 || (height > 1 && rows % height)) height /= 2;
    return height > 0 && (height & (height - 1)) == 0 && rows / height * across % sharers == 0;
}

/// What decides the main loop.
std::string loop_of(xe_choice c) {
    c.order = tile_order::linear, c.band = 1, c.split = false;
    if (c.prefetch != prefetch_kind::none) c.distance = 1;
    return name_of_choice(c, false);
}

/// A figure in the table.
std::string show(const ranked& r) { return fmt::format("{:>6} {:>7.0f} {:>10.2f}", r.workgroups, r.threads, r.slots_per_dpas); }

/// Compilers and kernel sources as the default policy's machine code shows them: figures in a log of others are not comparable.
std::string fingerprint(const inspect::report& r) {
    std::vector<std::string> parts;
    for (const auto& [tool, version] : r.compiler) parts.push_back(tool + version);
    parts.push_back(r.kernels.at(0).assembly);
    return inspect::content_hash(parts).substr(0, 16);
}

}  // namespace

std::vector<rank_candidate> xe_candidates(dtype type, int most_subgroups) {
    const int size = size_of(type), line = 64 / size;
    constexpr std::pair<int, int> tiles[] = {{32, 64}, {64, 32}, {32, 32}, {16, 64}, {16, 32}, {8, 64}};
    constexpr std::pair<int, int> workgroups[] = {{8, 4}, {4, 8}, {16, 2}, {4, 4}, {8, 2}, {2, 8}, {4, 2}, {2, 4}, {2, 2}};
    constexpr std::pair<tile_order, int> orders[] = {{tile_order::snake, 8}, {tile_order::snake, 4}, {tile_order::linear, 1}, {tile_order::grouped, 8}};
    constexpr std::pair<prefetch_kind, int> prefetches[] = {{prefetch_kind::cooperative, 2}, {prefetch_kind::cooperative, 1}, {prefetch_kind::cooperative, 3}, {prefetch_kind::cooperative, 4},
                                                            {prefetch_kind::none, 0}, {prefetch_kind::masked, 2}};
    xe_choice usual;
    usual.k_step = line;
    const std::string default_name = name_of_choice(usual, true);
    std::vector<rank_candidate> all{{"default", usual, {}}};
    for (const auto& [tile_m, tile_n] : tiles)
        for (const int lines : {1, 2})
            for (const auto& [sg_rows, sg_cols] : workgroups)
                for (const auto& [prefetch, distance] : prefetches)
                    for (const int unroll : {1, 2})
                        for (const auto& [order, band] : orders)
                            for (const int parts : {1, 2, 4, 8}) {
                                const xe_choice c{tile_m, tile_n, lines * line, sg_rows, sg_cols, prefetch, distance, unroll, order, band, parts > 1, parts > 1 ? parts : 0, true};
                                if (c.subgroups() > most_subgroups) continue;
                                if (prefetch == prefetch_kind::cooperative && !(divides(tile_m, c.k_step, size, sg_cols) && divides(c.k_step, tile_n, size, sg_rows))) continue;
                                if (std::string name = name_of_choice(c, true); name != default_name) all.push_back({std::move(name), c, {}});
                            }
    return all;
}

code_figures least_figures(const xe_choice& c, dtype type) {
    const int size = size_of(type), row = c.k_step * size, columns = c.tile_n * size;
    const auto lines = [](int bytes) { return (bytes + 63) / 64; };
    code_figures f;
    f.dpas = c.tile_m / 8 * (c.tile_n / 16) * (row / 32);
    f.loaded_bytes = c.tile_m * row + c.k_step * columns;
    f.lines = c.tile_m * lines(row) + c.k_step * lines(columns);
    f.sends = 2;
    if (c.prefetch == prefetch_kind::cooperative) {
        f.prefetched_bytes = static_cast<double>(c.tile_m * row) / c.sg_cols + static_cast<double>(c.k_step * columns) / c.sg_rows;
        f.lines += f.prefetched_bytes / 64;
        f.sends += 2;
    } else if (c.prefetch == prefetch_kind::masked) {
        f.prefetched_bytes = f.loaded_bytes;
        f.lines *= 2;
        f.sends += 2;
    }
    f.instructions = f.dpas + f.sends + 4.0 / c.unroll;  // a counter, a comparison, a jump, a wait
    f.outside = 2.0 * c.tile_m * c.tile_n / 16;          // every sum set to zero, and converted
    return f;
}

std::vector<rank_candidate> search(std::vector<rank_candidate> candidates, dtype type, const std::vector<rank_problem>& problems, const gpu_model& gpu,
                                   const std::function<code_figures(const std::string& name)>& code, const std::function<bool()>& go_on) {
    // A difference smaller than this is not worth a compilation.
    constexpr double matters = 0.995;
    std::vector<std::string> policies, names, loops;
    for (rank_candidate& c : candidates) {
        policies.push_back(std::exchange(c.policy, ""));  // half a million candidates are looked at in every turn, none by its name
        names.push_back(name_of_choice(c.choice, false));
        loops.push_back(loop_of(c.choice));
        c.code = least_figures(c.choice, type);
    }
    std::vector<char> compiled(candidates.size(), false);
    const auto compile = [&](std::size_t which) {
        const code_figures figures = code(names[which]);
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            const bool same = names[i] == names[which];
            if (same || (loops[i] == loops[which] && !compiled[i])) candidates[i].code = figures;
            compiled[i] = compiled[i] || same;
        }
    };
    compile(0);
    for (bool more = true; more && go_on();) {
        std::vector<std::size_t> wanted;
        for (const rank_problem& p : problems) {
            double known = 0, promised = 0;
            std::size_t first = candidates.size();
            for (std::size_t i = 0; i < candidates.size(); ++i) {
                const ranked r = rank_one(candidates[i], p, gpu);
                if (!r.disqualified.empty()) continue;
                if (compiled[i]) {
                    if (known == 0 || r.clocks < known) known = r.clocks;
                } else if (first == candidates.size() || r.clocks < promised) first = i, promised = r.clocks;
            }
            if (first < candidates.size() && (known == 0 || promised < matters * known) && std::find(wanted.begin(), wanted.end(), first) == wanted.end()) wanted.push_back(first);
        }
        more = false;
        for (const std::size_t i : wanted) {
            if (!go_on()) break;
            if (compiled[i]) continue;
            compile(i);
            more = true;
        }
    }
    std::vector<rank_candidate> known;
    for (std::size_t i = 0; i < candidates.size(); ++i)
        if (compiled[i]) {
            candidates[i].policy = policies[i];
            known.push_back(std::move(candidates[i]));
        }
    return known;
}

int tune_gemm_by_machine_code(const tuning_options& o, const machine_tuning& what) {
    using clock = std::chrono::steady_clock;
    const auto budget = std::chrono::milliseconds(1000 * o.budget_seconds());
    const gpu_model gpu = model_of(inspect::parse_gpu(what.device), what.cores.empty() ? 0 : static_cast<int>(whole_number("--cores", what.cores, 1, 4096)));
    o.require_table("gemm");
    const output_file writable(o.table, "--table");
    kernels::gemm_choices table;
    if (std::filesystem::exists(o.table)) table = kernels::gemm_choices::read(o.table);
    const console out(o.json_path);
    const inspect::toolchain tools = inspect::toolchain::locate();
    for (const inspect::tool t : {inspect::tool::clang, inspect::tool::ocloc, inspect::tool::iga}) tools.require(t);

    const auto start = clock::now();
    const auto compiled = [&](const std::string& name) { return inspect::run(compile_request(xe_policy_plan(what.type, name), gpu.device)); };
    std::vector<rank_candidate> candidates = xe_candidates(what.type, 4 * gpu.engines);
    const inspect::report usual = compiled(name_of_choice(candidates.front().choice, false));
    const json same{{"device", what.device}, {"dtype", name_of(what.type)}, {"code_of", fingerprint(usual)}};

    std::map<std::string, code_figures> log;
    if (!o.log.empty())
        for (const json& j : read_log_lines(o.log)) {
            const bool ours = std::all_of(same.items().begin(), same.items().end(), [&](const auto& field) { return j.contains(field.key()) && j[field.key()] == field.value(); });
            const auto figures = code_figures_from(j.value("code", json()));
            if (ours && figures && j.contains("policy") && j["policy"].is_string()) log[j["policy"].get<std::string>()] = *figures;
        }
    std::vector<rank_problem> problems;
    for (const bench::gemm_shape& s : what.shapes) problems.push_back({s.m, s.n, s.k, size_of(what.type), size_of(bench::output_of(what.type))});

    out.print(fmt::format("tuning gemm {} on xe {} by machine code: {} shapes, {} candidates, {} s\n"
                          "compiled and modelled, not measured; taken as {}{}\n",
                          name_of(what.type), what.device, what.shapes.size(), candidates.size(), budget.count() / 1000, gpu.grounds, what.cores.empty() ? "" : fmt::format(", with {} cores", gpu.cores)));
    std::size_t from_log = 0, fresh = 0, unusable = 0, spilling = 0;
    bool ended = false;
    json code_list = json::array();
    {
        progress bar("tune", static_cast<std::uint64_t>(budget.count()));
        std::int64_t shown = 0;
        candidates = search(std::move(candidates), what.type, problems, gpu,
            [&](const std::string& name) {
                code_figures f;
                const auto known = log.find(name);
                if (known != log.end()) f = known->second, ++from_log;
                else {
                    try {
                        f = figures_of(compiled(name).kernels.at(0));
                    } catch (const inspect::inspect_error& e) {
                        f.unusable = fmt::format("does not compile: {}", e.what());
                    }
                    ++fresh;
                    if (!o.log.empty()) {
                        json line = same;
                        line["policy"] = name, line["code"] = to_json(f);
                        append_log_line(o.log, line);
                    }
                }
                unusable += !f.unusable.empty();
                spilling += f.spill_bytes > 0;
                code_list.push_back({{"policy", name}, {"from_log", known != log.end()}, {"code", to_json(f)}});
                const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - start).count();
                bar.advance(static_cast<std::uint64_t>(std::max<std::int64_t>(0, std::min<std::int64_t>(now, budget.count()) - shown)));
                shown = std::max<std::int64_t>(shown, now);
                return f;
            },
            [&] {
                if (clock::now() - start > budget) ended = true;
                return !ended;
            });
    }

    json entries = json::array();
    out.print(fmt::format("\n{:<20} {:<48} {:>6} {:>7} {:>10} {:>6}\n{:<69} {:>6} {:>7} {:>10} {:>6}\n", "shape", "policy", "work-", "threads", "slots", "gain", "", "groups", "/engine", "per dpas", ""));
    for (std::size_t i = 0; i < problems.size(); ++i) {
        const bench::gemm_shape& s = what.shapes[i];
        const std::vector<ranked> order = rank(candidates, problems[i], gpu);
        const auto& best = order.front();
        const auto base = std::find_if(order.begin(), order.end(), [](const ranked& r) { return r.policy == "default"; });
        if (!best.disqualified.empty()) throw user_error(fmt::format("no candidate can be used on {} x {} x {}; the default policy: {}", s.m, s.n, s.k, base->disqualified));
        const double gain = base->disqualified.empty() ? base->clocks / best.clocks : 1;
        const kernels::gemm_choices::entry e{"xe", what.device, name_of(what.type), 1, s.m, s.n, s.k, best.policy, gain, "machine code"};
        // What somebody measured on a GPU is worth more.
        const bool measured = std::any_of(table.entries().begin(), table.entries().end(), [&](const auto& o) { return o.same_case(e) && o.evidence != e.evidence; });
        if (!measured) table.set(e);
        entries.push_back({{"shape", {{"m", s.m}, {"n", s.n}, {"k", s.k}}}, {"policy", best.policy}, {"evidence", e.evidence}, {"gain", gain}, {"clocks", best.clocks}, {"default_clocks", base->disqualified.empty() ? json(base->clocks) : json(nullptr)},
                           {"slots_per_dpas", best.slots_per_dpas}, {"workgroups", best.workgroups}, {"workgroups_of_busiest_core", best.rounds}, {"threads_per_engine", best.threads}, {"kept_measured", measured}});
        out.print(fmt::format("{:<20} {:<48} {} {:>6.2f}{}\n", fmt::format("{}x{}x{}", s.m, s.n, s.k), best.policy, show(best), gain, measured ? ", the table keeps what was measured" : ""));
    }
    table.write(o.table);
    out.print(fmt::format("\ncompiled {} candidates ({} more from the log): {} spill, {} not usable. gain: the default's modelled clocks over these; nothing was run\n", fresh, from_log, spilling, unusable));
    if (ended) out.print(fmt::format("the budget ended before the search did; {}\n", o.log.empty() ? "give more, or --log FILE to go on another time" : "the same command goes on from the log"));
    out.print(fmt::format("choices: {}\n", o.table));
    json compiler = json::object();
    for (const auto& [tool, version] : usual.compiler) compiler[tool] = version;
    out.write({{"kernel", "gemm"}, {"target", "xe"}, {"device", what.device}, {"cores", gpu.cores}, {"model", gpu.grounds}, {"evidence", "machine code"}, {"compiler", compiler}, {"dtype", name_of(what.type)}, {"search_complete", !ended},
               {"entries", entries}, {"compiled", code_list}});
    return status_ok;
}

}  // namespace kittens::tool
