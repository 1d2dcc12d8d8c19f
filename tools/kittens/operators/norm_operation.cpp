// SPDX-License-Identifier: Apache-2.0
#include "norm_operation.hpp"

#include "../text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kittens::tool {

namespace {

using kernels::norm_kind;

std::string kernel_name(const norm_shape& s) {
    return fmt::format("{}_norm{}_{}", s.kind == norm_kind::rms ? "rms" : "layer", s.residual ? "_residual" : "", name_of(s.type));
}

template <dtype T> kernel_call make_call(const norm_shape& s, std::span<void* const> t) {
    using globals = kernels::norm_globals<T>;
    using element = type_of<T>;
    const bool layer = s.kind == norm_kind::layer;
    std::size_t i = 0;
    element* x = static_cast<element*>(t[i++]);
    element* residual = s.residual ? static_cast<element*>(t[i++]) : x;
    element* weight = static_cast<element*>(t[i++]);
    element* bias = layer ? static_cast<element*>(t[i++]) : weight;
    element* sum = s.residual ? static_cast<element*>(t[i++]) : x;
    element* out = static_cast<element*>(t[i]);
    const double written = static_cast<double>(s.rows) * s.cols * size_of(T) * (s.residual ? 2 : 1);
    const globals g{{x, 1, 1, s.rows, s.cols},   {residual, 1, 1, s.rows, s.cols}, {weight, 1, 1, 1, s.cols}, {bias, 1, 1, 1, s.cols},
                    {sum, 1, 1, s.rows, s.cols}, {out, 1, 1, s.rows, s.cols},      s.epsilon,                 stores_for(written)};
    return kernel_call::of(kernel_name(s), g);
}

}  // namespace

nlohmann::ordered_json norm_problem::shape() const {
    return {{"kind", s_.kind == norm_kind::rms ? "rms" : "layer"}, {"residual", s_.residual}, {"rows", s_.rows}, {"cols", s_.cols}};
}

std::string norm_problem::text() const {
    return fmt::format("{}{} {} x {}", s_.kind == norm_kind::rms ? "RMSNorm" : "LayerNorm", s_.residual ? " + residual" : "", s_.rows, s_.cols);
}

double norm_problem::flops() const {
    return static_cast<double>(s_.rows) * s_.cols * (s_.kind == norm_kind::rms ? 4 : 8) + (s_.residual ? static_cast<double>(s_.rows) * s_.cols : 0);
}

std::vector<bench::tensor_spec> norm_problem::tensors() const {
    std::vector<bench::tensor_spec> all{{"x", s_.type, {s_.rows, s_.cols}}};
    if (s_.residual) all.push_back({"residual", s_.type, {s_.rows, s_.cols}});
    all.push_back({"weight", s_.type, {s_.cols}});
    if (s_.kind == norm_kind::layer) all.push_back({"bias", s_.type, {s_.cols}});
    if (s_.residual) all.push_back({"sum", s_.type, {s_.rows, s_.cols}, true});
    all.push_back({"out", s_.type, {s_.rows, s_.cols}, true});
    return all;
}

std::string norm_problem::peer_operation() const { return s_.kind == norm_kind::rms ? "rms_norm" : "layer_norm"; }

void norm_problem::fill(std::span<void* const> t, std::uint64_t seed) const {
    const auto all = tensors();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!all[i].output) bench::fill_normal(all[i].type, t[i], all[i].count(), seed * 31 + i, all[i].sizes.size() == 2 ? s_.scale : 1.0f);
}

kernel_call norm_problem::call(std::span<void* const> t) const {
    return s_.type == dtype::f16 ? make_call<dtype::f16>(s_, t) : make_call<dtype::bf16>(s_, t);
}

bench::operator_verdict norm_problem::check(std::span<void* const> t, bool tolerant) const {
    const auto specs = tensors();
    const auto values = [&](std::string_view name) {
        for (std::size_t i = 0; i < specs.size(); ++i)
            if (specs[i].name == name) return bench::values_of(specs[i], t[i]);
        return std::vector<double>();
    };
    std::vector<double> x = values("x");
    const std::vector<double> residual = values("residual"), weight = values("weight"), bias = values("bias");
    bench::operator_verdict v;
    if (s_.residual) {
        // The sum in the element type is exact to one rounding of an exact float sum, and what is normalised.
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto sum = static_cast<float>(x[i] + residual[i]);
            x[i] = static_cast<double>(s_.type == dtype::f16 ? static_cast<float>(half(sum)) : static_cast<float>(bf16(sum)));
        }
        bench::compare_output(v, specs[specs.size() - 2], t[specs.size() - 2], x, tolerant ? bench::operator_gate : 1e-30);
    }
    const auto cols = static_cast<std::size_t>(s_.cols);
    for (std::size_t r = 0; r < x.size() / cols; ++r) {
        double* row = x.data() + r * cols;
        double mean = 0, square = 0;
        if (s_.kind == norm_kind::layer) {
            for (std::size_t j = 0; j < cols; ++j) mean += row[j];
            mean /= static_cast<double>(cols);
        }
        for (std::size_t j = 0; j < cols; ++j) square += (row[j] - mean) * (row[j] - mean);
        const double scale = 1 / std::sqrt(square / static_cast<double>(cols) + static_cast<double>(s_.epsilon));
        for (std::size_t j = 0; j < cols; ++j) row[j] = (row[j] - mean) * scale * weight[j] + (bias.empty() ? 0 : bias[j]);
    }
    bench::compare_output(v, specs.back(), t[specs.size() - 1], x, tolerant ? bench::operator_gate : rounding_gate(s_.type));
    return v;
}

void norm_operation::add_kernel_options(CLI::App& to) {
    operator_operation::add_kernel_options(to);
    to.add_option("--kind", kind_, "rms or layer")->type_name("KIND")->capture_default_str();
    residual_ = false;
    to.add_flag("--residual", residual_, "Add a residual first, and write the sum back");
}

void norm_operation::add_problem_options(CLI::App& to) {
    to.add_option("--rows", rows_, "Rows")->type_name("R")->required();
    to.add_option("--cols", cols_, "Elements of a row")->type_name("C")->required();
    to.add_option("--scale", scale_, "Standard deviation of the data")->type_name("X")->capture_default_str();
    to.add_option("--epsilon", epsilon_, "What is added to the mean square")->type_name("E")->capture_default_str();
}

void norm_operation::check_kernel_options() {
    operator_operation::check_kernel_options();
    require_choice("kind of norm", kind_, {"rms", "layer"});
    shape_.kind = kind_ == "rms" ? norm_kind::rms : norm_kind::layer;
    shape_.type = element_type();
    shape_.residual = residual_;
}

void norm_operation::check_problem_options() {
    shape_.rows = static_cast<int>(whole_number("--rows", rows_, 1, largest_size));
    shape_.cols = static_cast<int>(whole_number("--cols", cols_, 1, largest_size));
    shape_.scale = static_cast<float>(positive_number("--scale", scale_));
    shape_.epsilon = static_cast<float>(positive_number("--epsilon", epsilon_));
}

std::vector<std::string> norm_operation::kernel_choices() const {
    std::vector<std::string> all;
    for (const char* type : {"bf16", "fp16"})
        for (const char* kind : {"rms", "layer"})
            for (const char* residual : {"", " --residual"}) all.push_back(fmt::format("--dtype {} --kind {}{}", type, kind, residual));
    return all;
}

std::shared_ptr<const kernel_problem> norm_operation::problem() const { return std::make_shared<norm_problem>(shape_, "given", bench::cache_state::warm); }

inspect_plan norm_operation::inspect() {
    inspect_plan plan;
    plan.kernel = kernel_name(shape_);
    plan.policy = "default";
    plan.type = type_text();
    plan.grf = 128;
    plan.source = fmt::format("#include <norm/norm.hpp>\n\nKITTENS_KERNEL({}, kernels::norm<kernels::default_norm(kernels::norm_kind::{}, kittens::dtype::{}, {})>)\n",
                              plan.kernel, shape_.kind == norm_kind::rms ? "rms" : "layer", shape_.type == dtype::f16 ? "f16" : "bf16", shape_.residual);
    return plan;
}

std::vector<std::shared_ptr<const bench::operator_problem>> norm_operation::bench_problems(const std::string& suite) const {
    std::vector<std::shared_ptr<const bench::operator_problem>> all;
    const auto add = [&](int rows, const char* workload, bench::cache_state cache) {
        for (const norm_kind kind : {norm_kind::rms, norm_kind::layer})
            for (const bool residual : {false, true})
                all.push_back(std::make_shared<norm_problem>(norm_shape{.kind = kind, .type = element_type(), .residual = residual, .rows = rows, .cols = 4096}, workload, cache));
    };
    if (suite != "decode") add(2048, "prefill", bench::cache_state::cold);
    if (suite == "default") add(8192, "prefill", bench::cache_state::cold);
    add(64, "decode", bench::cache_state::warm);
    if (suite != "quick") add(1, "decode", bench::cache_state::warm);
    if (suite == "default") add(512, "prefill", bench::cache_state::warm);
    return all;
}

}  // namespace kittens::tool
