// SPDX-License-Identifier: Apache-2.0
// The table of measured attention choices: reading, writing, what follows for other problems.
#include <attention/choices.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace {

using kernels::attention_case;
using kernels::attention_choices;

attention_case problem(std::int64_t batch, std::int64_t queries, std::int64_t keys, bool causal = false) {
    return {.target = "cpu", .isa = "amx", .type = "bf16", .threads = 2, .dim = 128, .batch = batch, .heads = 8, .key_heads = 2, .queries = queries, .keys = keys, .causal = causal, .decodes = queries <= 16};
}

attention_choices three() {
    attention_choices table;
    table.set({problem(1, 512, 512), "rows8", 2, 1.25});
    table.set({problem(4, 2048, 2048, true), "keys1024", 0, 1.1});
    table.set({problem(1, 1, 4096), "decode", 4, 3});
    return table;
}

TEST(attention_choices, a_measured_case_is_taken_as_it_was_measured) {
    const auto choice = three().choose(problem(1, 512, 512));
    EXPECT_EQ(choice.policy, "rows8");
    EXPECT_EQ(choice.splits, 2);
    EXPECT_EQ(choice.why, "measured");
}

TEST(attention_choices, others_take_the_nearest_in_length_and_batch) {
    EXPECT_EQ(three().choose(problem(1, 600, 600)).policy, "rows8");
    EXPECT_EQ(three().choose(problem(1, 600, 600)).why, "nearest measured: 1 x 8/2 x 512:512");
    EXPECT_EQ(three().choose(problem(8, 1500, 1500)).policy, "keys1024");
    EXPECT_EQ(three().choose(problem(2, 4, 8192)).policy, "decode");
    // Decoding is for what may be decoded.
    auto late = problem(1, 4, 8192);
    late.decodes = false;
    EXPECT_NE(three().choose(late).policy, "decode");
}

TEST(attention_choices, what_was_never_measured_takes_the_default) {
    for (auto change : {+[](attention_case& c) { c.target = "xe"; }, +[](attention_case& c) { c.isa = "avx2"; }, +[](attention_case& c) { c.type = "fp16"; }, +[](attention_case& c) { c.dim = 64; }}) {
        auto c = problem(1, 512, 512);
        change(c);
        EXPECT_EQ(three().choose(c).policy, "default");
        EXPECT_NE(three().choose(c).why.find("nothing measured"), std::string::npos);
    }
}

TEST(attention_choices, what_is_written_reads_the_same) {
    auto table = three();
    table.set({problem(1, 512, 512), "default", 0, 1});
    EXPECT_EQ(table.entries().size(), 3u);
    const auto file = std::filesystem::temp_directory_path() / ("attention_choices_test_" + std::to_string(::getpid()) + ".toml");
    table.write(file);
    EXPECT_EQ(attention_choices::read(file).text(), table.text());
    std::filesystem::remove(file);
    EXPECT_THROW(attention_choices::read(file), std::runtime_error);
    EXPECT_THROW(table.write("/nowhere/choices.toml"), std::exception);
}

TEST(attention_choices, faults_are_named_with_their_line) {
    const auto message = [](std::string text, const std::string& from, const std::string& to) -> std::string {
        if (!from.empty()) text.replace(text.find(from), from.size(), to);
        try {
            attention_choices::parse(text, "given.toml");
        } catch (const std::runtime_error& e) {
            return e.what();
        }
        return "";
    };
    attention_choices one;
    one.set({problem(3, 5, 7), "rows8", 2, 1.5});
    const std::string text = one.text();
    EXPECT_EQ(message(text, "", ""), "");
    EXPECT_NE(message(text, "policy = ", "police = ").find("\"policy\""), std::string::npos);
    EXPECT_NE(message(text, "[3, 5, 7]", "[3, 5]").find("BATCH, QUERIES, KEYS"), std::string::npos);
    EXPECT_NE(message(text, "[8, 2, 128]", "[8, 0, 128]").find("given.toml:"), std::string::npos);
    EXPECT_NE(message(text, "splits = 2", "splits = 300").find("splits must be from 0 to 256"), std::string::npos);
    EXPECT_NE(message(text, "threads = 2", "threads = 0").find("threads"), std::string::npos);
}

TEST(attention_choices, the_repository_s_table_is_whole) {
    const auto& table = attention_choices::built_in();
    EXPECT_EQ(attention_choices::parse(table.text(), "again").entries().size(), table.entries().size());
    for (const auto& e : table.entries()) EXPECT_GE(e.gain, 1.0) << e.policy;
}

}  // namespace
