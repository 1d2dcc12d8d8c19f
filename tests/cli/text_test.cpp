// SPDX-License-Identifier: Apache-2.0
// Parts of the command line without a process of their own: numbers, names, files, and flags shared with the build.
#include "text.hpp"
#include "build_config.hpp"
#include "console.hpp"
#include "operation.hpp"

#include <kittens/inspect/compile.hpp>
#include <kittens/runtime/registry.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

using namespace kittens::tool;

TEST(text, whole_numbers) {
    EXPECT_EQ(whole_number("-m", "12", 1, 12), 12);
    EXPECT_EQ(whole_number("-m", "-3", -3, 12), -3);
    for (const char* wrong : {"", " 1", "1 ", "+1", "0x1", "1e3", "13", "-1", "99999999999999999999"})
        EXPECT_THROW(whole_number("-m", wrong, 0, 12), user_error) << wrong;
}

TEST(text, figures) {
    EXPECT_EQ(show_count(0), "0");
    EXPECT_EQ(show_count(999), "999");
    EXPECT_EQ(show_count(1000), "1,000");
    EXPECT_EQ(show_count(1234567), "1,234,567");
    EXPECT_EQ(show_bytes(1023), "1023 B");
    EXPECT_EQ(show_bytes(1536), "1.5 KiB");
    EXPECT_EQ(show_seconds(0.00123), "1.23 ms");
}

TEST(text, median) {
    EXPECT_EQ(median({3, 1, 2}), 2);
    EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(text, choices_are_named) {
    try {
        require_choice("fruit", "plum", {"apple", "pear"});
        FAIL();
    } catch (const user_error& e) {
        EXPECT_STREQ(e.what(), "there is no fruit \"plum\"; choose one of apple, pear");
    }
}

TEST(output_file, replaces_whole_or_not_at_all) {
    const auto folder = std::filesystem::path(testing::TempDir()) / "kittens_output_file";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    const auto path = folder / "x";
    const output_file file(path, "--json");
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << "asking is not writing";
    file.write("first and long");
    file.write("second");
    std::ifstream in(path);
    std::stringstream content;
    content << in.rdbuf();
    EXPECT_EQ(content.str(), "second");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
    EXPECT_THROW(output_file(folder, "--json"), user_error);
    EXPECT_THROW(output_file(folder / "none" / "x", "--json"), user_error);
    std::filesystem::remove_all(folder);
    EXPECT_THROW(file.write("third"), user_error);
}

TEST(operations, kernels_are_there_for_every_target) {
    for (const auto& op : operations()) {
        bool any = false;
        for (const auto* k : kittens::kernels()) any |= std::string_view(k->name).find(op->name() + "_") != std::string_view::npos;  // "rms_norm_bf16" is one of norm
        EXPECT_TRUE(any) << op->name();
    }
}

TEST(inspect, compiles_with_the_flags_of_the_build) {
    std::vector<std::string> build;
    std::istringstream lines(config::spirv_flags);
    for (std::string line; std::getline(lines, line);) {
        // The folder of standard headers is the installation's own.
        if (line == "-isystem") std::getline(lines, line);
        else build.push_back(line);
    }
    EXPECT_EQ(kittens::inspect::spirv_flags(), build);
}

}  // namespace
