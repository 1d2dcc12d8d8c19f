// SPDX-License-Identifier: Apache-2.0
#include "tuning.hpp"

#include "commands.hpp"
#include "progress.hpp"
#include "text.hpp"

#include <bench/environment.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>

namespace kittens::tool {

namespace {

/// What makes two measurements comparable.
struct surroundings_of_log {
    std::string device, isa, type;
    int threads = 1;
};

/// Shapes that a log of the same device, instruction set, type and threads has whole: one line of JSON each. A line that was cut
/// off by an interruption does not count.
std::map<std::string, std::vector<timing>> read_log(const std::string& file, const surroundings_of_log& now) {
    std::map<std::string, std::vector<timing>> known;
    for (const json& j : read_log_lines(file)) {
        if (j.value("device", "") != now.device || j.value("isa", "") != now.isa || j.value("dtype", "") != now.type || j.value("threads", 0) != now.threads) continue;
        std::vector<timing> times;
        const json all = j.value("us", json::object());
        for (const auto& [policy, us] : all.items())
            if (us.is_number()) times.push_back({policy, us.get<double>() * 1e-6});
        known[j.value("shape", "")] = times;
    }
    return known;
}

void append_log(const std::string& file, const surroundings_of_log& now, const std::string& shape, const std::vector<timing>& times) {
    json us = json::object();
    for (const timing& t : times) us[t.policy] = t.seconds * 1e6;
    append_log_line(file, {{"device", now.device}, {"isa", now.isa}, {"dtype", now.type}, {"threads", now.threads}, {"shape", shape}, {"us", us}});
}

}  // namespace

std::vector<json> read_log_lines(const std::string& file) {
    std::vector<json> lines;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (json j = json::parse(line, nullptr, false); j.is_object()) lines.push_back(std::move(j));
    return lines;
}

void append_log_line(const std::string& file, const json& line) {
    // After an interruption the last line may lack its end.
    std::ifstream before(file, std::ios::binary | std::ios::ate);
    const bool cut = before && before.tellg() > 0 && (before.seekg(-1, std::ios::end), before.get() != '\n');
    std::ofstream out(file, std::ios::app);
    if (cut) out << '\n';
    out << line.dump() << std::endl;
    if (!out) throw user_error(fmt::format("cannot write {}", file));
}

std::int64_t tuning_options::budget_seconds() const { return whole_number("--budget", budget, 1, 1'000'000); }

void tuning_options::require_table(const std::string& kernel) const {
    if (table.empty()) throw user_error(fmt::format("--table is missing: the file to write the choices to, e.g. kernels/{}/choices.toml; what it holds already stays", kernel));
}

void tuning_options::add_to(CLI::App& command) {
    command.add_option("--budget", budget, "Nothing is begun after so many seconds")->type_name("SECONDS")->capture_default_str();
    command.add_option("--log", log, "Append what was measured or compiled to FILE, and take from it what is there")->type_name("FILE");
    command.add_option("--table", table, "Write the choices to FILE (TOML), beside those that it holds")->type_name("FILE");
    command.add_option("--isa", isa, "Highest instruction set: avx2, avx512, avx512_bf16 or amx; KITTENS_MAX_CPU_ISA if not given")->type_name("LEVEL");
    command.add_option("--threads", threads, "Threads; one for each core if not given")->type_name("T");
    command.add_option("--warm-ups", warm_ups, "Rounds that are not kept")->type_name("W")->capture_default_str();
    command.add_option("--rounds", rounds, "Rounds that are kept")->type_name("R")->capture_default_str();
    command.add_option("--seed", seed, "Seed of the data; a fresh one if not given")->type_name("S");
    add_json_option(command, json_path);
}

std::vector<timing> shortest_runs(const std::vector<bench::contender>& contenders, const bench::protocol& how, const std::function<void()>& tick) {
    bench::surroundings around = bench::real_surroundings();
    around.progress = tick;
    const std::vector<bench::samples> taken = bench::interleave(contenders, how, around);
    std::vector<timing> times;
    for (std::size_t i = 0; i < contenders.size(); ++i) times.push_back({contenders[i].name, *std::min_element(taken[i].seconds.begin(), taken[i].seconds.end())});
    return times;
}

const timing& best_of(const std::vector<timing>& times) {
    constexpr double worth = 0.985;
    const auto least = std::min_element(times.begin(), times.end(), [](const timing& a, const timing& b) { return a.seconds < b.seconds; });
    const auto usual = std::find_if(times.begin(), times.end(), [](const timing& t) { return t.policy == "default"; });
    return usual != times.end() && least->seconds > worth * usual->seconds ? *usual : *least;
}

int run_tuning(const std::string& kernel, const std::string& type, const tuning_options& o, const std::function<std::vector<tuning_case>(const device& where, int threads)>& cases) {
    using clock = std::chrono::steady_clock;
    const auto budget = std::chrono::seconds(o.budget_seconds());
    bench_conditions given;
    given.isa = o.isa, given.threads = o.threads, given.warm_ups = o.warm_ups, given.rounds = o.rounds;
    const bench::conditions wanted = given.conditions();
    bench::protocol how = given.protocol();
    how.least_sample = 5e-4;
    how.settle = false;  // nobody but ourselves
    o.require_table(kernel);
    const console out(o.json_path);
    bench::enter(wanted);

    const device where = find_device("cpu");
    const surroundings_of_log now{where.properties().name, where.properties().isa, type, wanted.threads()};
    std::vector<tuning_case> all = cases(where, wanted.threads());
    // The small ones first: they are many and quick, and a budget that ends early has done most of them.
    std::sort(all.begin(), all.end(), [](const tuning_case& a, const tuning_case& b) { return a.work < b.work; });

    std::map<std::string, std::vector<timing>> known;
    if (!o.log.empty()) known = read_log(o.log, now);
    json results = json::array();
    std::vector<std::string> left;
    const auto start = clock::now();
    const std::uint64_t seed = o.seed.empty() ? fresh_seed() : seed_number(o.seed);
    out.print(fmt::format("tuning {} {} on {} ({}), {} thread{}: {} shapes, {} s\n", kernel, type, where.id(), now.device, now.threads, now.threads == 1 ? "" : "s", all.size(), budget.count()));
    {
        progress bar("tune", all.size() * static_cast<std::size_t>(how.warm_ups + how.rounds));
        for (const tuning_case& one : all) {
            std::vector<timing> times = known[one.key];
            const bool logged = !times.empty();
            if (logged) bar.advance(static_cast<std::uint64_t>(how.warm_ups + how.rounds));
            else {
                if (clock::now() - start > budget) {
                    left.push_back(one.key);
                    continue;
                }
                times = one.measure(how, seed, [&] { bar.advance(); });
                if (!o.log.empty()) append_log(o.log, now, one.key, times);
            }
            const timing& best = best_of(times);
            const auto usual = std::find_if(times.begin(), times.end(), [](const timing& t) { return t.policy == "default"; });
            const double gain = usual == times.end() ? 1 : usual->seconds / best.seconds;
            one.record(best.policy, gain);
            json us = json::object();
            for (const timing& t : times) us[t.policy] = t.seconds * 1e6;
            results.push_back({{"shape", one.shape}, {"policy", best.policy}, {"gain", gain}, {"from_log", logged}, {"us", us}});
            out.print(fmt::format("{:<32} {:<14} {:>10}  {:.2f} of the default's speed{}\n", one.key, best.policy, show_seconds(best.seconds), gain, logged ? ", from the log" : ""));
        }
    }
    if (!left.empty()) out.print(fmt::format("the budget ended with {} shapes left; {}\n", left.size(), o.log.empty() ? "give more, or --log FILE to go on another time" : "the same command goes on from the log"));
    out.print(fmt::format("choices: {}\n", o.table));
    out.write({{"kernel", kernel}, {"device", now.device}, {"isa", now.isa}, {"dtype", now.type}, {"threads", now.threads}, {"seed", seed}, {"entries", results}, {"left", left}});
    return status_ok;
}

}  // namespace kittens::tool
