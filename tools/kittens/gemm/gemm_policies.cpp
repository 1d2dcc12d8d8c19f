// SPDX-License-Identifier: Apache-2.0
#include "gemm_policies.hpp"

#include <bench/gemm_choice.hpp>
#include <kittens/runtime/registry.hpp>

#include <gemm/policies.hpp>

namespace kittens::tool {

const std::vector<gemm_policy_entry>& gemm_policies() {
    static const auto all = [] {
        std::vector<gemm_policy_entry> list{{"default", "default_policy", kernels::default_policy}, {"plain", "plain_policy", kernels::plain_policy}};
        for (const auto& step : kernels::ladder) list.push_back({step.name, step.name, step.make});
        return list;
    }();
    return all;
}

const gemm_policy_entry* find_gemm_policy(std::string_view name) {
    for (const auto& entry : gemm_policies())
        if (entry.name == name) return &entry;
    return nullptr;
}

std::string gemm_kernel_name(dtype type, std::string_view policy) {
    std::string name = std::string("gemm_") + name_of(type);
    if (policy != "default") name.append("_").append(policy);
    return name;
}

std::vector<std::string> gemm_policies_on(const device& where, dtype type) {
    std::vector<std::string> all = compiled_gemm_policies(type);
    all.insert(all.begin(), "auto");
    const std::vector<std::string> tiles = bench::compiled_tiles(where, type);
    all.insert(all.end(), tiles.begin(), tiles.end());
    return all;
}

std::vector<std::string> compiled_gemm_policies(dtype type) {
    const std::string plain_name = gemm_kernel_name(type, "default"), prefix = plain_name + "_";
    std::vector<std::string> found;
    for (const std::string_view name : kernel_names()) {
        if (name == plain_name) found.insert(found.begin(), "default");
        else if (name.starts_with(prefix)) found.emplace_back(name.substr(prefix.size()));
    }
    return found;
}

}  // namespace kittens::tool
