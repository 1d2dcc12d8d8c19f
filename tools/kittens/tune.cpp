// SPDX-License-Identifier: Apache-2.0
// kittens tune: measures the compiled policies of a kernel against each other, or ranks them by machine code, and writes what to choose.
#include "commands.hpp"
#include "console.hpp"
#include "text.hpp"
#include "tuning.hpp"

#include "attention/attention_choice.hpp"
#include "gemm/gemm_machine_tune.hpp"
#include "gemm/gemm_shapes.hpp"

#include <bench/gemm_bench.hpp>
#include <bench/gemm_choice.hpp>
#include <gemm/choices.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>

namespace kittens::tool {

namespace {

/// What a table holds already stays.
template <class Table> std::shared_ptr<Table> table_in(const std::string& file) {
    if (!std::filesystem::exists(file)) return std::make_shared<Table>();
    try {
        return std::make_shared<Table>(Table::read(file));
    } catch (const std::runtime_error& e) {
        throw user_error(e.what());
    }
}

struct gemm_tune_options : tuning_options {
    std::string suite, type = "bf16", target = "cpu", device, cores;
    std::vector<std::string> shapes;
};

std::string key_of(const bench::gemm_shape& s) { return fmt::format("{}x{}x{}", s.m, s.n, s.k); }

std::vector<timing> measure(const device& where, dtype in, const bench::gemm_shape& shape, const std::vector<std::string>& policies, const bench::protocol& how,
                            std::uint64_t seed, const std::function<void()>& tick) {
    bench::gemm_data data(where, shape, in, seed);
    const dtype out = bench::output_of(in);
    std::vector<buffer<std::byte>> results;
    std::vector<bench::contender> contenders;
    for (const std::string& policy : policies) {
        results.push_back(data.output(out));
        const auto run = bench::kernel_candidate(where, in, policy)(shape, data.a(in), data.b(in), results.back().data());
        run();
        if (const bench::verdict v = data.check(results.back().data(), out); !v.passed())
            throw std::runtime_error(fmt::format("wrong result: policy {} on {}: {}", policy, key_of(shape), v.failure));
        contenders.push_back({policy, run});
    }
    return shortest_runs(contenders, how, tick);
}

int tune_gemm(const gemm_tune_options& o) {
    const dtype in = parse_gemm_type(o.type);
    require_choice("target to tune for", o.target, {"cpu", "xe"});
    const bool xe = o.target == "xe";
    const std::vector<bench::gemm_shape> shapes = gemm_shapes(!o.suite.empty() ? o.suite : xe ? "paper" : "cpu", o.shapes);
    // What is for the other target would be ignored.
    const std::pair<const char*, const std::string&> of_measuring[] = {{"--isa", o.isa}, {"--threads", o.threads}, {"--warm-ups", o.warm_ups}, {"--rounds", o.rounds}, {"--seed", o.seed}};
    const std::pair<const char*, const std::string&> of_code[] = {{"--device", o.device}, {"--cores", o.cores}};
    if (xe) {
        const tuning_options usual;
        const std::string defaults[] = {usual.isa, usual.threads, usual.warm_ups, usual.rounds, usual.seed};
        for (std::size_t i = 0; i < std::size(of_measuring); ++i)
            if (of_measuring[i].second != defaults[i]) throw user_error(fmt::format("{} is for measuring; with --target xe nothing is run: leave it out", of_measuring[i].first));
        return tune_gemm_by_machine_code(o, {in, shapes, o.device.empty() ? "pvc" : o.device, o.cores});
    }
    for (const auto& [option, value] : of_code)
        if (!value.empty()) throw user_error(fmt::format("{} is for --target xe: leave it out", option));
    return run_tuning("gemm", name_of(in), o, [&](const device& where, int threads) {
        const auto table = table_in<kernels::gemm_choices>(o.table);
        std::vector<std::string> policies = bench::compiled_tiles(where, in);
        policies.insert(policies.begin(), "default");
        std::vector<tuning_case> cases;
        for (const bench::gemm_shape& s : shapes)
            cases.push_back({key_of(s),
                             {{"m", s.m}, {"n", s.n}, {"k", s.k}},
                             1.0 * s.m * s.n * s.k,
                             [=](const bench::protocol& how, std::uint64_t seed, const std::function<void()>& tick) { return measure(where, in, s, policies, how, seed, tick); },
                             [=, isa = where.properties().isa, file = o.table](const std::string& policy, double gain) {
                                 table->set({"cpu", isa, name_of(in), threads, s.m, s.n, s.k, policy, gain});
                                 table->write(file);
                             }});
        return cases;
    });
}

struct attention_tune_options : tuning_options {
    std::string suite = "default", type = "bf16";
    std::vector<std::string> shapes;
};

int tune_attention(const attention_tune_options& o) {
    require_choice("element type", o.type, {"bf16", "fp16"});
    const std::vector<kernels::attention_request> problems = attention_tune_problems(o.suite, o.shapes, o.type == "fp16" ? dtype::f16 : dtype::bf16);
    return run_tuning("attention", o.type, o, [&](const device& where, int threads) {
        const auto table = table_in<kernels::attention_choices>(o.table);
        std::vector<tuning_case> cases;
        for (const kernels::attention_request& r : problems) {
            kernels::attention_case c = attention_case_of(where, r);
            c.threads = threads;
            cases.push_back({attention_key(r),
                             {{"batch", r.batch}, {"heads", r.heads}, {"kv_heads", r.key_heads}, {"queries", r.queries}, {"keys", r.keys}, {"head_dim", r.dim}, {"causal", r.causal}},
                             1.0 * r.batch * r.heads * r.queries * r.keys,
                             [=](const bench::protocol& how, std::uint64_t seed, const std::function<void()>& tick) { return measure_attention(where, r, how, seed, tick); },
                             [=, file = o.table](const std::string& candidate, double gain) {
                                 const attention_candidate chosen = parse_attention_candidate(candidate);
                                 table->set({c, chosen.policy, chosen.splits, gain});
                                 table->write(file);
                             }});
        }
        return cases;
    });
}

}  // namespace

void add_tune(CLI::App& program, action& chosen) {
    CLI::App* command = program.add_subcommand("tune", "Measure the policies of a kernel, or rank them by machine code, and write which to choose");
    command->require_subcommand(1);
    static gemm_tune_options g;
    CLI::App* gemm = command->add_subcommand("gemm", "C = A * B: measured on target cpu; ranked by machine code, not measured, for target xe");
    gemm->add_option("--target", g.target, "cpu, or xe: candidates are compiled for a GPU and ranked by their machine code; needs no GPU")->type_name("TARGET")->capture_default_str();
    gemm->add_option("--device", g.device, "With --target xe: pvc (Max 1550; if not given), bmg (Xe2) or cri (Crescent Island)")->type_name("GPU");
    gemm->add_option("--cores", g.cores, "With --target xe: Xe cores of the GPU, where it has others than the model")->type_name("N");
    gemm->add_option("--suite", g.suite, "paper, cpu, quick or deep, as for bench; cpu if not given, paper with --target xe")->type_name("NAME");
    gemm->add_option("--shape", g.shapes, "Measure MxNxK instead of a suite; may be repeated")->type_name("MxNxK")->allow_extra_args(false);
    gemm->add_option("--dtype", g.type, "Element type: bf16, fp16 or int8")->type_name("TYPE")->capture_default_str();
    g.add_to(*gemm);
    gemm->callback([&chosen] { chosen = [] { return tune_gemm(g); }; });

    static attention_tune_options a;
    CLI::App* attention = command->add_subcommand("attention", "Attention forward on target cpu, head dimension 128");
    attention->add_option("--suite", a.suite, "default (lengths 128 to 4096, batches, and decoding) or quick")->type_name("NAME")->capture_default_str();
    attention->add_option("--shape", a.shapes, "Measure BATCHxHEADS/KVHEADSxQUERIES:KEYS, with \",causal\" behind it, instead of a suite; may be repeated")->type_name("SHAPE")->allow_extra_args(false);
    attention->add_option("--dtype", a.type, "Element type: bf16 or fp16")->type_name("TYPE")->capture_default_str();
    a.add_to(*attention);
    attention->callback([&chosen] { chosen = [] { return tune_attention(a); }; });
}

}  // namespace kittens::tool
