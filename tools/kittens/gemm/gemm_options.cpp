// SPDX-License-Identifier: Apache-2.0
#include "gemm_general.hpp"

#include "../text.hpp"

#include <kittens/runtime/registry.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace kittens::tool {

namespace {

double any_number(const char* option, const std::string& text) {
    char* end = nullptr;
    const double x = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(x)) throw user_error(fmt::format("{} must be a finite number, not \"{}\"", option, text));
    return x;
}

dtype default_out(dtype in) { return in == dtype::i8 ? dtype::i32 : in == dtype::tf32 ? dtype::f32 : in; }

}  // namespace

void gemm_options::add_kernel_options(CLI::App& to) {
    to.add_option("--layout", layout, "How A and B lie in memory: nn, nt (B is N x K), tn (A is K x M) or tt")->type_name("XY")->capture_default_str();
    to.add_option("--out", out, "Element type of C: bf16, fp16 or fp32; that of A and B if not given (fp32 for tf32, int32 for int8)")->type_name("TYPE");
    to.add_option("--split-k", split_text, "Parts of K that are summed apart; with --combine stream the number of workgroups")->type_name("P")->capture_default_str();
    to.add_option("--combine", combine, "How the parts come together: staged (planes, then a second pass; default), atomic, or stream (all steps of all tiles shared out evenly)")->type_name("HOW");
    to.add_option("--alpha", alpha_text, "C = activation(alpha * A * B + beta * C + bias) + residual")->type_name("X")->capture_default_str();
    to.add_option("--beta", beta_text, "See --alpha; C is read only if it is not 0")->type_name("X")->capture_default_str();
    to.add_flag("--bias", bias, "Add a bias, one value per column");
    to.add_option("--activation", activation, "none, relu, gelu (the tanh form) or silu")->type_name("F")->capture_default_str();
    to.add_flag("--residual", residual, "Add a matrix of C's shape at the end");
}

void gemm_options::check(dtype type) {
    require_choice("layout", layout, {"nn", "nt", "tn", "tt"});
    require_choice("activation", activation, {"none", "relu", "gelu", "silu"});
    if (!combine.empty()) require_choice("way to combine", combine, {"staged", "atomic", "stream"});
    split = whole_number("--split-k", split_text, 1, 4096);
    alpha = any_number("--alpha", alpha_text);
    beta = any_number("--beta", beta_text);
    out_type = default_out(type);
    if (!out.empty()) {
        const std::vector<std::pair<std::string, dtype>> floats{{"bf16", dtype::bf16}, {"fp16", dtype::f16}, {"fp32", dtype::f32}};
        std::vector<std::string> names;
        if (type == dtype::i8) names.emplace_back("int32");
        else
            for (const auto& [name, t] : floats) names.push_back(name);
        require_choice(fmt::format("type of C for {}", name_of(type)), out, names);
        for (const auto& [name, t] : floats)
            if (name == out) out_type = t;
    }
    if (type == dtype::i8 && epilogue())
        throw user_error("alpha, beta, bias, activation and residual work on float sums; those of int8 are exact integers: leave them out");
    if (!general(type)) return;
    const std::string name = gemm_form_kernel(form(type), type, layout);
    for (const std::string_view have : kernel_names())
        if (have == name) return;
    std::string others;
    for (const std::string_view have : kernel_names())
        if (have.starts_with("gemm_" + form(type) + "_")) others += fmt::format("{}{}", others.empty() ? "" : ", ", have.substr(6 + form(type).size()));
    throw user_error(fmt::format("this program has no {} kernel for {} {}; it has: {}", form(type), name_of(type), layout, others));
}

bool gemm_options::general(dtype type) const {
    return layout != "nn" || batch > 1 || split > 1 || !combine.empty() || epilogue() || out_type != default_out(type) || type == dtype::tf32;
}

std::string gemm_options::form(dtype type) const {
    if (combine == "atomic" || combine == "stream") return combine;
    if (split == 1 && out_type == type) {
        const std::string fused = gemm_form_kernel("epilogue", type, layout);
        for (const std::string_view have : kernel_names())
            if (have == fused) return "epilogue";
    }
    return "sums";
}

bool gemm_options::second_pass(dtype type) const {
    const std::string f = form(type);
    if (f == "epilogue") return false;
    return (f == "sums" && split > 1) || epilogue() || out_type != accumulator_of(type);
}

std::string gemm_form_kernel(const std::string& form, dtype type, const std::string& layout) { return fmt::format("gemm_{}_{}_{}", form, name_of(type), layout); }

}  // namespace kittens::tool
