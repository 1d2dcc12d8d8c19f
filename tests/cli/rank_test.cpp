// SPDX-License-Identifier: Apache-2.0
// The ranking of GEMM policies by machine code, on reports made up for the purpose.
#include "gemm/gemm_machine_tune.hpp"
#include "gemm/gemm_rank.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace {

using namespace kittens::tool;
using kernels::parse_xe_choice;
using kernels::prefetch_kind;
using kittens::dtype;
namespace inspect = kittens::inspect;

/// The report of a kernel whose main loop has so many instructions per step of K, and the messages of the default policy.
inspect::kernel_report report(unsigned instructions, unsigned dpas = 32, unsigned spill = 0) {
    inspect::kernel_report k;
    k.grf = 256, k.threads_per_eu = 4, k.spill_bytes = spill;
    k.counts.instructions = instructions + 600;
    inspect::loop_report loop;
    loop.counts.instructions = instructions, loop.counts.dpas = dpas, loop.counts.block_loads = 1, loop.counts.transform_loads = 2, loop.counts.prefetches = 2;
    loop.k_steps = 1;
    loop.loaded_bytes = 6144, loop.prefetched_bytes = 1024;
    for (const inspect::block_shape shape : {inspect::block_shape{2, 16, 32, 2}, {2, 16, 32, 2}, {2, 16, 32, 2}, {2, 32, 8, 1}, {2, 32, 8, 1}}) loop.blocks.push_back({0, shape, "", ""});
    k.main_loop = loop;
    return k;
}

rank_candidate candidate(const std::string& policy, const inspect::kernel_report& r) {
    const auto choice = policy == "default" ? parse_xe_choice("32x64x32_8x4_cooperative2_u1_snake8") : parse_xe_choice(policy.c_str());
    EXPECT_TRUE(choice.valid) << policy;
    return {policy, choice, figures_of(r)};
}

constexpr const char *other = "32x64x32_8x4_cooperative3_u1_snake8", *third = "32x64x32_8x4_cooperative4_u1_snake8";
const rank_problem large{4096, 4096, 4096};

TEST(machine_code_ranking, a_name_says_what_the_policy_is) {
    const auto c = parse_xe_choice("16x32x64_4x8_masked3_u2_grouped12_split4");
    EXPECT_TRUE(c.valid && c.tile_m == 16 && c.tile_n == 32 && c.k_step == 64 && c.sg_rows == 4 && c.sg_cols == 8 && c.prefetch == prefetch_kind::masked && c.distance == 3 && c.unroll == 2);
    EXPECT_TRUE(c.order == kernels::tile_order::grouped && c.band == 12 && c.split && c.parts == 4);
    const auto plain = parse_xe_choice("32x64x32_8x4_none_u1_linear");
    EXPECT_TRUE(plain.valid && plain.prefetch == prefetch_kind::none && plain.distance == 0 && plain.order == kernels::tile_order::linear && !plain.split);
    EXPECT_TRUE(parse_xe_choice("32x64x32_8x4_none_u1_linear_split").valid);
    for (const char* wrong : {"", "default", "128x256x1024", "128x256x1024_split", "32x64x32_8x4", "32x64x32_8x4_coop2_u1_snake8", "32x64x32_8x4_cooperative_u1_snake8", "32x64x32_8x4_cooperative2_u0_snake8",
                              "32x64x32_8x4_cooperative2_u1_snake", "32x64x32_8x4_cooperative2_u1_snake8_", "32x64x32_8x4_cooperative2_u1_snake8_split0", "032x64x32_8x4_cooperative2_u1_snake8",
                              "32x64x32_8x4_cooperative2_u1_snake8 ", "32x64x32_8x99999_cooperative2_u1_snake8"})
        EXPECT_FALSE(parse_xe_choice(wrong).valid) << wrong;
}

TEST(machine_code_ranking, figures_are_per_step_of_k) {
    const auto one = figures_of(report(66));
    EXPECT_TRUE(one.unusable.empty());
    EXPECT_EQ(one.lines, 3 * 32 + 2 * 8);  // 64 bytes each
    EXPECT_EQ(one.sends, 5);
    EXPECT_EQ(one.outside, 600);
    EXPECT_DOUBLE_EQ(one.slots_per_dpas(), 66.0 / 32);
    auto four = report(200, 128);
    four.main_loop->k_steps = 4;
    EXPECT_EQ(figures_of(four).instructions, 50);
    EXPECT_EQ(figures_of(four).lines, (3 * 32 + 2 * 8) / 4.0);
    auto half = report(66);  // half a line is a transaction, too
    half.main_loop->blocks = {{0, inspect::block_shape{2, 16, 16, 1}, "", ""}};
    EXPECT_EQ(figures_of(half).lines, 16);
    for (const auto& f : {one, figures_of(four)}) {
        const auto again = code_figures_from(to_json(f));
        ASSERT_TRUE(again);
        EXPECT_EQ(to_json(*again), to_json(f));
    }
    for (const char* broken : {"[]", "{}", R"({"dpas":1})", R"({"unusable":""})", R"({"unusable":3})"}) EXPECT_FALSE(code_figures_from(json::parse(broken))) << broken;
}

TEST(machine_code_ranking, a_spilling_candidate_never_wins) {
    for (const unsigned bytes : {1u, 64u, 8192u})
        for (const rank_problem& p : {large, rank_problem{16, 64, 16384}, rank_problem{1, 1, 1}}) {
            const auto order = rank({candidate(other, report(34, 32, bytes)), candidate("default", report(200))}, p, model_of(inspect::gpu::pvc));
            EXPECT_EQ(order[0].policy, "default");
            EXPECT_NE(order[1].disqualified.find("spills"), std::string::npos);
            // Not even the default.
            EXPECT_EQ(rank({candidate("default", report(34, 32, bytes)), candidate(other, report(200))}, p, model_of(inspect::gpu::pvc))[0].policy, other);
        }
}

TEST(machine_code_ranking, what_cannot_be_read_or_launched_never_wins) {
    auto no_loop = report(34), uncounted = report(34), unknown = report(34);
    no_loop.main_loop.reset();
    uncounted.main_loop->k_steps = 0;
    unknown.main_loop->loaded_bytes.reset();
    for (const auto& r : {no_loop, uncounted, unknown}) {
        const auto order = rank({candidate(other, r), candidate("default", report(200))}, large, model_of(inspect::gpu::pvc));
        EXPECT_EQ(order[0].policy, "default");
        EXPECT_FALSE(order[1].disqualified.empty());
    }
    // 64 subgroups, 32 threads.
    const auto big = candidate("32x64x32_8x8_cooperative2_u1_snake8", report(34));
    EXPECT_EQ(rank({big, candidate("default", report(200))}, large, model_of(inspect::gpu::pvc))[0].policy, "default");
    // More planes than steps of K.
    const auto split = candidate("32x64x32_8x4_cooperative2_u1_snake8_split8", report(34));
    EXPECT_FALSE(rank_one(split, {64, 64, 7 * 32}, model_of(inspect::gpu::pvc)).disqualified.empty());
    EXPECT_TRUE(rank_one(split, {64, 64, 8 * 32}, model_of(inspect::gpu::pvc)).disqualified.empty());
}

TEST(machine_code_ranking, fewer_slots_per_dpas_win_where_all_else_is_equal) {
    for (const auto device : {inspect::gpu::pvc, inspect::gpu::bmg, inspect::gpu::cri})
        for (const rank_problem& p : {large, rank_problem{1024, 1024, 1024}, rank_problem{256, 4096, 4096}}) {
            const auto order = rank({candidate(other, report(90)), candidate(third, report(60)), candidate("32x64x32_8x4_cooperative3_u2_snake8", report(75))}, p, model_of(device));
            EXPECT_EQ(order[0].policy, third);
            EXPECT_EQ(order[2].policy, other);
            EXPECT_LT(order[0].clocks, order[2].clocks);
        }
}

TEST(machine_code_ranking, the_default_stays_where_nothing_is_worth_a_change) {
    const auto gpu = model_of(inspect::gpu::pvc);
    EXPECT_EQ(rank({candidate(other, report(65)), candidate("default", report(66))}, large, gpu)[0].policy, "default");
    EXPECT_EQ(rank({candidate(other, report(40)), candidate("default", report(140))}, large, gpu)[0].policy, other);
}

TEST(machine_code_ranking, few_tiles_prefer_splits_or_smaller_tiles) {
    const auto gpu = model_of(inspect::gpu::pvc);
    auto small = report(24, 8);
    small.main_loop->loaded_bytes = 3072;
    const auto usual = candidate("default", report(66)), split = candidate("32x64x32_8x4_cooperative2_u1_snake8_split8", report(74)), workgroup = candidate("32x64x32_4x2_cooperative2_u1_snake8", report(66)),
               tile = candidate("16x32x32_8x4_cooperative2_u1_snake8", small);
    // One workgroup tile of C, or few, with a long K.
    for (const rank_problem& p : {rank_problem{128, 256, 16384}, rank_problem{256, 256, 16384}, rank_problem{512, 512, 8192}}) {
        EXPECT_EQ(rank({usual, split}, p, gpu)[0].policy, split.policy) << p.m;
        EXPECT_EQ(rank({usual, split, workgroup, tile}, p, gpu).back().policy, "default") << p.m;
    }
    EXPECT_EQ(rank({usual, workgroup}, {512, 512, 512}, gpu)[0].policy, workgroup.policy);
    EXPECT_EQ(rank({usual, tile}, {512, 512, 512}, gpu)[0].policy, tile.policy);
    // Where there are enough tiles, neither pays.
    EXPECT_EQ(rank({usual, split, workgroup, tile}, {16384, 16384, 4096}, gpu)[0].policy, "default");
}

TEST(machine_code_ranking, it_orders_the_ladder_as_it_was_seen_to_run) {
    // Instructions per step of K and messages of the seven steps on pvc, as docs/gemm.md has them.
    const struct {
        const char* step;
        double instructions, lines, prefetched;
        prefetch_kind kind;
        kernels::tile_order order;
    } steps[] = {{"base_16x16", 100, 192, 0, prefetch_kind::none, kernels::tile_order::linear},       {"base_32x32", 46, 96, 0, prefetch_kind::none, kernels::tile_order::linear},
                 {"masked", 84, 192, 6144, prefetch_kind::masked, kernels::tile_order::linear},       {"unroll_32", 78.9, 192, 6144, prefetch_kind::masked, kernels::tile_order::linear},
                 {"snake", 78.9, 192, 6144, prefetch_kind::masked, kernels::tile_order::snake},       {"cooperative", 68.8, 112, 1024, prefetch_kind::cooperative, kernels::tile_order::snake}};
    for (const rank_problem& p : {large, rank_problem{8192, 8192, 8192}, rank_problem{4096, 12288, 4096}}) {
        double before = 0;
        for (const auto& s : steps) {
            rank_candidate c{s.step, parse_xe_choice("32x64x32_8x4_cooperative2_u1_snake8"), figures_of(report(66))};
            c.choice.prefetch = s.kind, c.choice.order = s.order;
            if (s.kind == prefetch_kind::none) c.choice.distance = 0;
            c.code.instructions = s.instructions, c.code.lines = s.lines, c.code.prefetched_bytes = s.prefetched;
            const double clocks = rank_one(c, p, model_of(inspect::gpu::pvc)).clocks;
            if (before > 0) {
                EXPECT_LE(clocks, before) << s.step << " " << p.m;
            }
            before = clocks;
        }
    }
}

TEST(machine_code_ranking, the_search_compiles_what_could_win_and_finds_it) {
    const auto gpu = model_of(inspect::gpu::pvc);
    const auto all = xe_candidates(dtype::bf16);
    ASSERT_EQ(all[0].policy, "default");
    std::set<std::string> names;
    for (const auto& c : all) {
        EXPECT_TRUE(names.insert(c.policy).second) << c.policy;
        if (c.policy == "default") continue;
        const auto again = parse_xe_choice(c.policy.c_str());
        ASSERT_TRUE(again.valid) << c.policy;
        EXPECT_TRUE(again.tile_m == c.choice.tile_m && again.sg_cols == c.choice.sg_cols && again.parts == c.choice.parts && again.order == c.choice.order && again.distance == c.choice.distance);
    }
    const std::vector<rank_problem> problems{{4096, 4096, 4096}, {256, 4096, 4096}};
    std::map<std::string, code_figures> compiled;
    // Code that is a third longer than its least, and spills with two lines of K to a step.
    const auto code = [&](const std::string& name) {
        const auto choice = parse_xe_choice(name.c_str());
        code_figures f = least_figures(choice, dtype::bf16);
        f.instructions *= 1.33;
        f.spill_bytes = choice.k_step > 32 ? 64 : 0;
        EXPECT_TRUE(compiled.emplace(name, f).second) << name << " twice";
        return f;
    };
    int turns = 0;
    const auto found = search(all, dtype::bf16, problems, gpu, code, [&] { return ++turns < 1000; });
    ASSERT_LT(turns, 1000);
    EXPECT_LT(compiled.size(), all.size() / 20);
    for (const auto& p : problems) {
        std::vector<rank_candidate> everything = all;
        for (auto& c : everything) {
            c.code = least_figures(c.choice, dtype::bf16);
            c.code.instructions *= 1.33;
            c.code.spill_bytes = c.choice.k_step > 32 ? 64 : 0;
        }
        // As good as the best of all but for what is not worth a compilation.
        const auto least = [&](const std::vector<rank_candidate>& of) {
            double clocks = 0;
            for (const auto& r : rank(of, p, gpu))
                if (r.disqualified.empty() && (clocks == 0 || r.clocks < clocks)) clocks = r.clocks;
            return clocks;
        };
        EXPECT_GT(least(everything), 0);
        EXPECT_LE(least(found), least(everything) * 1.006);
    }
    // A budget of nothing leaves the default.
    compiled.clear();
    EXPECT_EQ(search(all, dtype::bf16, problems, gpu, code, [] { return false; })[0].policy, "default");
    EXPECT_EQ(compiled.size(), 1u);
}

}  // namespace
