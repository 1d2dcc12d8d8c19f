// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "kittens/inspect/assembly.hpp"

namespace kittens::inspect {
namespace {

/// For each instruction, those that may run directly after it.
std::vector<std::vector<std::size_t>> successors(const program& code) {
    std::vector<std::vector<std::size_t>> next(code.code.size());
    for (std::size_t i = 0; i < code.code.size(); ++i) {
        const auto& in = code.code[i];
        // Only a plain jump leaves nothing behind; the structured branches may keep lanes here.
        const bool falls_through = !(in.opcode == "jmpi" && in.unconditional()) && in.send != send_kind::end_of_thread;
        if (falls_through && i + 1 < code.code.size()) next[i].push_back(i + 1);
        if (in.cls != op_class::control || in.opcode.starts_with("call")) continue;
        for (const auto& operand : in.operands)
            if (const auto it = code.labels.find(operand); it != code.labels.end()) next[i].push_back(it->second);
    }
    return next;
}

std::string label_at(const program& code, std::size_t index) {
    for (const auto& [name, at] : code.labels)
        if (at == index) return name;
    return {};
}

}  // namespace

std::vector<loop> find_loops(const program& code) {
    const auto next = successors(code);
    std::vector<std::vector<std::size_t>> previous(code.code.size());
    std::map<std::size_t, std::vector<std::size_t>> latches;  // by header
    for (std::size_t i = 0; i < next.size(); ++i)
        for (const std::size_t to : next[i]) {
            previous[to].push_back(i);
            if (to <= i) latches[to].push_back(i);
        }

    std::vector<loop> loops;
    for (const auto& [header, ends] : latches) {
        // The natural loop: whatever reaches a backward jump without passing the header.
        std::vector<bool> inside(code.code.size(), false);
        inside[header] = true;
        std::vector<std::size_t> work;
        for (const std::size_t end : ends)
            if (!inside[end]) {
                inside[end] = true;
                work.push_back(end);
            }
        while (!work.empty()) {
            const std::size_t at = work.back();
            work.pop_back();
            for (const std::size_t before : previous[at])
                if (before >= header && !inside[before]) {
                    inside[before] = true;
                    work.push_back(before);
                }
        }
        loop found;
        found.label = label_at(code, header);
        found.header = header;
        for (std::size_t i = 0; i < inside.size(); ++i)
            if (inside[i]) found.members.push_back(i);
        loops.push_back(std::move(found));
    }

    // Outer loops first: they have more members than what they contain.
    std::ranges::sort(loops, [](const loop& a, const loop& b) {
        return std::pair(b.members.size(), a.header) < std::pair(a.members.size(), b.header);
    });
    std::vector<int> innermost(code.code.size(), -1);
    for (std::size_t l = 0; l < loops.size(); ++l) {
        loops[l].parent = innermost[loops[l].header];
        for (const std::size_t i : loops[l].members) innermost[i] = static_cast<int>(l);
    }
    for (std::size_t i = 0; i < innermost.size(); ++i)
        if (innermost[i] >= 0) loops[static_cast<std::size_t>(innermost[i])].own.push_back(i);
    return loops;
}

std::optional<std::size_t> main_loop(const program& code, const std::vector<loop>& loops) {
    using weight = std::tuple<std::size_t, std::size_t, std::size_t>;
    const auto weigh = [&](const loop& l) {
        weight w{0, 0, l.own.size()};
        for (const std::size_t i : l.own) {
            std::get<0>(w) += code.code[i].cls == op_class::dpas;
            std::get<1>(w) += code.code[i].cls == op_class::send;
        }
        return w;
    };
    std::optional<std::size_t> best;
    for (std::size_t l = 0; l < loops.size(); ++l)
        if (!best || weigh(loops[l]) >= weigh(loops[*best])) best = l;
    return best;
}

}  // namespace kittens::inspect
