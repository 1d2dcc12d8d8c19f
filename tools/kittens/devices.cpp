// SPDX-License-Identifier: Apache-2.0
// kittens devices: what kernels can be run on here, what they can be compiled for, and what is missing.
#include "commands.hpp"
#include "console.hpp"
#include "text.hpp"

#include <kittens/inspect/toolchain.hpp>
#include <kittens/runtime/runtime.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kittens::tool {

namespace {

constexpr const char* targets[] = {"cpu", "emulated", "xe"};

json to_json(const device& d) {
    const device_properties& p = d.properties();
    json caches = json::array();
    for (const auto& c : p.caches)
        caches.push_back({{"level", c.level > 0 ? json(c.level) : json(nullptr)},
                          {"type", c.type},
                          {"bytes", c.bytes},
                          {"shared_by", c.shared_by}});
    return {{"id", d.id()},
            {"target", p.target},
            {"name", p.name},
            {"vendor", p.vendor},
            {"driver_version", p.driver_version},
            {"backend", p.backend},
            {"isa", p.isa},
            {"mode", p.mode},
            {"is_gpu", p.is_gpu},
            {"cores", p.cores},
            {"threads", p.threads},
            {"memory_bytes", p.memory_bytes},
            {"free_memory_bytes", available_memory(d)},
            {"max_allocation_bytes", p.max_allocation_bytes},
            {"slm_bytes", p.slm_bytes},
            {"max_subgroups", p.max_subgroups},
            {"subgroup_sizes", p.subgroup_sizes},
            {"caches", caches},
            {"extensions", p.extensions}};
}

struct compilers {
    json tools = json::object();
    bool complete = true;
    std::vector<missing_part> missing;
};

compilers find_compilers() {
    using inspect::tool;
    compilers result;
    const auto note = [&](std::string what) {
        result.complete = false;
        result.missing.push_back({std::move(what), "kittens inspect does not work", "./scripts/setup.sh"});
    };
    try {
        const auto found = inspect::toolchain::locate();
        for (const tool t : {tool::clang, tool::ocloc, tool::iga}) {
            const auto* info = found.find(t);
            result.tools[inspect::tool_name(t)] =
                info ? json{{"version", info->version}, {"path", info->path.string()}} : json(nullptr);
            if (!info) note(fmt::format("{} was not found", inspect::tool_name(t)));
        }
    } catch (const inspect::inspect_error& e) {
        // A tool named by a variable is not there: the others are not looked for.
        note(e.what());
    }
    return result;
}

std::string details(const device_properties& p) {
    std::vector<std::string> parts;
    if (p.backend == "host") parts.push_back(fmt::format("{} threads", p.threads));
    else parts.push_back(fmt::format("{} compute units", p.cores));
    if (!p.mode.empty())
        parts.push_back(p.mode == "native" ? "matrix and 2-D block instructions" : "software instruction library");
    if (p.target == "emulated") parts.push_back("checks every instruction");
    parts.push_back(fmt::format("{} memory", show_bytes(p.memory_bytes)));
    if (p.slm_bytes > 0) parts.push_back(fmt::format("{} shared local memory", show_bytes(p.slm_bytes)));
    if (p.max_subgroups > 0) parts.push_back(fmt::format("up to {} subgroups", p.max_subgroups));
    return fmt::format("{}", fmt::join(parts, ", "));
}

int list_devices(const std::string& json_path) {
    const console out(json_path);
    const auto& all = devices();
    const compilers found = find_compilers();
    std::vector<missing_part> missing = missing_parts();
    missing.insert(missing.end(), found.missing.begin(), found.missing.end());

    std::string text;
    json target_list = json::array(), device_list = json::array(), missing_list = json::array();
    for (const char* target : targets) {
        const auto count = std::count_if(all.begin(), all.end(), [&](const device& d) { return d.target() == target; });
        target_list.push_back({{"name", target}, {"available", count > 0}, {"devices", count}});
        text += fmt::format("{}{}\n", target, count > 0 ? "" : ": no device");
        for (const device& d : all)
            if (d.target() == target)
                text += fmt::format("  {:<16} {}\n  {:<16} {}\n", d.id(), d.name(), "", details(d.properties()));
    }
    for (const device& d : all) device_list.push_back(to_json(d));
    text += "machine code for pvc, bmg, cri (kittens inspect)\n";
    for (const auto& [tool, info] : found.tools.items())
        text += info.is_null() ? fmt::format("  {:<16} not found\n", tool)
                               : fmt::format("  {:<16} {}  {}\n", tool, info["version"].get<std::string>(),
                                             info["path"].get<std::string>());
    if (!missing.empty()) text += "missing\n";
    for (const missing_part& part : missing) {
        missing_list.push_back({{"what", part.what}, {"consequence", part.consequence}, {"command", part.command}});
        text += fmt::format("  {}: {}{}\n", part.what, part.consequence,
                            part.command.empty() ? "" : fmt::format(". To get it: {}", part.command));
    }
    out.print(text);
    out.write({{"targets", target_list},
               {"devices", device_list},
               {"inspect", {{"available", found.complete}, {"devices", {"pvc", "bmg", "cri"}}, {"tools", found.tools}}},
               {"missing", missing_list}});
    return status_ok;
}

}  // namespace

void add_devices(CLI::App& program, action& chosen) {
    CLI::App* command =
        program.add_subcommand("devices", "List targets and devices, what they can do, and what is missing");
    static std::string json_path;
    add_json_option(*command, json_path);
    command->callback([&chosen] { chosen = [] { return list_devices(json_path); }; });
}

}  // namespace kittens::tool
