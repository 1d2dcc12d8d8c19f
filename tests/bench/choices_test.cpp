// SPDX-License-Identifier: Apache-2.0
// The table of measured GEMM choices: reading, writing, what follows for other shapes.
#include <gemm/choices.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace {

using kernels::gemm_choices;
using kernels::gemm_problem;
using kittens::dtype;

constexpr const char* two = R"(
[[choice]]
target = "cpu"
isa = "amx"
type = "bf16"
threads = 2
shape = [64, 1024, 4096]
policy = "64x512x512"
gain = 1.25

[[choice]]
target = "cpu"
isa = "amx"
type = "bf16"
threads = 2
shape = [2048, 2048, 2048]
policy = "default"
)";

gemm_problem problem(std::int64_t m, std::int64_t n, std::int64_t k) { return {"cpu", "amx", dtype::bf16, 2, m, n, k}; }

TEST(choices, a_measured_shape_is_taken_as_it_was_measured) {
    const auto table = gemm_choices::parse(two, "two");
    EXPECT_EQ(table.choose(problem(64, 1024, 4096)).policy, "64x512x512");
    EXPECT_EQ(table.choose(problem(64, 1024, 4096)).why, "measured");
    EXPECT_EQ(table.choose(problem(2048, 2048, 2048)).policy, "default");
}

TEST(choices, other_shapes_take_the_nearest) {
    const auto table = gemm_choices::parse(two, "two");
    for (const auto& p : {problem(1, 1, 1'000'000), problem(32, 2048, 4096), problem(100, 700, 5000)}) {
        const auto c = table.choose(p);
        EXPECT_EQ(c.policy, "64x512x512") << p.m;
        EXPECT_EQ(c.why, "nearest measured: 64 x 1024 x 4096");
    }
    EXPECT_EQ(table.choose(problem(4096, 4096, 4096)).policy, "default");
    auto other = problem(64, 1024, 4096);
    other.threads = 8;
    EXPECT_EQ(table.choose(other).policy, "64x512x512");
    EXPECT_EQ(table.choose(other).why, "nearest measured: 64 x 1024 x 4096 with 2 threads");
}

TEST(choices, more_threads_take_smaller_tiles_where_there_would_be_too_few) {
    auto table = gemm_choices::parse(two, "two");
    table.set({"cpu", "amx", "bf16", 2, 4096, 4096, 4096, "512x256x1024", 1.1});
    table.set({"cpu", "amx", "bf16", 2, 64, 64, 4096, "32x64x1024", 1.1});
    auto p = problem(4000, 4096, 4096);
    EXPECT_EQ(table.choose(p).policy, "512x256x1024");
    p.threads = 64;  // 8 x 16 tiles: two for each
    EXPECT_EQ(table.choose(p).policy, "512x256x1024");
    p.threads = 128;
    EXPECT_EQ(table.choose(p).policy, "64x512x512");  // 63 x 8
    EXPECT_NE(table.choose(p).why.find("tiles for 128 threads"), std::string::npos);
    p.threads = 512;
    EXPECT_EQ(table.choose(p).policy, "32x64x1024");  // 125 x 64
    p.threads = 100'000;
    EXPECT_EQ(table.choose(p).policy, "32x64x1024");  // none is enough: the smallest
}

TEST(choices, a_name_says_what_the_tile_is) {
    const auto split = kernels::tile_named("128x256x1024_split"), plain = kernels::tile_named("96x128x384");
    EXPECT_TRUE(split.m == 128 && split.n == 256 && split.k == 1024 && split.split);
    EXPECT_TRUE(plain.m == 96 && plain.n == 128 && plain.k == 384 && !plain.split);
    for (const char* other : {"default", "", "plain", "128x256", "128x256x1024_splat", "0x1x1", "-1x1x1", "1x1x1 "}) EXPECT_EQ(kernels::tile_named(other).m, 0) << other;
}

TEST(choices, k_is_shared_out_among_threads_that_have_no_tile) {
    for (int tiles = 1; tiles < 9; ++tiles)
        for (int steps = 1; steps < 9; ++steps)
            for (int threads = 1; threads < 20; ++threads) {
                const auto parts = kernels::split_parts(tiles, steps, threads);
                ASSERT_TRUE(parts >= 1 && parts <= steps);
                // As few planes as occupy all threads, or as many as there are steps.
                ASSERT_TRUE(parts * tiles >= threads || parts == steps);
                ASSERT_TRUE(parts == 1 || (parts - 1) * tiles < threads);
            }

    auto table = gemm_choices::parse(two, "two");
    table.set({"cpu", "amx", "bf16", 2, 64, 128, 16384, "64x128x1024", 1.1});
    table.set({"cpu", "amx", "bf16", 2, 256, 256, 16384, "128x256x1024_split", 1.1});
    EXPECT_EQ(table.choose(problem(64, 128, 16384)).policy, "64x128x1024");  // as measured
    const auto c = table.choose(problem(60, 120, 16000));
    EXPECT_EQ(c.policy, "128x256x1024_split");
    EXPECT_NE(c.why.find("shared out among 2 threads"), std::string::npos);
    EXPECT_EQ(table.choose(problem(100, 120, 16000)).policy, "64x128x1024");  // two tiles
    EXPECT_EQ(table.choose(problem(60, 120, 4095)).policy, "64x128x1024");    // K is short
    EXPECT_EQ(table.choose(problem(2000, 200, 16000)).policy, "default");     // as nearest, but enough tiles without
    gemm_choices one;
    one.set({"cpu", "amx", "bf16", 2, 256, 256, 16384, "128x256x1024_split", 1.1});
    EXPECT_EQ(one.choose(problem(100, 200, 2047)).policy, "default");  // not two steps of K
    EXPECT_EQ(one.choose(problem(100, 200, 4096)).policy, "128x256x1024_split");
    auto never = problem(60, 120, 16000);
    never.in = dtype::f16;
    const std::vector<std::string> compiled{"64x256x512", "256x128x512_split", "32x64x512"};
    EXPECT_EQ(table.choose(never, compiled).policy, "256x128x512_split");
    EXPECT_EQ(table.choose(never).policy, "default");
    never.k = 2047;
    EXPECT_EQ(table.choose(never, compiled).policy, "default");
    never.k = 16000, never.m = 600;
    EXPECT_EQ(table.choose(never, compiled).policy, "default");
    auto alone = problem(60, 120, 16000);
    alone.threads = 1;
    EXPECT_EQ(table.choose(alone).policy, "64x128x1024");
}

TEST(choices, what_was_never_measured_takes_the_default) {
    const auto table = gemm_choices::parse(two, "two");
    for (auto p : {gemm_problem{"xe", "amx", dtype::bf16, 2, 64, 1024, 4096}, gemm_problem{"cpu", "avx2", dtype::bf16, 2, 64, 1024, 4096},
                   gemm_problem{"cpu", "amx", dtype::f16, 2, 64, 1024, 4096}}) {
        EXPECT_EQ(table.choose(p).policy, "default");
        EXPECT_NE(table.choose(p).why.find("nothing measured"), std::string::npos);
    }
    EXPECT_EQ(gemm_choices().choose(problem(1, 1, 1)).policy, "default");
}

TEST(choices, a_later_measurement_replaces_the_earlier) {
    auto table = gemm_choices::parse(two, "two");
    table.set({"cpu", "amx", "bf16", 2, 64, 1024, 4096, "32x64x1024", 1.5});
    EXPECT_EQ(table.entries().size(), 2u);
    EXPECT_EQ(table.choose(problem(64, 1024, 4096)).policy, "32x64x1024");
    table.set({"cpu", "amx", "bf16", 1, 64, 1024, 4096, "default", 1});
    EXPECT_EQ(table.entries().size(), 3u);
    EXPECT_EQ(table.choose(problem(64, 1024, 4096)).policy, "32x64x1024");
}

TEST(choices, what_is_written_reads_the_same) {
    auto table = gemm_choices::parse(two, "two");
    table.set({"cpu", "avx2", "int8", 16, 1, 2, 3, "192x256x384", 1.023});
    const auto file = std::filesystem::temp_directory_path() / ("choices_test_" + std::to_string(::getpid()) + ".toml");
    table.write(file);
    const auto again = gemm_choices::read(file);
    EXPECT_EQ(again.text(), table.text());
    EXPECT_EQ(again.entries().size(), 3u);
    std::filesystem::remove(file);
    EXPECT_THROW(gemm_choices::read(file), std::runtime_error);
    EXPECT_THROW(table.write("/nowhere/choices.toml"), std::exception);
}

TEST(choices, faults_are_named_with_their_line) {
    const auto message = [](const std::string& text) -> std::string {
        try {
            gemm_choices::parse(text, "given.toml");
        } catch (const std::runtime_error& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_NE(message("[[choice]\n").find("given.toml:1"), std::string::npos);
    std::string text = two;
    text.erase(text.find("policy = \"default\""));
    EXPECT_NE(message(text).find("\"policy\""), std::string::npos);
    text = two;
    text.replace(text.find("2048, 2048"), 4, "0");
    EXPECT_NE(message(text).find("given.toml:11"), std::string::npos) << message(text);
    EXPECT_NE(message("choice = [1]").find("table"), std::string::npos);
}

TEST(choices, what_was_ranked_by_machine_code_says_so) {
    const std::string text = std::string(two) + R"(
[[choice]]
target = "xe"
isa = "pvc"
type = "bf16"
shape = [256, 4096, 4096]
policy = "16x64x32_4x4_cooperative2_u1_snake8_split2"
gain = 1.4
evidence = "machine code"
)";
    const auto table = gemm_choices::parse(text, "three");
    gemm_problem p{"xe", "pvc", dtype::bf16, 1, 256, 4096, 4096};
    EXPECT_EQ(table.choose(p).policy, "16x64x32_4x4_cooperative2_u1_snake8_split2");
    EXPECT_EQ(table.choose(p).why, "ranked by machine code, not measured");
    p.m = 300;
    EXPECT_EQ(table.choose(p).why, "nearest ranked by machine code, not measured: 256 x 4096 x 4096");
    p.m = p.n = p.k = 64;  // nothing like it
    EXPECT_EQ(table.choose(p).policy, "default");
    EXPECT_NE(table.choose(p).why.find("nothing like it"), std::string::npos);
    p.isa = "bmg";
    EXPECT_EQ(table.choose(p).policy, "default");
    // Evidence stays through a file, and measured choices need no word for it.
    EXPECT_EQ(gemm_choices::parse(table.text(), "again").text(), table.text());
    EXPECT_NE(table.text().find("evidence = \"machine code\""), std::string::npos);
    EXPECT_EQ(gemm_choices::parse(two, "two").text().find("evidence = \"measured\""), std::string::npos);
    std::string wrong = text;
    wrong.replace(wrong.rfind("machine code"), 12, "a good guess");
    EXPECT_THROW(gemm_choices::parse(wrong, "wrong"), std::runtime_error);
}

TEST(choices, the_repository_s_table_is_whole) {
    const auto& table = gemm_choices::built_in();
    EXPECT_EQ(gemm_choices::parse(table.text(), "again").entries().size(), table.entries().size());
    for (const auto& e : table.entries()) EXPECT_GE(e.gain, 1.0) << e.policy;
}

}  // namespace
