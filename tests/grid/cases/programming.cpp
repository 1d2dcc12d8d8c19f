// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

#include <kittens/target/emulated/report.hpp>

namespace grid {
namespace {

struct shape {
    dtype type;
    const char* layout;
    int m, n;
};

/// Prefetches neither change registers nor memory; where they can be counted, the subgroups ask for each byte of their panel once.
void prefetch(context& c, const shape& s, int subgroups, bool together) {
    tensor& in = c.input(s.type, 2 * s.m, 2 * s.n * subgroups);
    tensor& out = c.output(s.type, in.rows(), in.cols());
    in.fill_coded(c.seed());
    globals g = launch_of(2, 1, subgroups);
    g.number[0] = together;
    const event done = c.run(fmt::format("grid_prefetch_{}_{}_{}x{}", name_of(s.type), s.layout, s.m, s.n), g, {&in, &out});
    expect_bits("copy", out, [&](int i, int j) { return in.bits(i, j); });
    if (const emulated::launch_report* report = done.report(); report && together) {
        const auto panels = std::uint64_t(s.m) * in.cols() * size_of(s.type);
        if (report->count.prefetched_bytes != panels || report->count.distinct_prefetch_bytes != panels)
            throw failure(fmt::format("the subgroups prefetched {} bytes, {} different ones, of panels of {} bytes", report->count.prefetched_bytes,
                                      report->count.distinct_prefetch_bytes, panels));
    }
}

void exchange_parts(context& c, dtype type, int m, int n, int parts) {
    tensor& in = c.input(type, 2 * m, 2 * n * parts);
    tensor& out = c.output(type, in.rows(), in.cols());
    in.fill_coded(c.seed());
    c.run(fmt::format("grid_parts_{}_{}x{}_{}", name_of(type), m, n, parts), launch_of(2, 2, 1), {&in, &out});
    expect_bits("load_part and store_part", out, [&](int i, int j) {
        const int part = j / n % parts;
        return in.bits(i, j + (parts - 1 - 2 * part) * n);
    });
}

void hand_over(context& c, int subgroups, bool split) {
    tensor& in = c.input(dtype::f32, 3 * subgroups, 64);
    tensor& out = c.output(dtype::f32, 3 * subgroups, 64);
    in.fill_coded(c.seed());
    globals g = launch_of(1, 1, subgroups);
    g.number[0] = split;
    c.run("grid_hand_over", g, {&in, &out});
    expect_bits("rows of the next subgroup", out, [&](int i, int j) { return in.bits(i / subgroups * subgroups + (i + 1) % subgroups, j); });
}

/// On an OpenCL device that is no GPU the launch is refused; the case is then that it says so, and that nothing ran.
void hand_over_in_groups(context& c, bool split) {
    constexpr int steps = 3;
    constexpr std::uint32_t poison = ~0U;
    tensor& in = c.input(dtype::f32, 8 * steps, 64);
    tensor& out = c.output(dtype::f32, 8 * steps, 64);
    in.fill_coded(c.seed());
    globals g = launch_of(1, 1, 8);
    g.number[0] = split;
    try {
        c.run("grid_hand_over_in_groups", g, {&in, &out});
    } catch (const launch_error& e) {
        if (c.runs_subgroups_together()) throw;
        if (std::string(e.what()).find("waits at a named barrier") == std::string::npos) throw failure(fmt::format("refused for another reason: {}", e.what()));
        expect_bits("what the refused launch left", out, [&](int, int) { return poison; });
        return;
    }
    if (!c.runs_subgroups_together()) throw failure("a device that runs subgroups one after another has taken a kernel with named barriers");
    expect_bits("rows of other subgroups", out, [&](int i, int j) {
        const int step = i / 8, own = i % 8;
        if (split) return step > 0 ? poison : in.bits(own < 3 ? own : 1 + own % 2, j);
        if (step == steps - 1 && own < 4) return poison;
        return in.bits(step * 8 + own / 4 * 4 + (own + 1) % 4, j);
    });
}

void causal(context& c, const char* l, int m, int n, bool transposed) {
    tensor& in = c.input(dtype::f32, 2 * m, 2 * n);
    in.fill_coded(c.seed(), true);
    const int somewhere = static_cast<int>(c.random(64));
    for (const auto& [query, key] : {std::pair(0, 0), std::pair(3, 0), std::pair(0, 5), std::pair(8, 16), std::pair(somewhere, 7), std::pair(1000, 0), std::pair(0, 1000)}) {
        tensor& out = c.output(dtype::f32, 2 * m, 2 * n);
        globals g = launch_of(2, 2, 1);
        g.number[0] = query;
        g.number[1] = key;
        g.number[2] = transposed;
        g.scalar = -INFINITY;
        c.run(fmt::format("grid_causal_{}_{}x{}", l, m, n), g, {&in, &out});
        expect_bits(fmt::format("causal from query {} and key {}", query, key).c_str(), out, [&, query = query, key = key](int i, int j) {
            const bool keeps = transposed ? key + i <= query + j : key + j <= query + i;
            return keeps ? in.bits(i, j) : encode(dtype::f32, -INFINITY);
        });
    }
}

const family prefetches("prefetch", [](std::vector<grid_case>& to) {
    for (const shape& s : {shape{dtype::bf16, "row", 32, 32}, {dtype::bf16, "col", 32, 64}, {dtype::bf16, "row", 8, 32}, {dtype::f16, "col", 16, 32}, {dtype::f32, "row", 16, 16}, {dtype::i8, "col", 32, 64}})
        for (const int subgroups : {1, 2, 4, 8})
            for (const bool together : {false, true})
                add(to, "prefetch", fmt::format("{}/{}/{}/{}x{}/{}", together ? "shared-out" : "alone", name_of(s.type), s.layout, s.m, s.n, subgroups), false,
                    [=](context& c) { prefetch(c, s, subgroups, together); });
});
const family parts("part", [](std::vector<grid_case>& to) {
    add(to, "part", "bf16/16x64/2", false, [](context& c) { exchange_parts(c, dtype::bf16, 16, 64, 2); });
    add(to, "part", "bf16/32x32/4", false, [](context& c) { exchange_parts(c, dtype::bf16, 32, 32, 4); });
    add(to, "part", "fp32/8x16/2", false, [](context& c) { exchange_parts(c, dtype::f32, 8, 16, 2); });
    add(to, "part", "fp16/32x16/3", false, [](context& c) { exchange_parts(c, dtype::f16, 32, 16, 3); });
});
const family barriers("barrier", [](std::vector<grid_case>& to) {
    for (const int subgroups : {2, 4, 8})
        for (const bool split : {false, true})
            add(to, "barrier", fmt::format("{}/{}", split ? "split" : "whole", subgroups), false, [=](context& c) { hand_over(c, subgroups, split); });
    add(to, "barrier", "groups/4", false, [](context& c) { hand_over_in_groups(c, false); });
    add(to, "barrier", "some/7", false, [](context& c) { hand_over_in_groups(c, true); });
});
const family causal_masks("causal", [](std::vector<grid_case>& to) {
    for (const auto& [l, m, n] : {std::tuple("row", 8, 16), {"row", 8, 32}, {"row", 16, 32}, {"row", 32, 32}, {"row", 32, 64}, {"col", 16, 16}, {"col", 32, 32}})
        for (const bool transposed : {false, true})
            add(to, "causal", fmt::format("{}/{}/{}x{}", transposed ? "make_causal_t" : "make_causal", l, m, n), false, [=, l = l, m = m, n = n](context& c) { causal(c, l, m, n, transposed); });
});

}  // namespace
}  // namespace grid
