// SPDX-License-Identifier: Apache-2.0
#include <bench/suites.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace kittens::bench {
namespace {

TEST(suites, paper_has_13_squares_and_14_rectangles) {
    const auto all = gemm_suite("paper");
    EXPECT_EQ(all.size(), 27u);
    EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const auto& s) { return s.square(); }), 13);
    EXPECT_EQ(all.front().m, 1024);
    EXPECT_EQ(all[12].n, 16384);
    // M x K x N = 2048 x 11008 x 4096
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const auto& s) { return s.m == 2048 && s.k == 11008 && s.n == 4096; }));
}

TEST(suites, cpu_is_a_quarter_in_each_dimension) {
    const auto paper = gemm_suite("paper"), cpu = gemm_suite("cpu");
    ASSERT_EQ(cpu.size(), paper.size());
    for (std::size_t i = 0; i < cpu.size(); ++i) {
        EXPECT_EQ(cpu[i].m * 4, paper[i].m);
        EXPECT_EQ(cpu[i].n * 4, paper[i].n);
        EXPECT_EQ(cpu[i].k * 4, paper[i].k);
    }
}

TEST(suites, quick_is_part_of_cpu) {
    const auto cpu = gemm_suite("cpu"), quick = gemm_suite("quick");
    EXPECT_EQ(quick.size(), 5u);
    for (const auto& s : quick) EXPECT_NE(std::find(cpu.begin(), cpu.end(), s), cpu.end());
}

TEST(suites, deep_has_small_c_and_long_k) {
    const auto deep = gemm_suite("deep");
    EXPECT_GE(deep.size(), 8u);
    for (const auto& s : deep) {
        EXPECT_LE(s.m * s.n, 256 * 128);
        EXPECT_GE(s.k, 4096);
    }
}

TEST(suites, unknown_names_have_no_shapes) { EXPECT_TRUE(gemm_suite("large").empty()); }

}  // namespace
}  // namespace kittens::bench
