// SPDX-License-Identifier: Apache-2.0
// kittens bench OPERATOR and kittens bench all.
#include "bench_report.hpp"
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
#include <filesystem>

namespace kittens::tool {

namespace {

namespace fs = std::filesystem;

struct operator_options {
    bench_conditions how;
    std::string suite = "default", against, json_path, markdown_path, figures_path;
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
    m.request.policy = op.bench_policy();
    m.request.peers = std::move(peers);
    m.request.how = how;
    m.request.threads = under.threads();
    m.request.seed = seed;
    m.request.isa_cap = under.isa ? std::string(to_string(*under.isa)) : "";
    bench::interference others(under.processors);
    m.request.how.watch = &others;
    progress bar(op.name(), m.request.problems.size() * static_cast<std::size_t>(how.warm_ups + how.rounds));
    m.figures = bench::run_operator_suite(m.request, where, [&] { bar.advance(); });
    m.disturbance = others.so_far();
    m.request.how.watch = nullptr;  // m outlives it
    return m;
}

bench_report report_of(const measured& m, const device& where, const bench::peak& limit, const bench::conditions& under) {
    bench::operator_setting in{.request = m.request, .where = where};
    in.processor = bench::processor_name();
    in.limit = limit;
    in.processors = under.processors;
    in.passive_waiting = under.passive_waiting;
    in.disturbance = m.disturbance;
    in.version = config::version;
    return {m.request.operation, bench::to_text(m.figures, in), bench::to_markdown(m.figures, in), bench::to_json(m.figures, in), m.figures.passed()};
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
    const bench_report r = report_of(m, where, limit, wanted);
    out.print(r.text);
    out.write(r.figures);
    return r.passed ? status_ok : status_failed;
}

/// Of the peers that are named for all kernels, those that GEMM can have, as its --against; empty for its own.
std::string gemm_peers(const operator_options& o, const std::vector<std::string>& chosen) {
    if (o.against.empty()) return "";
    std::vector<std::string> known;
    for (const std::string& p : bench::peer_names())
        if (std::find(chosen.begin(), chosen.end(), p) != chosen.end()) known.push_back(p);
    return known.empty() ? "none" : fmt::format("{}", fmt::join(known, ","));
}

/// The charts of `bench all`: one of each kernel that could be compared with somebody, and one of all.
class charts {
public:
    /// Makes the folder. Throws user_error where nothing can be drawn or written there.
    explicit charts(const std::string& folder) : folder_(folder) {
        if (folder.empty()) return;
        require_drawing();
        std::error_code error;
        fs::create_directories(folder, error);
        if (error) throw user_error(fmt::format("--figures: cannot make {} ({}); name a folder that can be written", folder, error.message()));
        (void)file("all");
    }
    bool has(const bench_report& r) const { return !folder_.empty() && has_comparison(r.figures); }
    /// The place of a kernel's chart as a Markdown file names it.
    std::string reference(const std::string& kernel, const std::string& markdown) const {
        return (fs::absolute(folder_).lexically_normal() / (kernel + ".svg")).lexically_proximate(fs::absolute(markdown).lexically_normal().parent_path());
    }
    void draw(const std::string& name, const json& figures) const { file(name).write(draw_figures(figures, ".svg")); }

private:
    output_file file(const std::string& name) const { return {fs::path(folder_) / (name + ".svg"), "--figures"}; }

    std::string folder_;
};

int bench_all(const operator_options& o) {
    const bench::protocol how = o.how.protocol();
    require_choice("suite", o.suite, {"default", "quick"});
    const bench::conditions wanted = o.how.conditions();
    const std::vector<std::string> chosen = o.against.empty() ? std::vector<std::string>{} : parse_operator_peers(o.against);
    const console out(o.json_path);
    std::optional<output_file> markdown;
    if (!o.markdown_path.empty()) markdown.emplace(o.markdown_path, "--markdown");
    const charts pictures(o.figures_path);

    bench::enter(wanted);
    const device where = find_device("cpu");
    const std::uint64_t seed = o.how.seed.empty() ? fresh_seed() : seed_number(o.how.seed);
    std::vector<bench_report> all{bench_gemm_suite(o.suite == "quick" ? "quick" : "cpu", gemm_peers(o, chosen), o.how, wanted, seed)};
    for (const auto& op : operations()) {
        if (op->bench_suites().empty()) continue;
        op->check_kernel_options();
        const auto limit = bench::measure_peak(*parse_cpu_isa(where.properties().isa), op->element_type(), wanted.threads());
        const measured m = measure(*op, o.suite, o.against.empty() ? op->bench_peers() : chosen, how, wanted, where, seed);
        all.push_back(report_of(m, where, limit, wanted));
    }

    std::string text, page = "# Benchmarks of all kernels\n\n";
    json document = {{"version", config::version}, {"suite", o.suite}, {"reports", json::array()}, {"passed", true}};
    for (const bench_report& r : all) {
        text += r.text + "\n";
        page += r.markdown;
        if (markdown && pictures.has(r)) page += fmt::format("![{}]({})\n\n", r.kernel, pictures.reference(r.kernel, o.markdown_path));
        document["reports"].push_back(r.figures);
        if (!r.passed) document["passed"] = false;
    }
    out.print(text);
    if (markdown) markdown->write(page);
    out.write(document);
    for (const bench_report& r : all)
        if (pictures.has(r)) pictures.draw(r.kernel, r.figures);
    if (std::any_of(all.begin(), all.end(), [&](const bench_report& r) { return pictures.has(r); })) pictures.draw("all", document);
    return document["passed"] ? status_ok : status_failed;
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
    CLI::App* all = command.add_subcommand("all", "Every kernel on one of its suites, in one report");
    all->add_option("--suite", o.suite, "default or quick")->type_name("NAME")->capture_default_str();
    all->add_option("--against", o.against, "Peers, separated by commas, for whatever kernel they have; each kernel's own if not given; none")->type_name("PEERS");
    all->add_option("--markdown", o.markdown_path, "Write the report as Markdown there")->type_name("FILE");
    all->add_option("--figures", o.figures_path, "Draw KERNEL.svg for each kernel that has been compared, and all.svg, in this folder")->type_name("FOLDER");
    o.how.add_to(*all);
    add_json_option(*all, o.json_path);
    all->callback([&chosen] { chosen = [] { return bench_all(o); }; });
}

}  // namespace kittens::tool
