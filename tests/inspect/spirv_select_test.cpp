// SPDX-License-Identifier: Apache-2.0
// A module reduced to one of its kernels.
#include "kittens/inspect/spirv_select.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

namespace {

using namespace kittens::inspect;
using words = std::vector<std::uint32_t>;

/// Appends an instruction; its word count is computed.
void add(words& to, std::uint32_t opcode, std::initializer_list<std::uint32_t> operands, const std::string& text = {},
         std::initializer_list<std::uint32_t> after = {}) {
    words i(operands);
    if (!text.empty()) {
        words packed(text.size() / 4 + 1, 0);
        for (std::size_t c = 0; c < text.size(); ++c) packed[c / 4] |= std::uint32_t(text[c]) << c % 4 * 8;
        i.insert(i.end(), packed.begin(), packed.end());
    }
    i.insert(i.end(), after.begin(), after.end());
    to.push_back(std::uint32_t(i.size() + 1) << 16 | opcode);
    to.insert(to.end(), i.begin(), i.end());
}

enum : std::uint32_t {
    type_void = 1,
    type_f,
    type_int,
    constant,
    fn_shared,
    fn_a,
    fn_b,
    only_b,
    kernel_a,
    kernel_b,
    bound = 40
};

/// kernel_a calls fn_a, kernel_b calls fn_b and only_b; both helpers call fn_shared.
spirv_module two_kernels() {
    words w{0x07230203, 0x00010000, 0, bound, 0};
    add(w, 17, {4});
    add(w, 17, {6});
    add(w, 14, {2, 2});
    add(w, 15, {6, kernel_a}, "a");
    add(w, 15, {6, kernel_b}, "b");
    add(w, 16, {kernel_a, 17, 16, 1, 1});  // LocalSize
    add(w, 16, {kernel_b, 17, 32, 1, 1});
    for (const auto& [id, name] : {std::pair<std::uint32_t, const char*>{constant, "constant"},
                                   {fn_shared, "fn_shared"},
                                   {fn_a, "fn_a"},
                                   {fn_b, "fn_b"},
                                   {only_b, "only_b"},
                                   {20, "in_a"},
                                   {30, "in_b"}})
        add(w, 5, {id}, name);
    add(w, 71, {30, 44, 4});  // Alignment
    add(w, 71, {20, 44, 8});
    add(w, 19, {type_void});
    add(w, 33, {type_f, type_void});
    add(w, 21, {type_int, 32, 0});
    add(w, 43, {type_int, constant, 30});  // its literal is the id of something that goes
    const auto function = [&](std::uint32_t id, std::uint32_t first_local, std::initializer_list<std::uint32_t> calls) {
        add(w, 54, {type_void, id, 0, type_f});
        add(w, 248, {first_local});
        std::uint32_t local = first_local;
        for (const std::uint32_t callee : calls) add(w, 57, {type_void, ++local, callee});
        add(w, 253, {});
        add(w, 56, {});
    };
    function(fn_shared, 11, {});
    function(fn_b, 13, {fn_shared});
    function(fn_a, 15, {fn_shared});
    function(only_b, 17, {});
    function(kernel_a, 19, {fn_a});          // defines 20
    function(kernel_b, 29, {fn_b, only_b});  // defines 30 and 31
    return spirv_module::parse(w);
}

/// What OpFunction defines, in order.
words functions(const spirv_module& m) {
    words ids;
    const auto w = m.words();
    for (std::size_t at = 5; at < w.size(); at += w[at] >> 16)
        if ((w[at] & 0xffff) == 54) ids.push_back(w[at + 2]);
    return ids;
}
/// Targets of the instructions with this opcode.
words targets(const spirv_module& m, std::uint32_t opcode) {
    words ids;
    const auto w = m.words();
    for (std::size_t at = 5; at < w.size(); at += w[at] >> 16)
        if ((w[at] & 0xffff) == opcode) ids.push_back(w[at + 1]);
    return ids;
}

TEST(spirv_select, keeps_what_the_kernel_calls) {
    const auto a = select_kernel(two_kernels(), "a");
    ASSERT_EQ(a.entry_points().size(), 1u);
    EXPECT_EQ(a.entry_points()[0].name, "a");
    EXPECT_EQ((*a.entry_points()[0].local_size)[0], 16u);
    EXPECT_EQ(functions(a), (words{fn_shared, fn_a, kernel_a}));
    const auto b = select_kernel(two_kernels(), "b");
    EXPECT_EQ((*b.entry_points()[0].local_size)[0], 32u);
    EXPECT_EQ(functions(b), (words{fn_shared, fn_b, only_b, kernel_b}));
}

TEST(spirv_select, names_and_decorations_go_with_what_they_are_for) {
    const auto a = select_kernel(two_kernels(), "a");
    EXPECT_EQ(targets(a, 5), (words{constant, fn_shared, fn_a, 20}));
    EXPECT_EQ(targets(a, 71), words{20});
    const auto b = select_kernel(two_kernels(), "b");
    EXPECT_EQ(targets(b, 5), (words{constant, fn_shared, fn_b, only_b, 30}));
    EXPECT_EQ(targets(b, 71), words{30});
}

TEST(spirv_select, once_more_changes_nothing) {
    const auto once = select_kernel(two_kernels(), "b"), twice = select_kernel(once, "b");
    EXPECT_TRUE(std::ranges::equal(once.words(), twice.words()));
}

TEST(spirv_select, unknown_kernel) {
    try {
        select_kernel(two_kernels(), "c");
        FAIL() << "nothing was thrown";
    } catch (const spirv_error& e) {
        EXPECT_NE(std::string(e.what()).find("'c'"), std::string::npos) << e.what();
    }
}

}  // namespace
