// SPDX-License-Identifier: Apache-2.0
// Loops that a device's compiler must leave as they are.
#include "kittens/inspect/spirv_loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

namespace {

using namespace kittens::inspect;
using words = std::vector<std::uint32_t>;

void add(words& to, std::uint32_t opcode, std::initializer_list<std::uint32_t> operands) {
    to.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | opcode);
    to.insert(to.end(), operands);
}

enum : std::uint32_t { type_void = 1, type_f, yes, kernel, entry, head, body, latch, alone, end, bound = 40 };
enum : std::uint32_t { op_label = 248, op_branch, op_branch_conditional, op_switch, op_loop_control = 5887, dont_unroll = 2 };

void block(words& w, std::uint32_t label) { add(w, op_label, {label}); }

/// A kernel of `body`: what stands between its OpFunction and OpFunctionEnd.
spirv_module module_of(const words& body) {
    words w{0x07230203, 0x00010000, 0, bound, 0};
    add(w, 17, {4});
    add(w, 17, {6});
    add(w, 14, {2, 2});
    add(w, 15, {6, kernel, 'k'});  // OpEntryPoint
    add(w, 19, {type_void});
    add(w, 33, {type_f, type_void});
    add(w, 54, {type_void, kernel, 0, type_f});
    w.insert(w.end(), body.begin(), body.end());
    add(w, 56, {});
    return spirv_module::parse(w);
}

/// Labels of the blocks that end in "do not unroll, branch", and whether the mark stands there and nowhere else.
std::vector<std::uint32_t> marked(const spirv_module& m) {
    std::vector<std::uint32_t> labels;
    std::uint32_t label = 0;
    bool before = false;
    const auto w = m.words();
    for (std::size_t at = 5; at < w.size(); at += w[at] >> 16) {
        const std::uint32_t op = w[at] & 0xffff;
        if (before) EXPECT_TRUE(op == op_branch || op == op_branch_conditional) << "in block " << label;
        before = op == op_loop_control;
        if (op == op_label) label = w[at + 1];
        if (before) {
            EXPECT_EQ(w[at], 2U << 16 | op_loop_control);
            EXPECT_EQ(w[at + 1], dont_unroll);
            labels.push_back(label);
        }
    }
    return labels;
}

words loops() {
    words w;
    block(w, entry);
    add(w, op_branch, {head});
    block(w, head);
    add(w, op_branch_conditional, {yes, body, alone});
    block(w, body);
    add(w, op_branch, {latch});
    block(w, latch);
    add(w, op_branch, {head});
    block(w, alone);  // a loop of one block
    add(w, op_branch_conditional, {yes, alone, end});
    block(w, end);
    add(w, 253, {});
    return w;
}

TEST(keep_loops, marks_the_heads_and_says_so) {
    const spirv_module before = module_of(loops());
    const spirv_module after = keep_loops(before);
    EXPECT_EQ(marked(before), std::vector<std::uint32_t>());
    EXPECT_EQ(marked(after), (std::vector<std::uint32_t>{head, alone}));
    EXPECT_TRUE(after.has_capability(5886));
    EXPECT_EQ(std::ranges::count(after.extensions(), "SPV_INTEL_unstructured_loop_controls"), 1);
    EXPECT_EQ(after.entry_points().size(), 1U);
}

TEST(keep_loops, twice_is_once) {
    const spirv_module once = keep_loops(module_of(loops()));
    EXPECT_TRUE(std::ranges::equal(keep_loops(once).words(), once.words()));
}

TEST(keep_loops, leaves_a_module_without_loops_alone) {
    words w;
    block(w, entry);
    add(w, op_branch_conditional, {yes, body, end});
    block(w, body);
    add(w, op_branch, {end});
    block(w, end);
    add(w, 253, {});
    const spirv_module m = module_of(w);
    EXPECT_TRUE(std::ranges::equal(keep_loops(m).words(), m.words()));
}

// Weights of a conditional branch are numbers, not labels; so is a switch's head without a branch to mark.
TEST(keep_loops, weights_and_switches) {
    words w;
    block(w, entry);
    add(w, op_branch, {head});
    block(w, head);
    add(w, op_switch, {yes, end, 1, body});
    block(w, body);
    add(w, op_branch, {head});
    block(w, end);
    add(w, op_branch_conditional, {yes, latch, alone, entry, entry});
    block(w, latch);
    add(w, 253, {});
    block(w, alone);
    add(w, 253, {});
    EXPECT_EQ(marked(keep_loops(module_of(w))), std::vector<std::uint32_t>());
}

}  // namespace
