// SPDX-License-Identifier: Apache-2.0
#include "kittens/inspect/spirv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <system_error>

#include "kittens/inspect/process.hpp"

namespace {

using namespace kittens::inspect;
using words = std::vector<std::uint32_t>;

void emit(words& module, std::uint32_t op, std::initializer_list<std::uint32_t> operands,
          const std::string& name = {}) {
    words text;
    if (!name.empty()) {
        text.assign(name.size() / 4 + 1, 0);
        for (std::size_t i = 0; i < name.size(); ++i)
            text[i / 4] |= static_cast<std::uint32_t>(static_cast<unsigned char>(name[i])) << (i % 4 * 8);
    }
    module.push_back(static_cast<std::uint32_t>(1 + operands.size() + text.size()) << 16 | op);
    module.insert(module.end(), operands);
    module.insert(module.end(), text.begin(), text.end());
}

/// Kernels that do nothing: ids 10, 11, ... are their functions.
words empty_kernels(std::initializer_list<const char*> names) {
    words m{0x07230203, 0x00010400, 0, 100, 0};
    emit(m, 17, {4});                                       // OpCapability Addresses
    emit(m, 17, {6});                                       // OpCapability Kernel
    emit(m, 10, {}, "SPV_KHR_no_integer_wrap_decoration");  // OpExtension
    emit(m, 14, {2, 2});                                    // OpMemoryModel Physical64 OpenCL
    std::uint32_t id = 10;
    for (const char* name : names) emit(m, 15, {6, id++}, name);  // OpEntryPoint Kernel
    emit(m, 19, {1});                                             // OpTypeVoid
    emit(m, 33, {2, 1});                                          // OpTypeFunction
    id = 10;
    for (std::size_t i = 0; i < names.size(); ++i) {
        emit(m, 54, {1, id++, 0, 2});                        // OpFunction
        emit(m, 248, {50 + static_cast<std::uint32_t>(i)});  // OpLabel
        emit(m, 253, {});                                    // OpReturn
        emit(m, 56, {});                                     // OpFunctionEnd
    }
    return m;
}

std::string error_of(words module) {
    try {
        spirv_module::parse(std::move(module));
    } catch (const spirv_error& error) {
        return error.what();
    }
    return "no error";
}

TEST(spirv, reads_the_preamble) {
    const auto m = spirv_module::parse(empty_kernels({"first", "second_kernel"}));
    EXPECT_EQ(m.version_major(), 1u);
    EXPECT_EQ(m.version_minor(), 4u);
    EXPECT_EQ(m.capabilities(), (words{4, 6}));
    EXPECT_EQ(m.extensions(), std::vector<std::string>{"SPV_KHR_no_integer_wrap_decoration"});
    ASSERT_EQ(m.entry_points().size(), 2u);
    EXPECT_EQ(m.entry_points()[0].name, "first");
    EXPECT_EQ(m.entry_points()[1].name, "second_kernel");
    EXPECT_EQ(m.entry_points()[1].function, 11u);
    EXPECT_FALSE(m.entry_points()[0].subgroup_size);
}

TEST(spirv, takes_the_other_byte_order) {
    auto swapped = empty_kernels({"k"});
    for (auto& w : swapped) w = w >> 24 | (w >> 8 & 0xff00u) | (w << 8 & 0xff0000u) | w << 24;
    const auto m = spirv_module::parse(swapped);
    EXPECT_TRUE(std::ranges::equal(m.words(), empty_kernels({"k"})));
}

TEST(spirv, requires_a_subgroup_size_of_every_kernel_once) {
    auto m = spirv_module::parse(empty_kernels({"a", "b"}));
    const auto before = m.words().size();
    EXPECT_TRUE(require_subgroup_size(m, 16));
    EXPECT_EQ(m.words().size(), before + 2 + 2 * 4);
    EXPECT_TRUE(m.has_capability(58));
    for (const auto& entry : m.entry_points()) EXPECT_EQ(entry.subgroup_size, 16u);
    EXPECT_FALSE(require_subgroup_size(m, 16)) << "a second time changes nothing";
    EXPECT_EQ(m.words().size(), before + 2 + 2 * 4);
    // What was written reads back the same.
    const auto again = spirv_module::parse(m.bytes());
    EXPECT_EQ(again.entry_points()[1].subgroup_size, 16u);
}

TEST(spirv, requires_a_local_size) {
    auto m = spirv_module::parse(empty_kernels({"a"}));
    EXPECT_TRUE(require_local_size(m, 16, 4, 2));
    EXPECT_FALSE(require_local_size(m, 16, 4, 2));
    EXPECT_EQ(m.entry_points()[0].local_size, (std::array<std::uint32_t, 3>{16, 4, 2}));
    EXPECT_THROW(require_local_size(m, 32, 4, 2), spirv_error);
    EXPECT_THROW(require_local_size(m, 0, 1, 1), spirv_error);
}

TEST(spirv, refuses_a_conflicting_or_impossible_subgroup_size) {
    auto m = spirv_module::parse(empty_kernels({"a"}));
    EXPECT_THROW(require_subgroup_size(m, 0), spirv_error);
    EXPECT_THROW(require_subgroup_size(m, 12), spirv_error);
    require_subgroup_size(m, 32);
    EXPECT_THROW(require_subgroup_size(m, 16), spirv_error);
    auto library = spirv_module::parse(empty_kernels({}));
    EXPECT_THROW(require_subgroup_size(library, 16), spirv_error);
}

TEST(spirv, completed_modules_pass_the_validator) {
    for (const bool both : {false, true}) {
        auto m = spirv_module::parse(empty_kernels({"a", "b"}));
        require_subgroup_size(m, 16);
        if (both) require_local_size(m, 16, 8, 1);
        const auto file = std::filesystem::temp_directory_path() / ("kittens-test-" + std::to_string(both) + ".spv");
        m.write(file);
        process_result result;
        try {
            result = run_process({"spirv-val", file.string()});
        } catch (const std::system_error&) {
            std::filesystem::remove(file);
            GTEST_SKIP() << "spirv-val is not installed (package spirv-tools)";
        }
        std::filesystem::remove(file);
        EXPECT_TRUE(result.ok()) << result.out << result.err;
    }
}

TEST(spirv, damage_never_gets_past_the_checks) {
    const auto whole = empty_kernels({"first", "second"});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        words cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        try {
            const auto m = spirv_module::parse(cut);  // some prefixes are modules too
            EXPECT_GE(size, 5u);
        } catch (const spirv_error&) {
        }
    }
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (const std::uint32_t value : {0u, 0xffffffffu, 0x00010011u, 0x0001000fu, 0x00020010u}) {
            auto changed = whole;
            changed[at] = value;
            try {
                auto m = spirv_module::parse(changed);
                require_subgroup_size(m, 16);
                EXPECT_TRUE(m.has_capability(58));
            } catch (const spirv_error& error) {
                EXPECT_STRNE(error.what(), "");
            }
        }
}

TEST(spirv, says_what_is_wrong_with_a_module) {
    EXPECT_NE(error_of({}).find("shorter than its header"), std::string::npos);
    EXPECT_NE(error_of({1, 2, 3, 4, 5}).find("magic number"), std::string::npos);
    EXPECT_NE(error_of({0x07230203, 0x00020000, 0, 1, 0}).find("version 2.0"), std::string::npos);
    EXPECT_NE(error_of({0x07230203, 0x00010400, 0, 1, 0}).find("OpMemoryModel is missing"), std::string::npos);

    auto zero = empty_kernels({"a"});
    zero.push_back(0);
    EXPECT_NE(error_of(zero).find("length 0"), std::string::npos);

    auto cut = empty_kernels({"a"});
    cut.resize(cut.size() - 8);  // the first word of OpFunction is the last
    EXPECT_NE(error_of(cut).find("runs past the end"), std::string::npos);

    auto late = empty_kernels({"a"});
    emit(late, 17, {1});
    EXPECT_NE(error_of(late).find("out of order"), std::string::npos);

    words no_function{0x07230203, 0x00010400, 0, 100, 0};
    emit(no_function, 14, {2, 2});
    emit(no_function, 15, {6, 10}, "lost");
    EXPECT_NE(error_of(no_function).find("entry point 'lost' has no function"), std::string::npos);

    words endless{0x07230203, 0x00010400, 0, 100, 0};
    emit(endless, 10, {0x61616161});
    EXPECT_NE(error_of(endless).find("has no end"), std::string::npos);

    const std::array<std::byte, 7> odd{};
    EXPECT_THROW(spirv_module::parse(odd), spirv_error);
    EXPECT_THROW(spirv_module::read("/nonexistent/module.spv"), spirv_error);
}

}  // namespace
