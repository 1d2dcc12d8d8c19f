// SPDX-License-Identifier: Apache-2.0
#include "gemm_policies.hpp"

#include <bench/gemm_choice.hpp>
#include <kittens/runtime/registry.hpp>

#include <fmt/format.h>
#include <gemm/policies.hpp>
#include <gemm/xe_policies.hpp>

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

inspect_plan xe_policy_plan(dtype type, const std::string& name) {
    const std::size_t planes = name.find("_split");  // how many is no part of the code
    const std::string code = planes == std::string::npos ? name : name.substr(0, planes + 6);
    const kernels::gemm_policy policy = kernels::xe_policy(type, kernels::parse_xe_choice(code.c_str()));
    inspect_plan plan;
    plan.kernel = fmt::format("xe_gemm_{}_{}", name_of(type), code);
    plan.policy = name;
    plan.type = name_of(type);
    plan.grf = static_cast<unsigned>(policy.grf);
    plan.dpas_per_k_step = static_cast<unsigned>(policy.tile_m / 8 * (policy.tile_n / 16) * (policy.k_step * size_of(type) / 32));
    plan.source = fmt::format(
        "#include <gemm/gemm.hpp>\n"
        "#include <gemm/xe_policies.hpp>\n\n"
        "KITTENS_XE_GEMM({}, kittens::dtype::{}, {})\n",
        name_of(type), type == dtype::f16 ? "f16" : type == dtype::i8 ? "i8" : "bf16", code);
    return plan;
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
