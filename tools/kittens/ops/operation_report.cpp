// SPDX-License-Identifier: Apache-2.0
#include "ops/operation_report.hpp"

#include <kittens/inspect/assembly.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace kittens::tool {

namespace {

constexpr unsigned registers = 256;
constexpr std::string_view prefix = "op_";

bool touches_memory(const inspect::kernel_report& k) {
    const auto has = [&](const char* kind) {
        const auto found = k.counts.other.find(kind);
        return found != k.counts.other.end() && found->second > 0;
    };
    return k.spill_bytes > 0 || k.private_bytes > 0 || k.scratch_bytes > 0 || has("scratch_load") || has("scratch_store");
}

operation_cost difference(const operation_cost& a, const operation_cost& b) {
    return {a.instructions - b.instructions, a.dpas - b.dpas, a.sends - b.sends, a.moves - b.moves, a.alu - b.alu, a.math - b.math, a.compare - b.compare, a.lane_moves - b.lane_moves};
}

json to_json(const operation_cost& c) {
    return {{"instructions", c.instructions}, {"dpas", c.dpas}, {"sends", c.sends}, {"moves", c.moves}, {"alu", c.alu}, {"math", c.math}, {"compare", c.compare}, {"lane_moves", c.lane_moves}};
}

/// Sends by kind, those that are none left out; without the kernel's own start and end.
std::vector<std::pair<std::string, unsigned>> messages_of(const inspect::instruction_counts& c) {
    std::vector<std::pair<std::string, unsigned>> found;
    for (const auto& [kind, count] : {std::pair("block_load", c.block_loads), {"transform_load", c.transform_loads}, {"transpose_load", c.transpose_loads},
                                      {"prefetch", c.prefetches}, {"block_store", c.block_stores}})
        if (count > 0) found.emplace_back(kind, count);
    for (const auto& [kind, count] : c.other)
        if (count > 0 && kind != "argument_load" && kind != "end_of_thread") found.emplace_back(kind, count);
    return found;
}

}  // namespace

operation_cost cost_of(const inspect::kernel_report& kernel) {
    const inspect::instruction_counts& c = kernel.counts;
    operation_cost cost{int(c.instructions), int(c.dpas), int(c.sends()), int(c.moves), int(c.alu), int(c.math), int(c.compare), 0};
    for (const inspect::instruction& in : inspect::parse_assembly(kernel.assembly).code)
        cost.lane_moves += in.cls == inspect::op_class::move && in.opcode == "mov" && in.exec >= 4 && in.exec < 16;
    return cost;
}

const compiled_operation* operations_report::find(std::string_view name) const {
    const auto at = std::find_if(operations.begin(), operations.end(), [&](const auto& o) { return o.what.name == name; });
    return at == operations.end() ? nullptr : &*at;
}

std::vector<std::string> operations_report::in_memory() const {
    std::vector<std::string> names;
    for (const compiled_operation& o : operations)
        if (touches_memory(o.kernel)) names.emplace_back(o.what.name);
    return names;
}

operations_report compile_operations(inspect::gpu device, const std::filesystem::path& include, const std::filesystem::path& freestanding) {
    const std::vector<operation_kernel> kernels = operation_kernels_for(device);
    inspect::inspect_options request;
    request.source.emplace();
    request.source->text = operation_source(kernels, device);
    request.source->include_dirs = {include};
    request.source->flags = {"-isystem", freestanding.string()};
    request.device = device;
    request.native.grf = registers;
    inspect::report compiled = inspect::run(request);

    operations_report result{device, std::move(compiled.compiler), {}, std::move(compiled.warnings)};
    for (const operation_kernel& what : kernels) {
        const auto at = std::find_if(compiled.kernels.begin(), compiled.kernels.end(),
                                     [&](const auto& k) { return k.name.starts_with(prefix) && std::string_view(k.name).substr(prefix.size()) == what.name; });
        if (at == compiled.kernels.end()) throw inspect::inspect_error(fmt::format("the compiled module has no kernel {}{}", prefix, what.name));
        result.operations.push_back({what, std::move(*at), {}, {}});
        result.operations.back().whole = cost_of(result.operations.back().kernel);
    }
    for (compiled_operation& o : result.operations)
        if (o.what.frame) {
            const compiled_operation* frame = result.find(o.what.frame);
            if (!frame) throw inspect::inspect_error(fmt::format("{}: there is no frame {}", o.what.name, o.what.frame));
            o.own = difference(o.whole, frame->whole);
        }
    return result;
}

std::string to_text(const operations_report& report) {
    std::string text = fmt::format("tile operations on {}, {} registers; compiled, not run", inspect::gpu_name(report.device), registers);
    for (const auto& [tool, version] : report.compiler) text += fmt::format("; {} {}", tool, version);
    text += "\n\n";
    text += fmt::format("{:<24} {:>12} {:>5} {:>5} {:>11} {:>6} {:>8}  {}\n", "one-operation kernel", "instructions", "own", "dpas", "lane moves", "spill", "scratch", "messages");
    for (const compiled_operation& o : report.operations) {
        std::vector<std::string> messages;
        for (const auto& [kind, count] : messages_of(o.kernel.counts)) messages.push_back(fmt::format("{} {}", count, kind));
        const unsigned scratch = std::max(o.kernel.scratch_bytes, o.kernel.private_bytes);
        text += fmt::format("{:<24} {:>12} {:>5} {:>5} {:>11} {:>6} {:>8}  {}\n", o.what.name, o.whole.instructions, o.own ? std::to_string(o.own->instructions) : "",
                            o.whole.dpas, o.whole.lane_moves, o.kernel.spill_bytes, scratch, fmt::join(messages, ", "));
    }
    text += "\nown: instructions more than those of the same kernel without the operation. lane moves: moves of 4 to 15 lanes.\n";
    const std::vector<std::string> memory = report.in_memory();
    text += memory.empty() ? std::string("No operation spills or touches scratch memory.\n")
                           : fmt::format("In memory (spills or scratch): {}\n", fmt::join(memory, ", "));
    return text;
}

json to_json(const operations_report& report) {
    json operations = json::array(), compiler = json::object();
    for (const auto& [tool, version] : report.compiler) compiler[tool] = version;
    for (const compiled_operation& o : report.operations) {
        json messages = json::object();
        for (const auto& [kind, count] : messages_of(o.kernel.counts)) messages[kind] = count;
        operations.push_back({{"name", o.what.name},
                              {"operation", o.what.operation},
                              {"operands", o.what.shape},
                              {"kernel", to_json(o.whole)},
                              {"own", o.own ? to_json(*o.own) : json(nullptr)},
                              {"sends", messages},
                              {"messages", o.kernel.messages},
                              {"spill_bytes", o.kernel.spill_bytes},
                              {"private_bytes", o.kernel.private_bytes},
                              {"scratch_bytes", o.kernel.scratch_bytes}});
    }
    return {{"device", inspect::gpu_name(report.device)}, {"grf", registers}, {"compiler", compiler}, {"operations", operations}, {"warnings", report.warnings}};
}

}  // namespace kittens::tool
