// SPDX-License-Identifier: Apache-2.0
#include "gemm_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace kittens::tool {

namespace {

std::int64_t pieces(std::int64_t all, std::int64_t each) { return (all + each - 1) / each; }

/// Panels (rows of workgroup tiles, columns of them) that `count` workgroups in a row touch.
std::pair<double, double> panels_touched(const kernels::xe_choice& c, std::int64_t count, std::int64_t rows, std::int64_t cols) {
    const bool by_rows = c.order == kernels::tile_order::grouped;
    const std::int64_t across_all = by_rows ? rows : cols, along_all = by_rows ? cols : rows;
    const std::int64_t across = c.order == kernels::tile_order::linear ? across_all : std::min<std::int64_t>(c.band, across_all);
    const std::int64_t bands = pieces(count, across * along_all);
    const std::int64_t along = std::min(along_all, pieces(std::min(count, across * along_all), across));
    const double a = static_cast<double>(std::min(count, std::min(across_all, bands * across))), b = static_cast<double>(along);
    return by_rows ? std::pair{a, b} : std::pair{b, a};
}

}  // namespace

gpu_model model_of(inspect::gpu device, int cores) {
    gpu_model g;
    g.device = device;
    // Rates of a core are the vendor's for the architecture; latencies and the launch are round stand-ins of the right size, the same for all.
    switch (device) {
    case inspect::gpu::pvc:
        g.cores = 56, g.dpas_clocks = 8, g.l1_rate = 512, g.l2_rate = 64, g.memory_rate = 1024, g.l1_bytes = 512 << 10, g.l2_bytes = 204e6;
        g.grounds = "one stack of a Max 1550: 56 Xe cores of 8 engines, 512 KiB of L1, 204 MB of L2, 1.6 TB/s at 1.6 GHz";
        break;
    case inspect::gpu::bmg:
        g.cores = 20, g.dpas_clocks = 16, g.l1_rate = 512, g.l2_rate = 64, g.memory_rate = 170, g.l1_bytes = 256 << 10, g.l2_bytes = 18e6;
        g.grounds = "an Arc B580: 20 Xe cores of 8 engines, 256 KiB of L1, 18 MB of L2, 456 GB/s at 2.7 GHz";
        break;
    case inspect::gpu::cri:
        g.cores = 32, g.dpas_clocks = 8, g.l1_rate = 512, g.l2_rate = 64, g.memory_rate = 512, g.l1_bytes = 256 << 10, g.l2_bytes = 32e6;
        g.grounds = "assumed, nothing of it published: 32 Xe cores of 8 engines, 256 KiB of L1, 32 MB of L2, 512 bytes of memory per clock; --cores changes the number";
        break;
    }
    if (cores > 0) {
        g.memory_rate *= static_cast<double>(cores) / g.cores;
        g.cores = cores;
    }
    return g;
}

code_figures figures_of(const inspect::kernel_report& kernel) {
    code_figures f;
    f.spill_bytes = kernel.spill_bytes;
    // As many registers as there are among the threads of an engine: 1024 of 64 bytes.
    f.threads_per_engine = kernel.threads_per_eu ? kernel.threads_per_eu : kernel.grf ? std::max(1u, 1024 / kernel.grf) : 4;
    if (!kernel.main_loop || kernel.main_loop->counts.dpas == 0) {
        f.unusable = "no main loop with dpas was found in its code";
        return f;
    }
    const inspect::loop_report& loop = *kernel.main_loop;
    if (loop.k_steps == 0 || !loop.loaded_bytes || !loop.prefetched_bytes) {
        f.unusable = "its main loop could not be counted per step of K";
        return f;
    }
    const double steps = loop.k_steps;
    f.instructions = loop.counts.instructions / steps;
    f.dpas = loop.counts.dpas / steps;
    f.sends = loop.counts.sends() / steps;
    f.loaded_bytes = *loop.loaded_bytes / steps;
    f.prefetched_bytes = *loop.prefetched_bytes / steps;
    for (const inspect::block_send& b : loop.blocks)
        if (b.shape) f.lines += b.shape->height * std::ceil(b.shape->element_bytes * b.shape->width * b.shape->count / 64.0) / steps;
    f.outside = static_cast<double>(kernel.counts.instructions) - loop.counts.instructions;
    return f;
}

json to_json(const code_figures& f) {
    if (!f.unusable.empty()) return {{"unusable", f.unusable}};
    return {{"spill_bytes", f.spill_bytes}, {"threads_per_engine", f.threads_per_engine}, {"instructions", f.instructions}, {"dpas", f.dpas}, {"sends", f.sends}, {"loaded_bytes", f.loaded_bytes},
            {"prefetched_bytes", f.prefetched_bytes}, {"lines", f.lines}, {"outside", f.outside}};
}

std::optional<code_figures> code_figures_from(const json& j) {
    if (!j.is_object()) return {};
    code_figures f;
    if (j.contains("unusable")) {
        if (!j["unusable"].is_string() || j["unusable"].get<std::string>().empty()) return {};
        f.unusable = j["unusable"].get<std::string>();
        return f;
    }
    const std::pair<const char*, double code_figures::*> numbers[] = {{"instructions", &code_figures::instructions}, {"dpas", &code_figures::dpas}, {"sends", &code_figures::sends},
        {"loaded_bytes", &code_figures::loaded_bytes}, {"prefetched_bytes", &code_figures::prefetched_bytes}, {"lines", &code_figures::lines}, {"outside", &code_figures::outside}};
    for (const auto& [name, member] : numbers) {
        if (!j.contains(name) || !j[name].is_number()) return {};
        f.*member = j[name].get<double>();
    }
    const std::pair<const char*, unsigned code_figures::*> counts[] = {{"spill_bytes", &code_figures::spill_bytes}, {"threads_per_engine", &code_figures::threads_per_engine}};
    for (const auto& [name, member] : counts) {
        if (!j.contains(name) || !j[name].is_number_unsigned()) return {};
        f.*member = j[name].get<unsigned>();
    }
    if (f.dpas <= 0 || f.threads_per_engine == 0) return {};
    return f;
}

ranked rank_one(const rank_candidate& candidate, const rank_problem& p, const gpu_model& gpu) {
    const kernels::xe_choice& c = candidate.choice;
    const code_figures& code = candidate.code;
    ranked r{.policy = candidate.policy, .disqualified = code.unusable};
    if (!r.disqualified.empty()) return r;
    r.slots_per_dpas = code.slots_per_dpas();
    const std::int64_t subgroups = c.subgroups(), engines = gpu.engines, held = std::int64_t{code.threads_per_engine} * engines;
    if (code.spill_bytes > 0) r.disqualified = fmt::format("spills {} bytes per thread", code.spill_bytes);
    else if (subgroups > held) r.disqualified = fmt::format("a workgroup has {} subgroups, a core holds {} threads", subgroups, held);
    const std::int64_t all_steps = pieces(p.k, c.k_step), parts = c.split ? std::max(1, c.parts) : 1;
    if (r.disqualified.empty() && parts > all_steps) r.disqualified = fmt::format("K has {} steps, fewer than {} planes", all_steps, parts);
    if (!r.disqualified.empty()) return r;

    // Who works.
    const std::int64_t rows = pieces(p.m, std::int64_t{c.tile_m} * c.sg_rows), cols = pieces(p.n, std::int64_t{c.tile_n} * c.sg_cols), tiles = rows * cols;
    r.workgroups = tiles * parts;
    r.rounds = pieces(r.workgroups, gpu.cores);
    const std::int64_t together = std::min(r.rounds, held / subgroups);  // on a core
    const std::int64_t n = pieces(r.rounds * subgroups, engines);
    r.threads = static_cast<double>(std::min<std::int64_t>({n, code.threads_per_engine, pieces(together * subgroups, engines)}));

    // Pipes, in clocks of one engine for a subgroup's step of K.
    const double step_bytes = static_cast<double>(c.k_step) * p.element_bytes, tile_rows = c.tile_m * c.sg_rows, tile_cols = c.tile_n * c.sg_cols;
    const double panels = (tile_rows + tile_cols) * step_bytes;
    const double matrix = code.dpas * gpu.dpas_clocks, issue = code.instructions - code.dpas;
    const double l1 = code.lines * 64 / (gpu.l1_rate / engines), l2 = panels / static_cast<double>(subgroups) / (gpu.l2_rate / engines);
    const std::int64_t at_once = std::min(r.workgroups, together * gpu.cores), planes_at_once = pieces(at_once, tiles);
    const auto [panels_a, panels_b] = panels_touched(c, std::min(at_once, tiles), rows, cols);
    const double subgroup_steps = static_cast<double>(together * subgroups) / engines;  // of an engine, while all that run at once make one step
    double memory = static_cast<double>(planes_at_once) * (panels_a * tile_rows + panels_b * tile_cols) * step_bytes / gpu.memory_rate / subgroup_steps;
    const double steps = std::ceil(static_cast<double>(all_steps) / static_cast<double>(parts)), operands = static_cast<double>(p.k) * static_cast<double>(p.m + p.n) * p.element_bytes;
    if (operands <= gpu.l2_bytes) memory = std::min(memory, operands / gpu.memory_rate / (static_cast<double>(n) * steps));
    const double pipes[] = {matrix, issue, l1, l2, memory};
    const double slowest = *std::max_element(std::begin(pipes), std::end(pipes)), rest = matrix + issue + l1 + l2 + memory - slowest;

    // Waiting for demand loads.
    double covered = std::min(1.0, code.prefetched_bytes * static_cast<double>(subgroups) / panels);
    if (static_cast<double>(together) * panels * (c.distance + 1) > gpu.l1_bytes) covered = 0;
    const double hidden = c.distance * (slowest * r.threads + rest), late = std::max(0.0, gpu.l2_latency - hidden);
    const double wait = covered * std::max(gpu.l1_latency, late) + (1 - covered) * gpu.l2_latency;

    const double step = slowest + (rest + wait) / r.threads;
    r.clocks = static_cast<double>(n) * (steps * step + code.outside) + std::ceil(static_cast<double>(n) / r.threads) * gpu.l2_latency + gpu.launch_clocks;
    if (c.split) {
        const double sums = static_cast<double>(parts) * static_cast<double>(p.m) * static_cast<double>(p.n) * 4, rate = 2 * sums <= gpu.l2_bytes ? gpu.l2_rate * gpu.cores : gpu.memory_rate;
        r.clocks += gpu.launch_clocks + (2 * sums + static_cast<double>(p.m) * static_cast<double>(p.n) * p.output_bytes) / rate;
    }
    return r;
}

std::vector<ranked> rank(const std::vector<rank_candidate>& candidates, const rank_problem& problem, const gpu_model& gpu) {
    std::vector<ranked> all;
    for (const rank_candidate& c : candidates) all.push_back(rank_one(c, problem, gpu));
    std::sort(all.begin(), all.end(), [](const ranked& a, const ranked& b) {
        return std::tuple(!a.disqualified.empty(), a.clocks, a.slots_per_dpas, a.policy) < std::tuple(!b.disqualified.empty(), b.clocks, b.slots_per_dpas, b.policy);
    });
    const auto usual = std::find_if(all.begin(), all.end(), [](const ranked& r) { return r.policy == "default" && r.disqualified.empty(); });
    if (usual != all.end() && all.front().clocks > worth_changing * usual->clocks) std::rotate(all.begin(), usual, usual + 1);
    return all;
}

}  // namespace kittens::tool
