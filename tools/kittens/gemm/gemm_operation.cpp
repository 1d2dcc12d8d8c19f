// SPDX-License-Identifier: Apache-2.0
#include "gemm_operation.hpp"

#include "../text.hpp"
#include "gemm_policies.hpp"

#include <fmt/format.h>
#include <gemm/ladder.hpp>
#include <gemm/xe_policies.hpp>
#include <kittens/runtime/registry.hpp>

namespace kittens::tool {

namespace {

constexpr std::pair<const char*, dtype> types[] = {{"bf16", dtype::bf16}, {"fp16", dtype::f16}, {"int8", dtype::i8}, {"tf32", dtype::tf32}};

/// As the enumeration spells it.
const char* element_name(dtype t) { return t == dtype::bf16 ? "bf16" : t == dtype::f16 ? "f16" : t == dtype::tf32 ? "tf32" : "i8"; }

// Leaves room for a tile beyond the end in 32-bit arithmetic.
constexpr std::int64_t largest_size = std::int64_t{1} << 30;

}  // namespace

void gemm_operation::add_kernel_options(CLI::App& to) {
    to.add_option("--dtype", type_text_,
                  "Element type of A and B: bf16, fp16, int8 or tf32")
        ->type_name("TYPE")
        ->capture_default_str();
    to.add_option("--policy", policy_, "Named policy: tile and workgroup shapes, prefetch, order; auto is what the table of measured choices says, a tile (128x256x1024) one of the cpu target's, 32x64x32_8x4_cooperative2_u1_snake8 one of xe's (docs/gemm.md)")
        ->type_name("NAME")
        ->capture_default_str();
    options_.add_kernel_options(to);
}

void gemm_operation::add_problem_options(CLI::App& to) {
    to.add_option("-m", m_text_, "Rows of A and C")->type_name("M")->required();
    to.add_option("-n", n_text_, "Columns of B and C")->type_name("N")->required();
    to.add_option("-k", k_text_, "Columns of A, rows of B")->type_name("K")->required();
    to.add_option("--scale", scale_text_, "Standard deviation of the data (not int8)")
        ->type_name("X")
        ->capture_default_str();
    to.add_option("--batch", options_.batch_text, "Matrices of each kind, one after another")->type_name("N")->capture_default_str();
}

void gemm_operation::check_kernel_options() {
    std::vector<std::string> names;
    for (const auto& [name, type] : types) {
        names.emplace_back(name);
        if (type_text_ == name) type_ = type;
    }
    require_choice("element type", type_text_, names);
    options_.check(type_);
    if (options_.general(type_) && !default_policy())
        throw user_error(fmt::format("policy {} does the plain product only: leave out --policy, or the other options and element type tf32", policy_));
}

void gemm_operation::check_problem_options() {
    m_ = whole_number("-m", m_text_, 1, largest_size);
    n_ = whole_number("-n", n_text_, 1, largest_size);
    k_ = whole_number("-k", k_text_, 1, largest_size);
    scale_ = positive_number("--scale", scale_text_);
    options_.batch = whole_number("--batch", options_.batch_text, 1, 65535);
    options_.check(type_);
    if (type_ == dtype::i8 && scale_ != 1)
        throw user_error("--scale is for floating point; int8 data is uniform over all values: leave it out");
    if (options_.general(type_)) {
        if (!default_policy()) throw user_error(fmt::format("policy {} does the plain product of one matrix only: leave out --policy or --batch", policy_));
        return;
    }
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
    // Every form that is built, through every way to combine and with everything that an epilogue has.
    for (const char* form : {"--dtype bf16 --layout nn --beta 0.5", "--dtype bf16 --layout nt --bias --activation gelu", "--dtype bf16 --layout tn", "--dtype bf16 --layout tt --split-k 2 --residual",
                             "--dtype bf16 --split-k 3 --combine atomic --activation silu", "--dtype bf16 --split-k 3 --combine stream --out fp32", "--dtype fp16 --alpha 2 --activation relu", "--dtype fp16 --layout nt",
                             "--dtype tf32", "--dtype tf32 --layout nt", "--dtype int8 --layout nt", "--dtype int8 --split-k 2", "--dtype int8 --split-k 2 --combine atomic"})
        choices.emplace_back(form);
    return choices;
}

inspect_plan gemm_operation::inspect() {
    if (!options_.general(type_)) return plan_for(default_policy() ? "default" : policy_);
    // The kernel that multiplies; the second pass is small beside it.
    const std::string form = options_.form(type_);
    inspect_plan plan = plan_for("default");
    plan.kernel = gemm_form_kernel(form, type_, options_.layout);
    plan.policy = form + "_" + options_.layout;
    const auto stored = [](bool transposed) { return transposed ? "transposed" : "normal"; };
    plan.source = fmt::format(
        "#include <gemm/forms.hpp>\n"
        "#include <gemm/gemm.hpp>\n\n"
        "KITTENS_KERNEL({}, kernels::gemm<kernels::form_policy(kittens::dtype::{}, kernels::gemm_form::{}, kernels::stored::{}, kernels::stored::{})>)\n",
        plan.kernel, element_name(type_), form, stored(options_.a_transposed()), stored(options_.b_transposed()));
    return plan;
}

inspect_plan gemm_operation::inspect_policy(const std::string& name) {
    if (options_.general(type_))
        throw user_error("policies are compared on the plain product of bf16, fp16 or int8: leave out what asks for another");
    return plan_for(name);
}

inspect_plan gemm_operation::plan_for(const std::string& name) const {
    if (kernels::parse_xe_choice(name.c_str()).valid) return xe_policy_plan(type_, name);
    std::vector<std::string> names;
    for (const auto& entry : gemm_policies()) names.emplace_back(entry.name);
    require_choice("gemm policy", name, names);
    const gemm_policy_entry& entry = *find_gemm_policy(name);
    const kernels::gemm_policy policy = entry.make(type_);

    inspect_plan plan;
    plan.kernel = gemm_kernel_name(type_, name);
    plan.policy = name;
    plan.type = type_text_;
    plan.grf = static_cast<unsigned>(policy.grf);
    // One dpas: 8 rows, 16 columns, 32 bytes of K.
    plan.dpas_per_k_step =
        static_cast<unsigned>(policy.tile_m / 8 * (policy.tile_n / 16) * (policy.k_step * size_of(type_) / 32));
    plan.source = fmt::format(
        "#include <gemm/gemm.hpp>\n"
        "#include <gemm/policies.hpp>\n\n"
        "KITTENS_KERNEL({}, kernels::gemm<kernels::{}(kittens::dtype::{})>)\n",
        plan.kernel, entry.expression, element_name(type_));
    return plan;
}

std::vector<std::pair<std::string, std::string>> gemm_operation::ladder() const {
    std::vector<std::pair<std::string, std::string>> steps;
    for (const auto& step : kernels::ladder) steps.emplace_back(step.name, step.adds);
    return steps;
}

std::optional<double> gemm_operation::warmed_bytes(const std::string& policy) {
    if (find_kernel(gemm_kernel_name(type_, policy), "emulated") == nullptr) return {};
    // One workgroup of the xe policies, two steps: each is prefetched once, whatever the distance.
    const kernels::gemm_policy p = find_gemm_policy(policy)->make(type_);
    gemm_operation counted = *this;
    counted.policy_ = policy;
    counted.m_ = p.tile_m * p.sg_rows;
    counted.n_ = p.tile_n * p.sg_cols;
    counted.k_ = 2 * p.k_step;
    counted.scale_ = 1;
    const run_outcome r = counted.run({find_device("emulated"), fresh_seed(), 1});
    if (!r.passed) throw user_error(fmt::format("the emulated run of policy {} is wrong: {}", policy, r.findings.empty() ? r.verdict : r.findings[0]));
    return r.runs.counters["prefetched_bytes_per_workgroup_k_step"].get<double>();
}

}  // namespace kittens::tool
