// SPDX-License-Identifier: Apache-2.0
// kittens check: a kernel of the suite on the emulator, with every check on.
#include "commands.hpp"
#include "console.hpp"
#include "operation.hpp"
#include "text.hpp"

#include <kittens/target/emulated/report.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kittens::tool {

namespace {

struct check_options {
    std::string seed, json_path;
    bool all = false;
};

/// One run: which kernel, on which problem, and what came out.
struct checked {
    std::string kernel, policy, type, shape_text;
    json shape;
    std::vector<emulated::fault> reports;
    std::vector<std::string> wrong;  ///< results that are not right, and failures without a report
};

/// Gives options to an operation as a command line would.
void set_options(operation& op, const std::string& kernel_options, const std::string& problem_options) {
    if (!kernel_options.empty()) op.forget_kernel_options();
    CLI::App kernel("kernel"), problem("problem");
    op.add_kernel_options(kernel);
    op.add_problem_options(problem);
    if (!kernel_options.empty()) kernel.parse(kernel_options, false);
    if (!problem_options.empty()) problem.parse(problem_options, false);
    op.check_kernel_options();
    op.check_problem_options();
}

checked check_once(operation& op, const device& where, std::uint64_t seed) {
    run_outcome r = op.run({where, seed, 1});
    checked c{r.kernel, r.policy, r.type, r.shape_text, r.shape, std::move(r.runs.reports), {}};
    const bool faulty = std::any_of(c.reports.begin(), c.reports.end(), [](const auto& f) { return !emulated::is_advice(f.kind); });
    // What a faulty kernel computes is a consequence.
    if (!faulty && !r.passed) c.wrong = r.findings.empty() ? std::vector<std::string>{r.verdict} : r.findings;
    return c;
}

json to_json(const emulated::fault& f) {
    return {{"kind", emulated::name(f.kind)},
            {"advice", emulated::is_advice(f.kind)},
            {"kernel", f.kernel},
            {"operation", f.operation},
            {"tile", f.tile.empty() ? json(nullptr) : json(f.tile)},
            {"coordinate", f.has_coordinate ? json(f.coordinate) : json(nullptr)},
            {"workgroup", f.workgroup},
            {"subgroup", f.subgroup},
            {"lane", f.lane < 0 ? json(nullptr) : json(f.lane)},
            {"source", f.source.empty() ? json(nullptr) : json(f.source)},
            {"message", f.message},
            {"occurrences", f.occurrences}};
}

int check_operation(operation& op, const check_options& options, const std::vector<std::string>& problems, const std::vector<std::string>& kernels) {
    const std::uint64_t seed = options.seed.empty() ? fresh_seed() : seed_number(options.seed);
    const console out(options.json_path);
    const device where = find_device("emulated");

    std::vector<checked> runs;
    for (const std::string& kernel : kernels) {
        if (!kernel.empty()) {
            op.forget_kernel_options();
            CLI::App choice("kernel");
            op.add_kernel_options(choice);
            choice.parse(kernel, false);
        }
        op.check_kernel_options();
        for (const std::string& problem : problems.empty() ? op.check_problems() : problems) {
            set_options(op, kernel, problem);
            runs.push_back(check_once(op, where, seed));
        }
    }

    // One report per distinct fault of a kernel, over all its problems.
    std::vector<emulated::launch_report> distinct;
    json run_list = json::array(), wrong = json::array();
    for (const checked& c : runs) {
        auto at = std::find_if(distinct.begin(), distinct.end(), [&](const auto& d) { return d.kernel == c.kernel; });
        if (at == distinct.end()) at = distinct.insert(distinct.end(), emulated::launch_report{c.kernel, {}, {}});
        std::size_t errors = 0;
        for (const emulated::fault& f : c.reports) {
            at->add(f);
            errors += !emulated::is_advice(f.kind);
        }
        run_list.push_back({{"variant", c.kernel}, {"policy", c.policy}, {"dtype", c.type}, {"shape", c.shape}, {"faults", errors}, {"advice", c.reports.size() - errors}});
        for (const std::string& line : c.wrong) wrong.push_back({{"variant", c.kernel}, {"shape", c.shape}, {"message", line}});
        out.print(fmt::format("{} {} {}: {}\n", c.kernel, c.shape_text, c.type,
                              errors > 0 ? fmt::format("{} faults", errors)
                              : !c.wrong.empty() ? std::string("wrong result")
                              : c.reports.empty() ? std::string("clean") : fmt::format("no fault; {} pieces of advice", c.reports.size())));
    }

    json faults = json::array(), advice = json::array();
    for (const bool wanted : {false, true})
        for (const emulated::launch_report& d : distinct)
            for (const emulated::fault& f : d.faults) {
                if (emulated::is_advice(f.kind) != wanted) continue;
                (wanted ? advice : faults).push_back(to_json(f));
                out.print(fmt::format("{}: {}\n", wanted ? "advice" : "fault", f.text()));
            }
    for (const auto& w : wrong) out.print(fmt::format("wrong: {} {}\n", w["variant"].get<std::string>(), w["message"].get<std::string>()));
    const bool clean = faults.empty() && wrong.empty();
    out.print(clean ? fmt::format("clean: {} runs of {} kernels without a fault{}, seed {}\n", runs.size(), distinct.size(),
                                  advice.empty() ? std::string() : fmt::format(", {} pieces of advice", advice.size()), seed)
                    : fmt::format("FAILED: {} distinct faults, {} wrong results, seed {}\n", faults.size(), wrong.size(), seed));
    out.write({{"kernel", op.name()}, {"target", "emulated"}, {"seed", seed}, {"clean", clean}, {"runs", run_list}, {"faults", faults}, {"advice", advice}, {"wrong", wrong}});
    return clean ? status_ok : status_failed;
}

}  // namespace

void add_check(CLI::App& program, action& chosen) {
    CLI::App* command = program.add_subcommand("check", "Look for mistakes in a kernel: races, uninitialised data, barriers, bounds, prefetches");
    command->require_subcommand(1);
    static check_options options;
    for (const auto& op : operations()) {
        CLI::App* sub = command->add_subcommand(op->name(), op->summary());
        op->add_problem_options(*sub);
        std::vector<CLI::Option*> sizes;
        for (CLI::Option* o : sub->get_options())
            if (o->get_required()) sizes.push_back(o->required(false));
        const std::vector<CLI::Option*> before = sub->get_options();
        op->add_kernel_options(*sub);
        std::vector<CLI::Option*> choices;
        for (CLI::Option* o : sub->get_options())
            if (std::find(before.begin(), before.end(), o) == before.end()) choices.push_back(o);
        sub->add_option("--seed", options.seed, "Seed of the data; a fresh one if not given")->type_name("S");
        sub->add_flag("--all", options.all, "Every kernel of this operation: all element types and policies");
        add_json_option(*sub, options.json_path);
        sub->callback([&chosen, &op, sizes, choices] {
            std::vector<std::string> missing;
            for (const CLI::Option* o : sizes)
                if (o->count() == 0) missing.push_back(o->get_name());
            if (!missing.empty() && missing.size() < sizes.size())
                throw user_error(fmt::format("{} is missing; give all sizes, or none for the usual ones", fmt::join(missing, ", ")));
            const bool chose = std::any_of(choices.begin(), choices.end(), [](const CLI::Option* o) { return o->count() > 0; });
            if (options.all && chose) throw user_error("--all takes every kernel; leave out the options that choose one");
            const std::vector<std::string> problems(missing.empty() ? 1 : 0);  // "": as given
            chosen = [&op, problems] { return check_operation(*op, options, problems, options.all ? op->kernel_choices() : std::vector<std::string>(1)); };
        });
    }
}

}  // namespace kittens::tool
