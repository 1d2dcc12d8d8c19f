// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include "console.hpp"
#include "progress.hpp"
#include "text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>

namespace grid {

namespace {

using kittens::tool::console;
using kittens::tool::json;
using kittens::tool::user_error;

constexpr std::array<const char*, 3> all_targets = {"cpu", "emulated", "xe"};
constexpr int status_skipped = 77;

bool matches(const std::string& name, const std::string& filter) {
    if (filter.find_first_of("*?[") == std::string::npos) return name.find(filter) != std::string::npos;
    return fnmatch(filter.c_str(), name.c_str(), 0) == 0;
}

std::vector<std::string> chosen_targets(const run_options& options) {
    if (options.target.empty()) return {all_targets.begin(), all_targets.end()};
    if (std::find(all_targets.begin(), all_targets.end(), options.target) == all_targets.end())
        throw user_error(fmt::format("there is no target \"{}\"; the targets are {}", options.target, fmt::join(all_targets, ", ")));
    return {options.target};
}

struct tally {
    int passed = 0, failed = 0;
    double seconds = 0;
};

struct outcome {
    std::string target, device;
    std::map<std::string, tally> families;
    tally all;
};

void print_summary(const console& out, const outcome& o) {
    for (const auto& [name, t] : o.families)
        out.print(fmt::format("  {:<26} {:>5} passed {:>5} failed {:>8.2f} s\n", name, t.passed, t.failed, t.seconds));
    out.print(fmt::format("{} ({}): {} passed, {} failed, {:.1f} s\n", o.target, o.device, o.all.passed, o.all.failed, o.all.seconds));
}

outcome run_on(const device& where, const std::vector<const grid_case*>& list, const run_options& options, const console& out, json& results) {
    outcome o{where.target(), where.id(), {}, {}};
    queue on(where);
    kittens::tool::progress bar(where.target(), list.size());
    for (const grid_case* one : list) {
        const auto start = std::chrono::steady_clock::now();
        const std::string wrong = run_case(*one, on, options.seed);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        for (tally* t : {&o.families[one->family], &o.all}) {
            ++(wrong.empty() ? t->passed : t->failed);
            t->seconds += seconds;
        }
        if (!wrong.empty()) out.print(fmt::format("FAILED {} on {}, seed {}: {}\n", one->name, where.target(), options.seed, wrong));
        json entry = {{"name", one->name}, {"family", one->family}, {"target", where.target()}, {"passed", wrong.empty()}, {"seconds", seconds}};
        if (!wrong.empty()) entry["message"] = wrong;
        results.push_back(std::move(entry));
        bar.advance();
    }
    return o;
}

}  // namespace

std::vector<const grid_case*> chosen_cases(const run_options& options) {
    std::vector<const grid_case*> list;
    for (const grid_case& c : cases())
        if ((!options.paper || c.paper) && matches(c.name, options.filter)) list.push_back(&c);
    if (list.empty())
        throw user_error(fmt::format("no case matches \"{}\"{}; --list shows the names", options.filter, options.paper ? " with --paper" : ""));
    return list;
}

std::string run_case(const grid_case& one, queue& on, std::uint64_t seed) {
    try {
        context c(on, seed, one.name);
        one.run(c);
        return {};
    } catch (const build_error& e) {
        std::string log = e.build_log().substr(0, 400);
        std::replace(log.begin(), log.end(), '\n', ' ');
        return fmt::format("{}: {}", e.what(), log);
    } catch (const std::exception& e) {
        return e.what();
    }
}

int list_cases(const run_options& options) {
    const console out(options.json_path);
    const auto list = chosen_cases(options);
    const auto targets = chosen_targets(options);
    json entries = json::array();
    for (const std::string& t : targets)
        for (const grid_case* c : list) entries.push_back({{"name", c->name}, {"family", c->family}, {"target", t}, {"paper", c->paper}});
    std::string text;
    for (const grid_case* c : list) text += c->name + "\n";
    text += fmt::format("{} cases on each of {}\n", list.size(), fmt::join(targets, ", "));
    if (options.json_path != "-") out.print(text);
    out.write({{"cases", entries}});
    return kittens::tool::status_ok;
}

int run_cases(const run_options& options) {
    const console out(options.json_path);
    const auto list = chosen_cases(options);
    json results = json::array(), missing = json::array();
    std::vector<outcome> outcomes;
    std::vector<std::string> absent;
    out.print(fmt::format("{} cases, seed {}\n", list.size(), options.seed));
    for (const std::string& target : chosen_targets(options)) {
        std::optional<device> where;
        try {
            where = find_device(target);
        } catch (const device_error& e) {
            if (!options.target.empty() && !options.skip_missing) throw;
            absent.push_back(fmt::format("{} was not run: {}", target, e.what()));
            missing.push_back({{"target", target}, {"reason", e.what()}});
            continue;
        }
        outcomes.push_back(run_on(*where, list, options, out, results));
    }
    json summary = json::array();
    int failed = 0;
    for (const outcome& o : outcomes) {
        print_summary(out, o);
        failed += o.all.failed;
        json families = json::object();
        for (const auto& [name, t] : o.families) families[name] = {{"passed", t.passed}, {"failed", t.failed}};
        summary.push_back({{"target", o.target}, {"device", o.device}, {"passed", o.all.passed}, {"failed", o.all.failed}, {"seconds", o.all.seconds}, {"families", families}});
    }
    for (const std::string& line : absent) out.print(line + "\n");
    out.write({{"seed", options.seed}, {"passed", failed == 0 && !outcomes.empty()}, {"targets", summary}, {"not_run", missing}, {"cases", results}});
    if (failed) out.print(fmt::format("{} of {} runs failed; repeat with --seed {}\n", failed, results.size(), options.seed));
    if (outcomes.empty()) return status_skipped;
    return failed ? kittens::tool::status_failed : kittens::tool::status_ok;
}

}  // namespace grid
