// SPDX-License-Identifier: Apache-2.0
#include "kittens/inspect/spirv_select.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace kittens::inspect {
namespace {

enum opcode : std::uint32_t {
    op_name = 5,
    op_line = 8,
    op_entry_point = 15,
    op_execution_mode = 16,
    op_function = 54,
    op_function_end = 56,
    op_function_call = 57,
    op_decorate = 71,
    op_lifetime_start = 256,
    op_lifetime_stop = 257,
    op_execution_mode_id = 331,
    op_decorate_id = 332,
    op_decorate_string = 5632,
};

using words_view = std::span<const std::uint32_t>;
using id_set = std::unordered_set<std::uint32_t>;

struct function {
    std::size_t begin = 0, end = 0;  ///< words
    std::vector<std::uint32_t> calls;
    id_set ids;  ///< every id that one of its instructions may define, and some that they only use
};

/// Calls visit(opcode, instruction) for the instructions of `words`, which are well-formed.
template <class Visit> void each_instruction(words_view words, Visit visit) {
    for (std::size_t at = 0; at < words.size(); at += words[at] >> 16)
        visit(words[at] & 0xffff, words.subspan(at, words[at] >> 16), at);
}

/// Functions by id, and where the first begins.
struct functions_of {
    std::map<std::uint32_t, function> by_id;
    std::size_t first;

    functions_of(words_view words, std::size_t header) : first(words.size()) {
        function* open = nullptr;
        each_instruction(words.subspan(header), [&](std::uint32_t op, words_view i, std::size_t at) {
            at += header;
            if (op == op_function) {
                first = std::min(first, at);
                open = &by_id[i[2]];
                open->begin = at;
            }
            if (!open) return;
            if (op == op_function_call && i.size() > 3) open->calls.push_back(i[3]);
            // The result of an instruction is its first or second operand. What else stands there is an id as well, one
            // that is valid here, but for these.
            const bool literals = op == op_line || op == op_lifetime_start || op == op_lifetime_stop;
            if (!literals)
                for (std::size_t k = 1; k < std::min<std::size_t>(i.size(), 3); ++k) open->ids.insert(i[k]);
            if (op == op_function_end) {
                open->end = at + i.size();
                open = nullptr;
            }
        });
    }
};

/// Ids that types, constants and global variables define.
id_set global_ids(words_view preamble) {
    id_set ids;
    each_instruction(preamble, [&](std::uint32_t op, words_view i, std::size_t) {
        const bool is_type = op >= 19 && op <= 39;
        const bool is_value = op == 1 || (op >= 41 && op <= 52) || op == 59;  // OpUndef, constants, OpVariable
        const bool is_extension = op >= 4000 && op != op_decorate_string;     // either form
        const bool is_text = op == 7 || op == 11;                             // OpString, OpExtInstImport
        if ((is_type || is_text || is_extension) && i.size() > 1) ids.insert(i[1]);
        if ((is_value || is_extension) && i.size() > 2) ids.insert(i[2]);
    });
    return ids;
}

bool targets_one_id(std::uint32_t op) {
    return op == op_name || op == op_decorate || op == op_decorate_id || op == op_decorate_string;
}

}  // namespace

spirv_module select_kernel(const spirv_module& module, std::string_view name) {
    constexpr std::size_t header = 5;
    constexpr std::uint32_t model_kernel = 6;
    const auto entry = std::ranges::find_if(module.entry_points(), [&](const spirv_entry_point& e) {
        return e.name == name && e.execution_model == model_kernel;
    });
    if (entry == module.entry_points().end())
        throw spirv_error("the SPIR-V module has no kernel '" + std::string(name) + "'");

    const words_view words = module.words();
    const functions_of functions(words, header);
    id_set kept{entry->function};
    for (std::vector<std::uint32_t> open{entry->function}; !open.empty();) {
        const auto it = functions.by_id.find(open.back());
        open.pop_back();
        if (it == functions.by_id.end()) continue;
        for (const std::uint32_t callee : it->second.calls)
            if (kept.insert(callee).second) open.push_back(callee);
    }

    const words_view preamble = words.subspan(header, functions.first - header);
    id_set dropped, alive = global_ids(preamble);
    for (const auto& [id, f] : functions.by_id)
        (kept.contains(id) ? alive : dropped).insert(f.ids.begin(), f.ids.end());
    std::erase_if(dropped, [&](std::uint32_t id) { return alive.contains(id); });

    std::vector<std::uint32_t> result(words.begin(), words.begin() + header);
    const auto append = [&](words_view part) { result.insert(result.end(), part.begin(), part.end()); };
    each_instruction(preamble, [&](std::uint32_t op, words_view i, std::size_t) {
        if (op == op_entry_point && i[2] != entry->function) return;
        if ((op == op_execution_mode || op == op_execution_mode_id) && i[1] != entry->function) return;
        if (targets_one_id(op) && dropped.contains(i[1])) return;
        append(i);
    });
    // In the order of the module, which puts declarations first.
    std::vector<const function*> order;
    for (const auto& [id, f] : functions.by_id)
        if (kept.contains(id)) order.push_back(&f);
    std::ranges::sort(order, {}, &function::begin);
    for (const function* f : order) append(words.subspan(f->begin, f->end - f->begin));
    return spirv_module::parse(std::move(result));
}

bool has_named_barriers(const spirv_module& module) {
    constexpr std::size_t header = 5;
    constexpr std::uint32_t linkage_attributes = 41;
    const words_view words = module.words();
    bool found = false;
    each_instruction(words.subspan(header), [&](std::uint32_t op, words_view i, std::size_t) {
        if (op != op_decorate || i.size() < 4 || i[2] != linkage_attributes) return;
        std::string name;
        for (const std::uint32_t w : i.subspan(3))
            for (int shift = 0; shift < 32; shift += 8) name += static_cast<char>(w >> shift & 0xff);
        found = found || name.starts_with("_Z18named_barrier_init") || name.starts_with("_Z24work_group_named_barrier");
    });
    return found;
}

}  // namespace kittens::inspect
