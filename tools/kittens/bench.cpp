// SPDX-License-Identifier: Apache-2.0
// kittens bench: a kernel against other libraries, in one process.
#include "bench_report.hpp"
#include "build_config.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "progress.hpp"
#include "text.hpp"

#include "gemm/gemm_policies.hpp"
#include "gemm/gemm_shapes.hpp"

#include <bench/environment.hpp>
#include <bench/gemm_bench.hpp>
#include <bench/gemm_ladder.hpp>
#include <bench/report.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace kittens::tool {

namespace {

struct gemm_bench_options {
    bench_conditions how;
    std::string suite = "cpu", against = "onednn,openblas,torch", type = "bf16", policy = "auto", json_path;
    std::vector<std::string> shapes;
    bool ladder = false;
};

/// The peer that is ourselves: the same tiles without a split of K.
constexpr const char* unsplit = "unsplit";

std::vector<std::string> parse_peers(const std::string& list) {
    if (list == "none") return {};
    std::vector<std::string> peers = split(list, ',');
    std::vector<std::string> names = bench::peer_names();
    names.emplace_back(unsplit);
    for (const std::string& p : peers) require_choice("peer", p.substr(0, p.find(":fp32")), names);
    return peers;
}

/// The steps of the method against each other, no peers.
int bench_ladder(const gemm_bench_options& o) {
    std::vector<bench::gemm_shape> shapes = gemm_shapes("quick", o.shapes);
    if (o.type != "bf16" || o.policy != "auto") throw user_error("--ladder measures its own policies in bf16: leave out --dtype and --policy");
    const bench::protocol how = o.how.protocol();
    bench::conditions wanted = o.how.conditions();
    wanted.passive_waiting = false;
    const console out(o.json_path);
    bench::enter(wanted);

    const device where = find_device("cpu");
    bench::ladder_setting in{.where = where, .threads = wanted.threads(), .seed = o.how.seed.empty() ? fresh_seed() : seed_number(o.how.seed), .how = how};
    in.how.settle = false;  // nobody but ourselves
    bench::interference others(wanted.processors);
    in.how.watch = &others;
    std::vector<bench::ladder_figures> figures;
    {
        progress bar("ladder", shapes.size() * static_cast<std::size_t>(how.warm_ups + how.rounds));
        figures = bench::run_gemm_ladder(shapes, in, [&] { bar.advance(); });
    }
    in.disturbance = others.so_far();
    in.how.watch = nullptr;
    out.print(bench::to_text(figures, in));
    out.write(bench::to_json(figures, in));
    return status_ok;
}

bench::gemm_request request_of(const gemm_bench_options& o) {
    bench::gemm_request request;
    request.in = parse_gemm_type(o.type);
    request.suite = o.shapes.empty() ? o.suite : "given";
    request.shapes = gemm_shapes(o.suite, o.shapes);
    request.peers = parse_peers(o.against);
    request.how = o.how.protocol();
    return request;
}

/// In a process that has been entered.
bench_report measure(bench::gemm_request request, const std::string& policy, const bench::conditions& under, std::uint64_t seed) {
    request.seed = seed;
    request.threads = under.threads();
    const device where = find_device("cpu");
    require_choice(fmt::format("gemm policy for {}", name_of(request.in)), policy, gemm_policies_on(where, request.in));
    request.policy_of = [&](const bench::gemm_shape& s) { return bench::candidate_policy(where, request.in, policy, s); };
    if (std::erase(request.peers, unsplit) > 0 || request.suite == "deep") request.own.push_back(bench::unsplit_entrant(where, request.in, policy));
    const cpu_isa isa = *parse_cpu_isa(where.properties().isa);
    request.either_type = request.in == dtype::f16 || isa < cpu_isa::amx;

    bench::interference others(under.processors);
    request.how.watch = &others;
    bench::setting in{.request = request, .where = where};
    in.limit = bench::measure_peak(isa, request.in, request.threads);
    in.policy = policy;
    in.isa_cap = under.isa ? std::string(to_string(*under.isa)) : "";
    in.processors = under.processors;
    in.passive_waiting = under.passive_waiting;
    in.version = config::version;

    bench::gemm_figures figures;
    {
        progress bar("gemm", request.shapes.size() * static_cast<std::size_t>(request.how.warm_ups + request.how.rounds));
        figures = bench::run_gemm_suite(request, where, bench::kernel_candidate(where, request.in, policy), {}, [&] { bar.advance(); });
    }
    in.disturbance = others.so_far();
    return {"gemm", bench::to_text(figures, in), fmt::format("## gemm\n\n```\n{}```\n\n", bench::to_text(figures, in)), bench::to_json(figures, in), figures.passed()};
}

int bench_gemm(const gemm_bench_options& o) {
    if (o.ladder) return bench_ladder(o);
    const bench::gemm_request request = request_of(o);
    const bench::conditions wanted = o.how.conditions();
    const console out(o.json_path);
    // From here on in a process of its own: everything above is repeated there.
    bench::enter(wanted);
    const bench_report r = measure(request, o.policy, wanted, o.how.seed.empty() ? fresh_seed() : seed_number(o.how.seed));
    out.print(r.text);
    out.write(r.figures);
    return r.passed ? status_ok : status_failed;
}

}  // namespace

bench_report bench_gemm_suite(const std::string& suite, const std::string& peers, const bench_conditions& how, const bench::conditions& under, std::uint64_t seed) {
    gemm_bench_options o;
    o.how = how;
    o.suite = suite;
    if (!peers.empty()) o.against = peers;
    return measure(request_of(o), o.policy, under, seed);
}

void add_bench(CLI::App& program, action& chosen) {
    CLI::App* command = program.add_subcommand("bench", "Measure a kernel against other libraries, in turns in one process");
    command->require_subcommand(1);
    static gemm_bench_options o;
    CLI::App* gemm = command->add_subcommand("gemm", "C = A * B; A is M x K, B is K x N, row-major");
    gemm->add_option("--suite", o.suite, "paper (27 shapes), cpu (the same, each dimension divided by 4) quick (5 of these), or deep (small M and N, long K; also against the same tiles with K not split)")->type_name("NAME")->capture_default_str();
    gemm->add_option("--shape", o.shapes, "Measure MxNxK instead of a suite; may be repeated")->type_name("MxNxK")->allow_extra_args(false);
    gemm->add_option("--against", o.against, "Peers, separated by commas: onednn, torch, mkl, openblas; NAME:fp32 for a peer's single precision; unsplit: ours without its split of K; none")->type_name("PEERS")->capture_default_str();
    gemm->add_option("--dtype", o.type, "Element type: bf16, fp16 or int8")->type_name("TYPE")->capture_default_str();
    gemm->add_option("--policy", o.policy, "auto (the table of measured choices), a named policy, or a tile of the cpu target, e.g. 128x256x1024")->type_name("NAME")->capture_default_str();
    o.how.add_to(*gemm);
    gemm->add_flag("--ladder", o.ladder, "The steps of the method against each other instead (where B is packed, who prefetches), on --shape or suite quick");
    add_json_option(*gemm, o.json_path);
    gemm->callback([&chosen] { chosen = [] { return bench_gemm(o); }; });
    add_operator_benches(*command, chosen);
}

}  // namespace kittens::tool
