// SPDX-License-Identifier: Apache-2.0
// kittens bench OPERATOR and kittens bench all.
#include "bench_options.hpp"
#include "build_config.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "operation.hpp"
#include "progress.hpp"
#include "text.hpp"

#include <bench/operator_report.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kittens::tool {

namespace {

struct operator_options {
    bench_conditions how;
    std::string suite = "default", against, json_path, markdown_path;
};

std::vector<std::string> parse_operator_peers(const std::string& list) {
    if (list == "none") return {};
    std::vector<std::string> peers = split(list, ',');
    for (const std::string& p : peers) require_choice("peer", p, bench::operator_peer_names());
    return peers;
}

/// One operation on one suite, in a process that has been entered.
struct measured {
    bench::operator_request request;
    bench::suite_figures figures;
    bench::interference::shares disturbance;
};

measured measure(const operation& op, const std::string& suite, std::vector<std::string> peers, const bench::protocol& how,
                 const bench::conditions& under, const device& where, std::uint64_t seed) {
    measured m;
    m.request.operation = op.name();
    m.request.suite = suite;
    m.request.problems = op.bench_problems(suite);
    m.request.type = op.element_type();
    m.request.peers = std::move(peers);
    m.request.how = how;
    m.request.threads = under.threads();
    m.request.seed = seed;
    m.request.isa_cap = under.isa ? std::string(to_string(*under.isa)) : "";
    const bench::interference others(under.processors);
    progress bar(op.name(), m.request.problems.size() * static_cast<std::size_t>(how.warm_ups + how.rounds));
    m.figures = bench::run_operator_suite(m.request, where, [&] { bar.advance(); });
    m.disturbance = others.so_far();
    return m;
}

bench::operator_setting setting_of(const measured& m, const device& where, const bench::peak& limit, const bench::conditions& under) {
    bench::operator_setting in{.request = m.request, .where = where};
    in.processor = bench::processor_name();
    in.limit = limit;
    in.processors = under.processors;
    in.passive_waiting = under.passive_waiting;
    in.disturbance = m.disturbance;
    in.version = config::version;
    return in;
}

int bench_operator(operation& op, const operator_options& o) {
    op.check_kernel_options();
    require_choice("suite", o.suite, op.bench_suites());
    const std::vector<std::string> peers = o.against.empty() ? op.bench_peers() : parse_operator_peers(o.against);
    const bench::protocol how = o.how.protocol();
    const bench::conditions wanted = o.how.conditions();
    const console out(o.json_path);

    // From here on in a process of its own: everything above is repeated there.
    bench::enter(wanted);
    const device where = find_device("cpu");
    const auto limit = bench::measure_peak(*parse_cpu_isa(where.properties().isa), op.element_type(), wanted.threads());
    const measured m = measure(op, o.suite, peers, how, wanted, where, o.how.seed.empty() ? fresh_seed() : seed_number(o.how.seed));
    const bench::operator_setting in = setting_of(m, where, limit, wanted);
    out.print(bench::to_text(m.figures, in));
    out.write(bench::to_json(m.figures, in));
    return m.figures.passed() ? status_ok : status_failed;
}

int bench_all(const operator_options& o) {
    const bench::protocol how = o.how.protocol();
    const bench::conditions wanted = o.how.conditions();
    const std::vector<std::string> chosen = o.against.empty() ? std::vector<std::string>{} : parse_operator_peers(o.against);
    const console out(o.json_path);
    std::optional<output_file> markdown;
    if (!o.markdown_path.empty()) markdown.emplace(o.markdown_path, "--markdown");

    bench::enter(wanted);
    const device where = find_device("cpu");
    const std::uint64_t seed = o.how.seed.empty() ? fresh_seed() : seed_number(o.how.seed);
    std::string text, page = "# Benchmarks of all operators\n\n";
    json reports = json::array();
    bool passed = true;
    for (const auto& op : operations()) {
        if (op->bench_suites().empty()) continue;
        op->check_kernel_options();
        const auto limit = bench::measure_peak(*parse_cpu_isa(where.properties().isa), op->element_type(), wanted.threads());
        const measured m = measure(*op, op->bench_suites().front(), o.against.empty() ? op->bench_peers() : chosen, how, wanted, where, seed);
        const bench::operator_setting in = setting_of(m, where, limit, wanted);
        text += bench::to_text(m.figures, in) + "\n";
        page += bench::to_markdown(m.figures, in);
        reports.push_back(bench::to_json(m.figures, in));
        passed = passed && m.figures.passed();
    }
    out.print(text);
    if (markdown) markdown->write(page);
    out.write({{"version", config::version}, {"reports", reports}, {"passed", passed}});
    return passed ? status_ok : status_failed;
}

}  // namespace

void add_operator_benches(CLI::App& command, action& chosen) {
    static operator_options o;
    for (const auto& op : operations()) {
        if (op->bench_suites().empty()) continue;
        CLI::App* sub = command.add_subcommand(op->name(), op->summary());
        sub->add_option("--suite", o.suite, fmt::format("{}", fmt::join(op->bench_suites(), " or ")))->type_name("NAME")->capture_default_str();
        sub->add_option("--against", o.against, fmt::format("Peers, separated by commas: {}; none. {} if not given", fmt::join(bench::operator_peer_names(), ", "), fmt::join(op->bench_peers(), ",")))
            ->type_name("PEERS");
        op->add_kernel_options(*sub);
        o.how.add_to(*sub);
        add_json_option(*sub, o.json_path);
        sub->callback([&chosen, &op] { chosen = [&op] { return bench_operator(*op, o); }; });
    }
    CLI::App* all = command.add_subcommand("all", "Every operator on its default suite, in one report");
    all->add_option("--against", o.against, "Peers, separated by commas; each operator's own if not given")->type_name("PEERS");
    all->add_option("--markdown", o.markdown_path, "Write the report as Markdown there")->type_name("FILE");
    o.how.add_to(*all);
    add_json_option(*all, o.json_path);
    all->callback([&chosen] { chosen = [] { return bench_all(o); }; });
}

}  // namespace kittens::tool
