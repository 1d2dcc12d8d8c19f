// SPDX-License-Identifier: Apache-2.0
#include "kittens/inspect/spirv_loops.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace kittens::inspect {
namespace {

enum opcode : std::uint32_t {
    op_extension = 10,
    op_capability = 17,
    op_function = 54,
    op_label = 248,
    op_branch = 249,
    op_branch_conditional = 250,
    op_switch = 251,
    op_loop_control = 5887,
};
constexpr std::uint32_t capability_loop_controls = 5886, dont_unroll = 2;
constexpr std::string_view extension = "SPV_INTEL_unstructured_loop_controls";
constexpr std::size_t header = 5;

using words_view = std::span<const std::uint32_t>;

template <class Visit> void each_instruction(words_view words, Visit visit) {
    for (std::size_t at = header; at < words.size(); at += words[at] >> 16)
        visit(words[at] & 0xffff, words.subspan(at, words[at] >> 16));
}

/// Calls visit(label) for the blocks that a branch leads to. A switch's targets stand between its literals, which look the
/// same: literals that happen to be labels only mark a block that is no loop, which means nothing.
template <class Visit> void each_target(std::uint32_t op, words_view i, Visit visit) {
    const std::size_t first = op == op_branch ? 1 : 2, last = op == op_branch_conditional ? 4 : i.size();
    if (op == op_branch || op == op_branch_conditional || op == op_switch)
        for (std::size_t k = first; k < std::min(last, i.size()); ++k) visit(i[k]);
}

/// Blocks that are branched to from where they are, or from further down.
std::unordered_set<std::uint32_t> loop_heads(words_view words) {
    std::unordered_set<std::uint32_t> seen, heads;
    each_instruction(words, [&](std::uint32_t op, words_view i) {
        if (op == op_function) seen.clear();
        if (op == op_label) seen.insert(i[1]);
        each_target(op, i, [&](std::uint32_t label) {
            if (seen.contains(label)) heads.insert(label);
        });
    });
    return heads;
}

void append_extension(std::vector<std::uint32_t>& to) {
    std::vector<std::uint32_t> text(extension.size() / 4 + 1);
    for (std::size_t k = 0; k < extension.size(); ++k)
        text[k / 4] |= static_cast<std::uint32_t>(static_cast<unsigned char>(extension[k])) << (8 * (k % 4));
    to.push_back(static_cast<std::uint32_t>(text.size() + 1) << 16 | op_extension);
    to.insert(to.end(), text.begin(), text.end());
}

}  // namespace

spirv_module keep_loops(const spirv_module& module) {
    const words_view words = module.words();
    const auto heads = loop_heads(words);
    const auto& known = module.extensions();
    if (heads.empty() || std::ranges::find(known, extension) != known.end()) return module;

    std::vector<std::uint32_t> result(words.begin(), words.begin() + header);
    result.insert(result.end(), {2U << 16 | op_capability, capability_loop_controls});
    bool extended = false;
    std::uint32_t block = 0;
    each_instruction(words, [&](std::uint32_t op, words_view i) {
        if (op != op_capability && !extended) {
            append_extension(result);
            extended = true;
        }
        if (op == op_label) block = i[1];
        if ((op == op_branch || op == op_branch_conditional) && heads.contains(block))
            result.insert(result.end(), {2U << 16 | op_loop_control, dont_unroll});
        result.insert(result.end(), i.begin(), i.end());
    });
    return spirv_module::parse(std::move(result));
}

}  // namespace kittens::inspect
