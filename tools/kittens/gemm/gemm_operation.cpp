// SPDX-License-Identifier: Apache-2.0
#include "gemm_operation.hpp"

#include "../text.hpp"
#include "gemm_policies.hpp"

#include <fmt/format.h>

namespace kittens::tool {

namespace {

constexpr std::pair<const char*, dtype> types[] = {{"bf16", dtype::bf16}, {"fp16", dtype::f16}, {"int8", dtype::i8}};

// Leaves room for a tile beyond the end in 32-bit arithmetic.
constexpr std::int64_t largest_size = std::int64_t{1} << 30;

}  // namespace

void gemm_operation::add_kernel_options(CLI::App& to) {
    to.add_option("--dtype", type_text_,
                  "Element type of A and B: bf16, fp16 or int8; C is of the same type, int32 for int8")
        ->type_name("TYPE")
        ->capture_default_str();
    to.add_option("--policy", policy_, "Named policy: tile and workgroup shapes, prefetch, order; auto is what the table of measured choices says, a tile (128x256x1024) one of the cpu target's")
        ->type_name("NAME")
        ->capture_default_str();
}

void gemm_operation::add_problem_options(CLI::App& to) {
    to.add_option("-m", m_text_, "Rows of A and C")->type_name("M")->required();
    to.add_option("-n", n_text_, "Columns of B and C")->type_name("N")->required();
    to.add_option("-k", k_text_, "Columns of A, rows of B")->type_name("K")->required();
    to.add_option("--scale", scale_text_, "Standard deviation of the data (bf16, fp16)")
        ->type_name("X")
        ->capture_default_str();
}

void gemm_operation::check_kernel_options() {
    std::vector<std::string> names;
    for (const auto& [name, type] : types) {
        names.emplace_back(name);
        if (type_text_ == name) type_ = type;
    }
    require_choice("element type", type_text_, names);
}

void gemm_operation::check_problem_options() {
    m_ = whole_number("-m", m_text_, 1, largest_size);
    n_ = whole_number("-n", n_text_, 1, largest_size);
    k_ = whole_number("-k", k_text_, 1, largest_size);
    scale_ = positive_number("--scale", scale_text_);
    if (type_ == dtype::i8 && scale_ != 1)
        throw user_error("--scale is for bf16 and fp16; int8 data is uniform over all values: leave it out");
    // Tiles depend on the device, and are looked for when it is known.
    std::vector<std::string> names = compiled_gemm_policies(type_);
    names.insert(names.begin(), "auto");
    if (policy_.empty() || policy_[0] < '0' || policy_[0] > '9') require_choice(fmt::format("gemm policy for {}", type_text_), policy_, names);
}

std::vector<std::string> gemm_operation::check_problems() const {
    // The plain kernel has no rules to keep; the others need rows of 64 bytes and pitches of 16 for every element type.
    if (policy_ == "plain") return {"-m 64 -n 64 -k 64", "-m 33 -n 17 -k 5", "-m 1 -n 1 -k 1"};
    return {"-m 256 -n 256 -k 128", "-m 129 -n 208 -k 80", "-m 1 -n 64 -k 64"};
}

std::vector<std::string> gemm_operation::kernel_choices() const {
    std::vector<std::string> choices;
    for (const auto& [name, type] : types)
        for (const std::string& policy : compiled_gemm_policies(type))
            choices.push_back(fmt::format("--dtype {} --policy {}", name, policy));
    return choices;
}

inspect_plan gemm_operation::inspect() {
    std::vector<std::string> names;
    for (const auto& entry : gemm_policies()) names.emplace_back(entry.name);
    const std::string policy_name = policy_ == "auto" ? "default" : policy_;
    require_choice("gemm policy", policy_name, names);
    const gemm_policy_entry& entry = *find_gemm_policy(policy_name);
    const kernels::gemm_policy policy = entry.make(type_);

    inspect_plan plan;
    plan.kernel = gemm_kernel_name(type_, policy_name);
    plan.policy = policy_name;
    plan.type = type_text_;
    plan.grf = static_cast<unsigned>(policy.grf);
    // One dpas: 8 rows, 16 columns, 32 bytes of K.
    plan.dpas_per_k_step =
        static_cast<unsigned>(policy.tile_m / 8 * (policy.tile_n / 16) * (policy.k_step * size_of(type_) / 32));
    const char* element = type_ == dtype::bf16 ? "bf16" : type_ == dtype::f16 ? "f16" : "i8";
    plan.source = fmt::format(
        "#include <gemm/gemm.hpp>\n"
        "#include <gemm/policies.hpp>\n\n"
        "KITTENS_KERNEL({}, kernels::gemm<kernels::{}(kittens::dtype::{})>)\n",
        plan.kernel, entry.expression, element);
    return plan;
}

}  // namespace kittens::tool
