// SPDX-License-Identifier: Apache-2.0
// kittens tune: measures the compiled policies of a kernel against each other and writes what to choose.
#include "bench_options.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "progress.hpp"
#include "text.hpp"

#include "gemm/gemm_shapes.hpp"

#include <bench/environment.hpp>
#include <bench/gemm_bench.hpp>
#include <bench/gemm_choice.hpp>
#include <gemm/choices.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

namespace kittens::tool {

namespace {

namespace fs = std::filesystem;

struct tune_options {
    std::string suite = "cpu", type = "bf16", budget = "600", log, table, isa, threads, warm_ups = "2", rounds = "9", seed, json_path;
    std::vector<std::string> shapes;
};

/// Times of one policy on one shape, from a log or measured now.
struct timing {
    std::string policy;
    double seconds = 0;
};

/// What makes two measurements comparable.
struct surroundings_of_log {
    std::string device, isa, type;
    int threads = 1;
};

std::string key_of(const bench::gemm_shape& s) { return fmt::format("{}x{}x{}", s.m, s.n, s.k); }

/// Shapes that a log of the same device, instruction set, type and threads has whole: one line of JSON each. A line that was cut
/// off by an interruption does not count.
std::map<std::string, std::vector<timing>> read_log(const fs::path& file, const surroundings_of_log& now) {
    std::map<std::string, std::vector<timing>> known;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const json j = json::parse(line, nullptr, false);
        if (!j.is_object() || j.value("device", "") != now.device || j.value("isa", "") != now.isa || j.value("dtype", "") != now.type || j.value("threads", 0) != now.threads) continue;
        std::vector<timing> times;
        const json all = j.value("us", json::object());
        for (const auto& [policy, us] : all.items())
            if (us.is_number()) times.push_back({policy, us.get<double>() * 1e-6});
        known[j.value("shape", "")] = times;
    }
    return known;
}

void append_log(const fs::path& file, const surroundings_of_log& now, const bench::gemm_shape& shape, const std::vector<timing>& times) {
    json us = json::object();
    for (const timing& t : times) us[t.policy] = t.seconds * 1e6;
    // After an interruption the last line may lack its end.
    std::ifstream before(file, std::ios::binary | std::ios::ate);
    const bool cut = before && before.tellg() > 0 && (before.seekg(-1, std::ios::end), before.get() != '\n');
    std::ofstream out(file, std::ios::app);
    if (cut) out << '\n';
    out << json{{"device", now.device}, {"isa", now.isa}, {"dtype", now.type}, {"threads", now.threads}, {"shape", key_of(shape)}, {"us", us}}.dump() << std::endl;
    if (!out) throw user_error(fmt::format("cannot write {}", file.string()));
}

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
    bench::surroundings around = bench::real_surroundings();
    around.progress = tick;
    const std::vector<bench::samples> taken = bench::interleave(contenders, how, around);
    std::vector<timing> times;
    // The shortest run: whatever else the machine does only adds to the time, and a policy is no slower for it.
    for (std::size_t i = 0; i < policies.size(); ++i) times.push_back({policies[i], *std::min_element(taken[i].seconds.begin(), taken[i].seconds.end())});
    return times;
}

/// The fastest, but the default where it is as good: a difference of 1.5 % may be noise.
const timing& best_of(const std::vector<timing>& times) {
    constexpr double worth = 0.985;
    const auto least = std::min_element(times.begin(), times.end(), [](const timing& a, const timing& b) { return a.seconds < b.seconds; });
    const auto usual = std::find_if(times.begin(), times.end(), [](const timing& t) { return t.policy == "default"; });
    return usual != times.end() && least->seconds > worth * usual->seconds ? *usual : *least;
}

int tune_gemm(const tune_options& o) {
    using clock = std::chrono::steady_clock;
    const dtype in = parse_gemm_type(o.type);
    std::vector<bench::gemm_shape> shapes = gemm_shapes(o.suite, o.shapes);
    const auto budget = std::chrono::seconds(whole_number("--budget", o.budget, 1, 1'000'000));
    bench::conditions wanted;
    bench_conditions given;
    given.isa = o.isa, given.threads = o.threads, given.warm_ups = o.warm_ups, given.rounds = o.rounds;
    wanted = given.conditions();
    bench::protocol how = given.protocol();
    how.least_sample = 5e-4;
    how.settle = false;  // nobody but ourselves
    if (o.table.empty()) throw user_error("--table is missing: the file to write the choices to, e.g. kernels/gemm/choices.toml; what it holds already stays");
    const console out(o.json_path);
    bench::enter(wanted);

    const device where = find_device("cpu");
    const surroundings_of_log now{where.properties().name, where.properties().isa, name_of(in), wanted.threads()};
    kernels::gemm_choices table;
    if (fs::exists(o.table)) {
        try {
            table = kernels::gemm_choices::read(o.table);
        } catch (const std::runtime_error& e) {
            throw user_error(e.what());
        }
    }
    std::vector<std::string> policies = bench::compiled_tiles(where, in);
    policies.insert(policies.begin(), "default");
    // The small ones first: they are many and quick, and a budget that ends early has done most of them.
    std::sort(shapes.begin(), shapes.end(), [](const auto& a, const auto& b) { return 1.0 * a.m * a.n * a.k < 1.0 * b.m * b.n * b.k; });

    std::map<std::string, std::vector<timing>> known;
    if (!o.log.empty()) known = read_log(o.log, now);
    json results = json::array();
    std::vector<std::string> left;
    const auto start = clock::now();
    const std::uint64_t seed = o.seed.empty() ? fresh_seed() : seed_number(o.seed);
    out.print(fmt::format("tuning gemm {} on {} ({}), {} thread{}: {} policies, {} shapes, {} s\n", o.type, where.id(), now.device, now.threads, now.threads == 1 ? "" : "s",
                          policies.size(), shapes.size(), budget.count()));
    {
        progress bar("tune", shapes.size() * static_cast<std::size_t>(how.warm_ups + how.rounds));
        for (const bench::gemm_shape& shape : shapes) {
            std::vector<timing> times = known[key_of(shape)];
            const bool logged = !times.empty();
            if (logged) bar.advance(static_cast<std::uint64_t>(how.warm_ups + how.rounds));
            else {
                if (clock::now() - start > budget) {
                    left.push_back(key_of(shape));
                    continue;
                }
                times = measure(where, in, shape, policies, how, seed, [&] { bar.advance(); });
                if (!o.log.empty()) append_log(o.log, now, shape, times);
            }
            const timing& best = best_of(times);
            const auto usual = std::find_if(times.begin(), times.end(), [](const timing& t) { return t.policy == "default"; });
            const double gain = usual == times.end() ? 1 : usual->seconds / best.seconds;
            table.set({"cpu", now.isa, now.type, now.threads, shape.m, shape.n, shape.k, best.policy, gain});
            table.write(o.table);
            json us = json::object();
            for (const timing& t : times) us[t.policy] = t.seconds * 1e6;
            results.push_back({{"shape", {{"m", shape.m}, {"n", shape.n}, {"k", shape.k}}}, {"policy", best.policy}, {"gain", gain}, {"from_log", logged}, {"us", us}});
            out.print(fmt::format("{:<20} {:<14} {:>10}  {:.2f} of the default's speed{}\n", key_of(shape), best.policy, show_seconds(best.seconds), gain, logged ? ", from the log" : ""));
        }
    }
    if (!left.empty()) out.print(fmt::format("the budget ended with {} shapes left; {}\n", left.size(), o.log.empty() ? "give more, or --log FILE to go on another time" : "the same command goes on from the log"));
    out.print(fmt::format("choices: {}\n", o.table));
    out.write({{"kernel", "gemm"}, {"device", now.device}, {"isa", now.isa}, {"dtype", now.type}, {"threads", now.threads}, {"seed", seed}, {"entries", results}, {"left", left}});
    return status_ok;
}

}  // namespace

void add_tune(CLI::App& program, action& chosen) {
    CLI::App* command = program.add_subcommand("tune", "Measure the compiled policies of a kernel and write which to choose");
    command->require_subcommand(1);
    static tune_options o;
    CLI::App* gemm = command->add_subcommand("gemm", "C = A * B on target cpu");
    gemm->add_option("--suite", o.suite, "paper, cpu or quick, as for bench")->type_name("NAME")->capture_default_str();
    gemm->add_option("--shape", o.shapes, "Measure MxNxK instead of a suite; may be repeated")->type_name("MxNxK")->allow_extra_args(false);
    gemm->add_option("--dtype", o.type, "Element type: bf16, fp16 or int8")->type_name("TYPE")->capture_default_str();
    gemm->add_option("--budget", o.budget, "No shape is begun after so many seconds")->type_name("SECONDS")->capture_default_str();
    gemm->add_option("--log", o.log, "Append measured times to FILE, and take those from it that were measured before")->type_name("FILE");
    gemm->add_option("--table", o.table, "Write the choices to FILE (TOML), beside those that it holds")->type_name("FILE");
    gemm->add_option("--isa", o.isa, "Highest instruction set: avx2, avx512, avx512_bf16 or amx; KITTENS_MAX_CPU_ISA if not given")->type_name("LEVEL");
    gemm->add_option("--threads", o.threads, "Threads; one for each core if not given")->type_name("T");
    gemm->add_option("--warm-ups", o.warm_ups, "Rounds that are not kept")->type_name("W")->capture_default_str();
    gemm->add_option("--rounds", o.rounds, "Rounds that are kept")->type_name("R")->capture_default_str();
    gemm->add_option("--seed", o.seed, "Seed of the data; a fresh one if not given")->type_name("S");
    add_json_option(*gemm, o.json_path);
    gemm->callback([&chosen] { chosen = [] { return tune_gemm(o); }; });
}

}  // namespace kittens::tool
