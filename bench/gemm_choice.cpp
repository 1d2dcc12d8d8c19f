// SPDX-License-Identifier: Apache-2.0
#include "gemm_choice.hpp"

#include <kittens/runtime/registry.hpp>

#include <fmt/format.h>
#include <gemm/choices.hpp>

namespace kittens::bench {

namespace {

std::string tile_prefix(dtype in) { return fmt::format("cpu_gemm_{}_", name_of(in)); }

bool is_tile(const std::string& policy) { return !policy.empty() && policy[0] >= '0' && policy[0] <= '9'; }

std::string named_kernel(dtype in, const std::string& policy) {
    return policy == "default" ? fmt::format("gemm_{}", name_of(in)) : fmt::format("gemm_{}_{}", name_of(in), policy);
}

}  // namespace

chosen_kernel choose_kernel(const device& where, dtype in, const std::string& policy, std::int64_t m, std::int64_t n, std::int64_t k, bool blocks_allowed) {
    const device_properties& p = where.properties();
    std::string name = policy, why;
    if (policy == "auto") {
        const kernels::gemm_choice choice = kernels::gemm_choices::active().choose({p.target, p.isa, in, p.threads, m, n, k}, compiled_tiles(where, in));
        name = choice.policy;
        why = choice.why;
        // A table may be older or younger than the program.
        if (is_tile(name) && !find_kernel(tile_prefix(in) + name, p.target, p.isa)) {
            why = fmt::format("this program has no {} kernel with tile {}", name_of(in), name);
            name = "default";
        }
    }
    if (is_tile(name)) return {name, tile_prefix(in) + name, why, true, kernels::tile_named(name).split};
    if (!blocks_allowed) name = "plain";
    return {name, named_kernel(in, name), why, name == "plain"};
}

std::vector<std::string> compiled_tiles(const device& where, dtype in) {
    std::vector<std::string> found;
    const std::string prefix = tile_prefix(in);
    for (const kernel_record* k : kernels()) {
        const std::string_view name = k->name;
        if (k->target == where.target() && k->isa == where.properties().isa && name.starts_with(prefix)) found.emplace_back(name.substr(prefix.size()));
    }
    return found;
}

}  // namespace kittens::bench
