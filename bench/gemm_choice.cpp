// SPDX-License-Identifier: Apache-2.0
#include "gemm_choice.hpp"

#include <kittens/runtime/cpu_isa.hpp>
#include <kittens/runtime/registry.hpp>

#include <fmt/format.h>
#include <gemm/choices.hpp>
#include <gemm/xe_policies.hpp>

#include <algorithm>
#include <initializer_list>
#include <optional>

namespace kittens::bench {

namespace {

std::string tile_prefix(const std::string& target, dtype in) { return fmt::format("{}_gemm_{}_", target, name_of(in)); }

/// How many planes there are is no part of a kernel's name.
std::string kernel_of_tile(const std::string& target, dtype in, const std::string& policy) {
    const std::size_t split = policy.find("_split");
    return tile_prefix(target, in) + (split == std::string::npos ? policy : policy.substr(0, split + 6));
}

bool is_tile(const std::string& policy) { return !policy.empty() && policy[0] >= '0' && policy[0] <= '9'; }

std::string named_kernel(dtype in, const std::string& policy) {
    return policy == "default" ? fmt::format("gemm_{}", name_of(in)) : fmt::format("gemm_{}_{}", name_of(in), policy);
}

}  // namespace

chosen_kernel choose_kernel(const device& where, dtype in, const std::string& policy, std::int64_t m, std::int64_t n, std::int64_t k, bool blocks_allowed) {
    const device_properties& p = where.properties();
    std::string name = policy, why;
    const bool xe = p.target == "xe";
    if (policy == "auto") {
        const std::vector<std::string> tiles = compiled_tiles(where, in);
        const kernels::gemm_choice choice = kernels::gemm_choices::active().choose({p.target, xe ? inspected_gpu(where) : p.isa, in, xe ? 1 : p.threads, m, n, k}, tiles);
        name = choice.policy;
        why = choice.why;
        if (xe) why = fmt::format("{} ({})", why, inspected_gpu(where));
        // A table may be older or younger than the program.
        if (is_tile(name) && std::ranges::find(tiles, kernel_of_tile(p.target, in, name).substr(tile_prefix(p.target, in).size())) == tiles.end()) {
            why = fmt::format("this program has no {} kernel with tile {}", name_of(in), name);
            name = "default";
        }
    }
    // Those of xe read by 2-D blocks.
    if (is_tile(name) && xe && blocks_allowed) return {name, kernel_of_tile(p.target, in, name), why, false, kernels::parse_xe_choice(name.c_str()).split};
    if (is_tile(name) && !xe) return {name, kernel_of_tile(p.target, in, name), why, true, kernels::tile_named(name).split};
    if (!blocks_allowed) {
        if (is_tile(name)) why.clear();  // a reason for another policy
        name = "plain";
    }
    return {name, named_kernel(in, name), why, name == "plain"};
}

std::string inspected_gpu(const device& where) {
    const std::string& name = where.name();
    const auto holds = [&](std::initializer_list<const char*> words) { return std::any_of(words.begin(), words.end(), [&](const char* w) { return name.find(w) != std::string::npos; }); };
    if (holds({"Arc(TM) B", "Arc B", "Battlemage", "BMG"})) return "bmg";
    if (holds({"Crescent Island", "CRI"})) return "cri";
    return "pvc";
}

std::vector<std::string> compiled_tiles(const device& where, dtype in) {
    std::vector<std::string> found;
    const std::string prefix = tile_prefix(where.target(), in);
    // Those of the highest level that has any: a lower one's are not made for what the device has.
    const auto top = parse_cpu_isa(where.properties().isa);
    std::optional<cpu_isa> level;
    for (const kernel_record* k : kernels()) {
        const std::string_view name = k->name;
        const auto isa = parse_cpu_isa(k->isa ? k->isa : "");
        if (k->target != where.target() || isa > top || isa < level || !name.starts_with(prefix)) continue;
        if (isa > level) found.clear();
        level = isa;
        found.emplace_back(name.substr(prefix.size()));
    }
    return found;
}

}  // namespace kittens::bench
