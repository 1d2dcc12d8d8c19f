// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kittens/inspect/report.hpp"

namespace kittens::inspect {
namespace {

using json = nlohmann::ordered_json;

json counts_json(const instruction_counts& c) {
    return {{"instructions", c.instructions},
            {"dpas", c.dpas},
            {"block_loads", c.block_loads},
            {"transform_loads", c.transform_loads},
            {"transpose_loads", c.transpose_loads},
            {"prefetches", c.prefetches},
            {"block_stores", c.block_stores},
            {"other_sends", c.other_sends},
            {"sends", c.sends()},
            {"moves", c.moves},
            {"alu", c.alu},
            {"math", c.math},
            {"compare", c.compare},
            {"control", c.control},
            {"sync", c.sync},
            {"nop", c.nop},
            {"other", c.other}};
}

template <class T>
json or_null(const std::optional<T>& value) {
    return value ? json(*value) : json(nullptr);
}

json loop_json(const loop_report& l) {
    json result = counts_json(l.counts);
    result["label"] = l.label;
    result["nested_loops"] = l.nested_loops;
    result["dpas_share"] = static_cast<double>(l.counts.dpas) / l.counts.instructions;
    result["loaded_bytes"] = or_null(l.loaded_bytes);
    result["prefetched_bytes"] = or_null(l.prefetched_bytes);
    if (l.k_steps == 0) {
        result["k_steps"] = nullptr;
    } else {
        result["k_steps"] = l.k_steps;
        json& step = result["per_k_step"] = json::object();
        const json whole_loop = counts_json(l.counts);
        for (const auto& [key, value] : whole_loop.items()) {
            if (!value.is_number()) continue;
            const unsigned whole = value.get<unsigned>();
            if (whole % l.k_steps == 0) step[key] = whole / l.k_steps;
            else step[key] = static_cast<double>(whole) / l.k_steps;
        }
    }
    return result;
}

}  // namespace

std::string to_json(const report& result) {
    json compiler = json::object();
    for (const auto& [tool, version] : result.compiler) compiler[tool] = version;
    json kernels = json::array();
    for (const auto& k : result.kernels)
        kernels.push_back({{"name", k.name},
                           {"simd", k.simd},
                           {"grf", k.grf},
                           {"spill_bytes", k.spill_bytes},
                           {"private_bytes", k.private_bytes},
                           {"scratch_bytes", k.scratch_bytes},
                           {"slm_bytes", k.slm_bytes},
                           {"barriers", k.barriers},
                           {"threads_per_eu", k.threads_per_eu},
                           {"instructions", k.counts.instructions},
                           {"counts", counts_json(k.counts)},
                           {"messages", k.messages},
                           {"undecoded", k.undecoded},
                           {"loops", k.loops},
                           {"main_loop", k.main_loop ? loop_json(*k.main_loop) : json(nullptr)}});
    const json document{{"device", gpu_name(result.device)},
                        {"compiler", compiler},
                        {"kernels", kernels},
                        {"warnings", result.warnings}};
    return document.dump(2) + "\n";
}

namespace {

std::string share(unsigned part, unsigned whole) {
    return whole == 0 ? "" : fmt::format("{:.0f} %", 100.0 * part / whole);
}

void append_sends(std::string& out, const loop_report& l) {
    // Equal sends are one line with their number.
    std::vector<std::pair<std::string, unsigned>> groups;
    for (const auto& line : l.lines) {
        if (line.text.find("send") == std::string::npos || line.note.empty()) continue;
        const auto it = std::ranges::find(groups, line.note, &std::pair<std::string, unsigned>::first);
        if (it == groups.end()) groups.emplace_back(line.note, 1);
        else ++it->second;
    }
    for (const auto& [note, number] : groups) out += fmt::format("    {:>3} x {}\n", number, note);
}

}  // namespace

std::string to_text(const report& result) {
    std::string out = fmt::format("machine code for {} (compiled, not run)", gpu_name(result.device));
    const char* separator = ":  ";
    for (const auto& [tool, version] : result.compiler) {
        out += fmt::format("{}{} {}", separator, tool, version);
        separator = ", ";
    }
    out += '\n';
    for (const auto& k : result.kernels) {
        out += fmt::format("\nkernel {}\n", k.name);
        out += fmt::format(
            "  SIMD {}   registers {}   spill {} B   private {} B   SLM {} B   barriers {}   threads/EU {}\n", k.simd,
            k.grf, k.spill_bytes, k.private_bytes, k.slm_bytes, k.barriers, k.threads_per_eu);
        const bool looped = k.main_loop.has_value();
        const instruction_counts none;
        const auto& loop = looped ? k.main_loop->counts : none;
        out += fmt::format("\n  {:<18}{:>12}{:>14}{:>8}\n", "instructions", "kernel", looped ? "main loop" : "", "");
        const auto line = [&](const char* name, unsigned whole, unsigned part, bool always) {
            if (whole == 0 && !always) return;
            if (looped)
                out += fmt::format("  {:<18}{:>12}{:>14}{:>8}\n", name, whole, part, share(part, loop.instructions));
            else out += fmt::format("  {:<18}{:>12}\n", name, whole);
        };
        const auto& all = k.counts;
        line("total", all.instructions, loop.instructions, true);
        line("dpas", all.dpas, loop.dpas, true);
        line("2-D loads, plain", all.block_loads, loop.block_loads, true);
        line("2-D loads, packed", all.transform_loads, loop.transform_loads, true);
        line("2-D loads, transp.", all.transpose_loads, loop.transpose_loads, false);
        line("2-D prefetches", all.prefetches, loop.prefetches, true);
        line("2-D stores", all.block_stores, loop.block_stores, false);
        line("other sends", all.other_sends, loop.other_sends, true);
        line("moves", all.moves, loop.moves, true);
        line("integer and float", all.alu, loop.alu, true);
        line("math", all.math, loop.math, false);
        line("compare", all.compare, loop.compare, false);
        line("jumps", all.control, loop.control, false);
        line("sync", all.sync, loop.sync, true);
        if (!looped) {
            out += "\n  no loop\n";
            continue;
        }
        const auto& l = *k.main_loop;
        out += fmt::format("\n  sends of the main loop ({}{}):\n", l.label,
                           l.k_steps > 1 ? fmt::format(", {} steps of K per iteration", l.k_steps) : "");
        append_sends(out, l);
        const auto bytes = [](const std::optional<unsigned>& b) { return b ? fmt::format("{} B", *b) : "unknown"; };
        if (!l.blocks.empty())
            out += fmt::format("  2-D blocks per iteration and subgroup: {} loaded, {} prefetched\n",
                               bytes(l.loaded_bytes), bytes(l.prefetched_bytes));
    }
    for (const auto& warning : result.warnings) out += "\nwarning: " + warning;
    if (!result.warnings.empty()) out += '\n';
    return out;
}

std::string annotated_main_loop(const kernel_report& kernel) {
    std::string out;
    if (!kernel.main_loop) return out;
    for (const auto& line : kernel.main_loop->lines) {
        if (!line.label.empty()) out += line.label + ":\n";
        if (line.note.empty()) out += "    " + line.text + "\n";
        else out += fmt::format("    {:<76} // {}\n", line.text, line.note);
    }
    return out;
}

std::string side_by_side(std::span<const report_column> columns) {
    std::size_t width = 10;
    for (const auto& column : columns) width = std::max(width, column.title.size() + 2);
    std::string out = fmt::format("{:<22}", "");
    for (const auto& column : columns) out += fmt::format("{:>{}}", column.title, width);
    out += '\n';
    const auto line = [&](const char* name, auto&& value) {
        out += fmt::format("{:<22}", name);
        for (const auto& column : columns) out += fmt::format("{:>{}}", value(*column.kernel), width);
        out += '\n';
    };
    const auto in_loop = [&](const char* name, auto&& value) {
        line(name, [&](const kernel_report& k) { return k.main_loop ? value(*k.main_loop) : std::string("-"); });
    };
    const auto count = [&](const char* name, unsigned instruction_counts::* member) {
        in_loop(name, [member](const loop_report& l) { return std::to_string(l.counts.*member); });
    };
    const auto bytes = [](const std::optional<unsigned>& b) { return b ? std::to_string(*b) : std::string("?"); };
    line("registers", [](const kernel_report& k) { return std::to_string(k.grf); });
    line("spill bytes", [](const kernel_report& k) { return std::to_string(k.spill_bytes); });
    line("SLM bytes", [](const kernel_report& k) { return std::to_string(k.slm_bytes); });
    line("instructions", [](const kernel_report& k) { return std::to_string(k.counts.instructions); });
    count("main loop", &instruction_counts::instructions);
    count("  dpas", &instruction_counts::dpas);
    in_loop("  dpas share", [](const loop_report& l) { return share(l.counts.dpas, l.counts.instructions); });
    count("  2-D loads, plain", &instruction_counts::block_loads);
    count("  2-D loads, packed", &instruction_counts::transform_loads);
    count("  2-D loads, transp.", &instruction_counts::transpose_loads);
    count("  2-D prefetches", &instruction_counts::prefetches);
    count("  2-D stores", &instruction_counts::block_stores);
    count("  other sends", &instruction_counts::other_sends);
    count("  moves", &instruction_counts::moves);
    count("  integer and float", &instruction_counts::alu);
    count("  sync", &instruction_counts::sync);
    in_loop("  bytes loaded", [&](const loop_report& l) { return bytes(l.loaded_bytes); });
    in_loop("  bytes prefetched", [&](const loop_report& l) { return bytes(l.prefetched_bytes); });
    return out;
}

}  // namespace kittens::inspect
