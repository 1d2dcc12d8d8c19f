// SPDX-License-Identifier: Apache-2.0
// kittens bench: a kernel against other libraries, in one process.
#include "bench_options.hpp"
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

struct bench_options {
    std::string suite = "cpu", against = "onednn,openblas,torch", isa, threads, type = "bf16", policy = "auto", wait = "default", seed,
                warm_ups = "10", rounds = "30", json_path;
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
int bench_ladder(const bench_options& o) {
    std::vector<bench::gemm_shape> shapes = gemm_shapes("quick", o.shapes);
    if (o.type != "bf16" || o.policy != "auto") throw user_error("--ladder measures its own policies in bf16: leave out --dtype and --policy");
    bench::protocol how;
    how.warm_ups = static_cast<int>(whole_number("--warm-ups", o.warm_ups, 1, 100'000));
    how.rounds = static_cast<int>(whole_number("--rounds", o.rounds, 1, 100'000));
    const int threads = o.threads.empty() ? 0 : static_cast<int>(whole_number("--threads", o.threads, 1, 4096));
    const bench::conditions wanted{parse_isa_cap(o.isa), bench::choose_processors(threads), false};
    const console out(o.json_path);
    bench::enter(wanted);

    const device where = find_device("cpu");
    bench::ladder_setting in{.where = where, .threads = wanted.threads(), .seed = o.seed.empty() ? fresh_seed() : seed_number(o.seed), .how = how};
    in.how.settle = false;  // nobody but ourselves
    const bench::interference others(wanted.processors);
    std::vector<bench::ladder_figures> figures;
    {
        progress bar("ladder", shapes.size() * static_cast<std::size_t>(how.warm_ups + how.rounds));
        figures = bench::run_gemm_ladder(shapes, in, [&] { bar.advance(); });
    }
    in.disturbance = others.so_far();
    out.print(bench::to_text(figures, in));
    out.write(bench::to_json(figures, in));
    return status_ok;
}

int bench_gemm(const bench_options& o) {
    if (o.ladder) return bench_ladder(o);
    bench::gemm_request request;
    request.in = parse_gemm_type(o.type);
    request.suite = o.shapes.empty() ? o.suite : "given";
    request.shapes = gemm_shapes(o.suite, o.shapes);
    request.peers = parse_peers(o.against);
    request.how.warm_ups = static_cast<int>(whole_number("--warm-ups", o.warm_ups, 1, 100'000));
    request.how.rounds = static_cast<int>(whole_number("--rounds", o.rounds, 1, 100'000));
    require_choice("wait policy", o.wait, {"default", "passive"});
    const int threads = o.threads.empty() ? 0 : static_cast<int>(whole_number("--threads", o.threads, 1, 4096));
    const bench::conditions wanted{parse_isa_cap(o.isa), bench::choose_processors(threads), o.wait == "passive"};
    const console out(o.json_path);

    // From here on in a process of its own: everything above is repeated there.
    bench::enter(wanted);
    request.seed = o.seed.empty() ? fresh_seed() : seed_number(o.seed);
    request.threads = wanted.threads();
    const device where = find_device("cpu");
    require_choice(fmt::format("gemm policy for {}", o.type), o.policy, gemm_policies_on(where, request.in));
    request.policy_of = [&](const bench::gemm_shape& s) { return bench::candidate_policy(where, request.in, o.policy, s); };
    if (std::erase(request.peers, unsplit) > 0 || request.suite == "deep") request.own.push_back(bench::unsplit_entrant(where, request.in, o.policy));
    const cpu_isa isa = *parse_cpu_isa(where.properties().isa);
    request.either_type = request.in == dtype::f16 || isa < cpu_isa::amx;

    bench::setting in{.request = request, .where = where};
    in.limit = bench::measure_peak(isa, request.in, request.threads);
    in.policy = o.policy;
    in.isa_cap = wanted.isa ? std::string(to_string(*wanted.isa)) : "";
    in.processors = wanted.processors;
    in.passive_waiting = wanted.passive_waiting;
    in.version = config::version;

    const bench::interference others(wanted.processors);
    bench::gemm_figures figures;
    {
        progress bar("gemm", request.shapes.size() * static_cast<std::size_t>(request.how.warm_ups + request.how.rounds));
        figures = bench::run_gemm_suite(request, where, bench::kernel_candidate(where, request.in, o.policy), {}, [&] { bar.advance(); });
    }
    in.disturbance = others.so_far();
    out.print(bench::to_text(figures, in));
    out.write(bench::to_json(figures, in));
    return figures.passed() ? status_ok : status_failed;
}

}  // namespace

void add_bench(CLI::App& program, action& chosen) {
    CLI::App* command = program.add_subcommand("bench", "Measure a kernel against other libraries, in turns in one process");
    command->require_subcommand(1);
    static bench_options o;
    CLI::App* gemm = command->add_subcommand("gemm", "C = A * B; A is M x K, B is K x N, row-major");
    gemm->add_option("--suite", o.suite, "paper (27 shapes), cpu (the same, each dimension divided by 4) quick (5 of these), or deep (small M and N, long K; also against the same tiles with K not split)")->type_name("NAME")->capture_default_str();
    gemm->add_option("--shape", o.shapes, "Measure MxNxK instead of a suite; may be repeated")->type_name("MxNxK")->allow_extra_args(false);
    gemm->add_option("--against", o.against, "Peers, separated by commas: onednn, torch, mkl, openblas; NAME:fp32 for a peer's single precision; unsplit: ours without its split of K; none")->type_name("PEERS")->capture_default_str();
    gemm->add_option("--dtype", o.type, "Element type: bf16, fp16 or int8")->type_name("TYPE")->capture_default_str();
    gemm->add_option("--policy", o.policy, "auto (the table of measured choices), a named policy, or a tile of the cpu target, e.g. 128x256x1024")->type_name("NAME")->capture_default_str();
    gemm->add_option("--isa", o.isa, "Cap everybody's instruction set: avx2, avx512, avx512_bf16 or amx; KITTENS_MAX_CPU_ISA if not given")->type_name("LEVEL");
    gemm->add_option("--threads", o.threads, "Threads of everybody; one for each core if not given")->type_name("T");
    gemm->add_option("--warm-ups", o.warm_ups, "Rounds that are not kept")->type_name("W")->capture_default_str();
    gemm->add_option("--rounds", o.rounds, "Rounds that are kept")->type_name("R")->capture_default_str();
    gemm->add_option("--wait-policy", o.wait, "How idle OpenMP threads wait: default (they poll for a while) or passive")->type_name("HOW")->capture_default_str();
    gemm->add_option("--seed", o.seed, "Seed of the data; a fresh one if not given")->type_name("S");
    gemm->add_flag("--ladder", o.ladder, "The steps of the method against each other instead (where B is packed, who prefetches), on --shape or suite quick");
    add_json_option(*gemm, o.json_path);
    gemm->callback([&chosen] { chosen = [] { return bench_gemm(o); }; });
    add_operator_benches(*command, chosen);
}

}  // namespace kittens::tool
