// SPDX-License-Identifier: Apache-2.0
#include "gemm_ladder.hpp"

#include "columns.hpp"
#include "gemm_bench.hpp"

#include <kittens/runtime/queue.hpp>
#include <kittens/runtime/registry.hpp>

#include <fmt/format.h>
#include <gemm/cpu_ladder.hpp>
#include <gemm/gemm.hpp>
#include <gemm/pack_b.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

namespace kittens::bench {

namespace {

constexpr dtype in_type = dtype::bf16;
// Types and access decide what globals look like, and all steps agree in these.
using globals = kernels::gemm<kernels::plain_policy(in_type)>::globals;

/// B packed in memory, and how long that takes once the memory is there.
struct packed_b {
    buffer<bf16> memory;
    double seconds;

    packed_b(const device& where, const gemm_shape& s, const bf16* b, int threads)
        : memory(where, static_cast<std::size_t>(kernels::packed_rows<bf16>(s.k) * 2 * s.n)), seconds(1e9) {
        for (int attempt = 0; attempt < 5; ++attempt) {
            using clock = std::chrono::steady_clock;
            const std::int64_t rows = kernels::packed_rows<bf16>(s.k);
            const auto part = [&](int i) {
                const std::int64_t first = rows * i / threads, last = rows * (i + 1) / threads;
                const auto start = clock::now();
                kernels::pack_b(b, s.n, s.k, s.n, memory.data(), 2 * s.n, first, last);
                return std::chrono::duration<double>(clock::now() - start).count();
            };
            // The longest part: starting threads is not what is asked for.
            std::vector<double> took(static_cast<std::size_t>(threads));
            std::vector<std::thread> others;
            for (int i = 1; i < threads; ++i) others.emplace_back([&, i] { took[static_cast<std::size_t>(i)] = part(i); });
            took[0] = part(0);
            for (auto& t : others) t.join();
            seconds = std::min(seconds, *std::max_element(took.begin(), took.end()));
        }
    }
};

}  // namespace

std::size_t ladder_length() { return std::size(kernels::cpu_ladder) + 1; }

std::vector<ladder_figures> run_gemm_ladder(const std::vector<gemm_shape>& shapes, const ladder_setting& in, const std::function<void()>& tick) {
    std::vector<ladder_figures> all;
    for (const gemm_shape& s : shapes) {
        gemm_data data(in.where, s, in_type, in.seed);
        const auto* a = static_cast<const bf16*>(data.a(in_type));
        const auto* b = static_cast<const bf16*>(data.b(in_type));
        const packed_b packed(in.where, s, b, in.threads);
        ladder_figures figures{s, {}, packed.seconds};

        queue on(in.where);
        std::vector<buffer<std::byte>> results;
        std::vector<contender> contenders;
        const auto check = [&](std::size_t i, const char* when) {
            const verdict v = data.check(results[i].data(), output_of(in_type));
            if (!v.passed()) throw std::runtime_error(fmt::format("wrong result: step {} on {} x {} x {} {}: {}", figures.steps[i].name, s.m, s.n, s.k, when, v.failure));
            return v.relative_frobenius;
        };
        const auto add = [&](const std::string& name, const std::string& adds, const std::string& kernel, bool takes_packed) {
            results.push_back(data.output(output_of(in_type)));
            const kernel_record& record = kernel_for(in.where, kernel);
            const globals g{{a, 1, 1, s.m, s.k},
                            takes_packed ? decltype(globals::b){packed.memory.data(), 1, 1, static_cast<int>(kernels::packed_rows<bf16>(s.k)), 2 * s.n} : decltype(globals::b){b, 1, 1, s.k, s.n},
                            {reinterpret_cast<bf16*>(results.back().data()), 1, 1, s.m, s.n}};
            contenders.push_back({name, [&on, &record, g] { on.run(record, &g, sizeof g); }});
            figures.steps.push_back({name, adds, {}, {}, 0});
            contenders.back().run();
            figures.steps.back().relative_frobenius = check(results.size() - 1, "at first");
        };
        for (const auto& step : kernels::cpu_ladder) add(step.name, step.adds, fmt::format("cpu_ladder_{}", step.name), step.make(in_type).b == kernels::stored::packed);
        add("default", "one tile, a cache block, to a thread; no prefetch", "gemm_bf16_plain", false);

        surroundings around = real_surroundings();
        if (tick) around.progress = tick;
        const std::vector<samples> taken = interleave(contenders, in.how, around);
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            check(i, "after the measurement");
            figures.steps[i].seconds = summarise(taken[i].seconds);
            figures.steps[i].speed = summarise(ratios(taken[0].seconds, taken[i].seconds));
        }
        all.push_back(std::move(figures));
    }
    return all;
}

std::string to_text(const std::vector<ladder_figures>& figures, const ladder_setting& in) {
    const device_properties& d = in.where.properties();
    std::string text = fmt::format("gemm bf16, the steps on {} ({}), {} thread{}\n", in.where.id(), d.name, in.threads, in.threads == 1 ? "" : "s");
    const double lost = in.disturbance.others + in.disturbance.stolen;
    text += fmt::format("processor time taken by others meanwhile: {:.1f} %{}\n", 100 * lost, lost > 0.05 ? "; repeat this on a quiet machine, the figures are no result" : "");
    text += "\nSpeed relative to the first step; median of the rounds and quartiles.\n\n";
    std::vector<std::vector<std::string>> rows{{"step"}};
    for (const auto& f : figures) rows[0].push_back(fmt::format("{} x {} x {}", f.shape.m, f.shape.n, f.shape.k));
    rows[0].emplace_back("what is new");
    for (std::size_t i = 0; i < ladder_length(); ++i) {
        rows.push_back({figures.front().steps[i].name});
        for (const auto& f : figures) rows.back().push_back(fmt::format("{:.2f} ({:.2f}-{:.2f})", f.steps[i].speed.median, f.steps[i].speed.q1, f.steps[i].speed.q3));
        rows.back().push_back(figures.front().steps[i].adds);
    }
    rows.push_back({"the first step's time"});
    for (const auto& f : figures) rows.back().push_back(time_text(f.steps[0].seconds.median));
    rows.push_back({"packing B ahead, once"});
    for (const auto& f : figures) rows.back().push_back(time_text(f.packing_seconds));
    return text + aligned(rows);
}

nlohmann::ordered_json to_json(const std::vector<ladder_figures>& figures, const ladder_setting& in) {
    using json = nlohmann::ordered_json;
    json entries = json::array();
    for (const auto& f : figures) {
        json us = json::object();
        const ladder_step_figures* fastest = nullptr;
        double usual = 0;
        for (const auto& s : f.steps) {
            us[s.name] = s.seconds.median * 1e6;
            if (!fastest || s.seconds.median < fastest->seconds.median) fastest = &s;
            if (s.name == "default") usual = s.seconds.median;
        }
        entries.push_back({{"shape", {{"m", f.shape.m}, {"n", f.shape.n}, {"k", f.shape.k}}}, {"policy", fastest->name}, {"gain", usual / fastest->seconds.median}, {"from_log", false}, {"us", us}});
    }
    const device_properties& d = in.where.properties();
    return {{"kernel", "gemm"}, {"device", d.name}, {"isa", d.isa}, {"dtype", name_of(in_type)}, {"threads", in.threads}, {"seed", in.seed}, {"entries", entries}, {"left", json::array()}};
}

}  // namespace kittens::bench
