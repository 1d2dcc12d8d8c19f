// SPDX-License-Identifier: Apache-2.0
#include "test_kernels.hpp"

#include <kittens/runtime/registry.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using kittens::kernel_record;

kittens::launch_shape one_group(const void*) { return {}; }
void nothing(const void*, void*) {}

kernel_record record_for(const char* target, const char* isa) {
    return {"registry_probe", target, isa, nothing, one_group, 0, {}, nullptr};
}

// From a static initialiser, as kernel translation units do, and with temporaries, as they do too.
const bool registered = [] {
    kittens::register_kernel(record_for("cpu", "avx512_bf16"));
    kittens::register_kernel(record_for("emulated", ""));
    kittens::register_kernel(record_for("cpu", "avx2"));
    return true;
}();

const unsigned char words[4] = {1, 2, 3, 4};

std::string isa_of(const kernel_record* r) { return r ? r->isa : "none"; }

TEST(registry, finds_by_name_target_and_isa) {
    ASSERT_TRUE(registered);
    for (const char* isa : {"avx2", "avx512_bf16"}) {
        const kernel_record* found = kittens::find_kernel("registry_probe", "cpu", isa);
        ASSERT_NE(found, nullptr);
        EXPECT_STREQ(found->isa, isa);
        EXPECT_EQ(found->entry, nothing);
    }
    EXPECT_NE(kittens::find_kernel("registry_probe", "emulated"), nullptr);
    EXPECT_EQ(kittens::find_kernel("registry_probe", "cpu", "amx"), nullptr);
    EXPECT_EQ(kittens::find_kernel("registry_probe", "xe"), nullptr);
    EXPECT_EQ(kittens::find_kernel("registry_prob", "cpu", "avx2"), nullptr);
}

TEST(registry, best_is_the_highest_level_not_above_the_limit) {
    EXPECT_EQ(isa_of(kittens::best_kernel("registry_probe", "cpu", "amx")), "avx512_bf16");
    EXPECT_EQ(isa_of(kittens::best_kernel("registry_probe", "cpu", "avx512_bf16")), "avx512_bf16");
    EXPECT_EQ(isa_of(kittens::best_kernel("registry_probe", "cpu", "avx512")), "avx2");
    EXPECT_EQ(isa_of(kittens::best_kernel("registry_probe", "emulated")), "");
    EXPECT_EQ(kittens::best_kernel("registry_probe", "cpu", "sse"), nullptr);
}

TEST(registry, lists_in_order_and_names_once) {
    const auto all = kittens::kernels();
    EXPECT_TRUE(
        std::is_sorted(all.begin(), all.end(), [](auto* a, auto* b) { return std::string_view(a->name) < b->name; }));
    const auto names = kittens::kernel_names();
    EXPECT_EQ(std::count(names.begin(), names.end(), "registry_probe"), 1);
}

TEST(registry, the_same_record_twice_is_one) {
    const auto before = kittens::kernels().size();
    kittens::register_kernel(record_for("cpu", "avx2"));
    EXPECT_EQ(kittens::kernels().size(), before);
}

TEST(registry, modules) {
    kittens::register_module({"registry_module", words, words + 2, words + 2, words + 4});
    const auto* found = kittens::find_module("registry_module");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->software_begin, words + 2);
    EXPECT_EQ(kittens::find_module("other"), nullptr);
    const auto all = kittens::modules();
    EXPECT_NE(std::find(all.begin(), all.end(), found), all.end());
}

// In a process of its own: the registry of this one would stay in conflict.
TEST(registry_death, two_kernels_under_one_name_are_an_error_at_the_first_look_up) {
    const auto conflict = [] {
        kittens::register_kernel(
            {"registry_probe", "cpu", "avx2", [](const void*, void*) {}, one_group, 8, {}, nullptr});
        try {
            kittens::find_kernel("registry_probe", "cpu", "avx2");
        } catch (const kittens::error& e) {
            std::fputs(e.what(), stderr);
            std::exit(3);
        }
        std::exit(0);
    };
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(conflict(), testing::ExitedWithCode(3),
                "two different kernels are registered as registry_probe for cpu avx2");
}

}  // namespace
