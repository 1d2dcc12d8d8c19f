// SPDX-License-Identifier: Apache-2.0
#include "swiglu_operation.hpp"

#include "../text.hpp"

#include <fmt/format.h>
#include <swiglu/swiglu.hpp>

#include <cmath>

namespace kittens::tool {

namespace {

constexpr const char* layout_names[] = {"separate", "packed", "interleaved"};
const char* name_of_layout(gate_layout l) { return layout_names[static_cast<int>(l)]; }

std::string kernel_name(const swiglu_shape& s) { return fmt::format("swiglu{}_{}", s.layout == gate_layout::interleaved ? "_interleaved" : "", name_of(s.type)); }

template <dtype T> kernel_call make_call(const swiglu_shape& s, std::span<void* const> t) {
    using globals = kernels::swiglu_globals<T>;
    using element = type_of<T>;
    auto* first = static_cast<element*>(t[0]);
    auto* out = static_cast<element*>(t.back());
    const store_policy stores = stores_for(static_cast<double>(s.rows) * s.cols * size_of(T));
    const auto strided = [&](element* p, int cols, int stride) { return decltype(globals::gate)(p, 1, 1, s.rows, cols, stride, 0, 0); };
    const int twice = 2 * s.cols;
    globals g{strided(first, s.cols, s.cols), strided(first, s.cols, s.cols), {out, 1, 1, s.rows, s.cols}, stores};
    if (s.layout == gate_layout::separate) g.up = strided(static_cast<element*>(t[1]), s.cols, s.cols);
    else if (s.layout == gate_layout::packed) g.gate = strided(first, s.cols, twice), g.up = strided(first + s.cols, s.cols, twice);
    else g.gate = g.up = strided(first, twice, twice);
    return kernel_call::of(kernel_name(s), g);
}

}  // namespace

nlohmann::ordered_json swiglu_problem::shape() const { return {{"layout", name_of_layout(s_.layout)}, {"rows", s_.rows}, {"cols", s_.cols}}; }

std::string swiglu_problem::text() const { return fmt::format("SwiGLU {} x {}, {}", s_.rows, s_.cols, name_of_layout(s_.layout)); }

std::vector<bench::tensor_spec> swiglu_problem::tensors() const {
    if (s_.layout == gate_layout::separate) return {{"gate", s_.type, {s_.rows, s_.cols}}, {"up", s_.type, {s_.rows, s_.cols}}, {"out", s_.type, {s_.rows, s_.cols}, true}};
    return {{"gate_up", s_.type, {s_.rows, 2 * static_cast<std::int64_t>(s_.cols)}}, {"out", s_.type, {s_.rows, s_.cols}, true}};
}

std::string swiglu_problem::peer_operation() const { return s_.layout == gate_layout::separate ? "swiglu" : fmt::format("swiglu_{}", name_of_layout(s_.layout)); }

void swiglu_problem::fill(std::span<void* const> t, std::uint64_t seed) const {
    const auto all = tensors();
    for (std::size_t i = 0; i + 1 < all.size(); ++i) bench::fill_normal(all[i].type, t[i], all[i].count(), seed * 31 + i, s_.scale);
}

kernel_call swiglu_problem::call(std::span<void* const> t) const { return s_.type == dtype::f16 ? make_call<dtype::f16>(s_, t) : make_call<dtype::bf16>(s_, t); }

bench::operator_verdict swiglu_problem::check(std::span<void* const> t, bool tolerant) const {
    const auto specs = tensors();
    const std::vector<double> first = bench::values_of(specs[0], t[0]);
    const std::vector<double> second = s_.layout == gate_layout::separate ? bench::values_of(specs[1], t[1]) : std::vector<double>();
    const auto cols = static_cast<std::size_t>(s_.cols);
    std::vector<double> right(static_cast<std::size_t>(s_.rows) * cols);
    for (std::size_t i = 0; i < right.size(); ++i) {
        const std::size_t row = i / cols, col = i % cols, at = 2 * row * cols;
        const double gate = s_.layout == gate_layout::separate ? first[i] : s_.layout == gate_layout::packed ? first[at + col] : first[at + 2 * col];
        const double up = s_.layout == gate_layout::separate ? second[i] : s_.layout == gate_layout::packed ? first[at + cols + col] : first[at + 2 * col + 1];
        right[i] = gate / (1 + std::exp(-gate)) * up;
    }
    bench::operator_verdict v;
    bench::compare_output(v, specs.back(), t[specs.size() - 1], right, tolerant ? bench::operator_gate : rounding_gate(s_.type));
    return v;
}

void swiglu_operation::add_kernel_options(CLI::App& to) {
    operator_operation::add_kernel_options(to);
    layout_ = "separate";
    to.add_option("--layout", layout_, "separate (two tensors), packed (each row gate, then up) or interleaved (gate and up alternate)")->type_name("LAYOUT")->capture_default_str();
}

void swiglu_operation::add_problem_options(CLI::App& to) {
    to.add_option("--rows", rows_, "Rows")->type_name("R")->required();
    to.add_option("--cols", cols_, "Elements of a row of the result")->type_name("C")->required();
    to.add_option("--scale", scale_, "Standard deviation of the data")->type_name("X")->capture_default_str();
}

void swiglu_operation::check_kernel_options() {
    operator_operation::check_kernel_options();
    require_choice("layout of gate and up", layout_, {"separate", "packed", "interleaved"});
    shape_.type = element_type();
    shape_.layout = layout_ == "packed" ? gate_layout::packed : layout_ == "interleaved" ? gate_layout::interleaved : gate_layout::separate;
}

void swiglu_operation::check_problem_options() {
    shape_.rows = static_cast<int>(whole_number("--rows", rows_, 1, largest_size));
    shape_.cols = static_cast<int>(whole_number("--cols", cols_, 1, largest_size));
    shape_.scale = static_cast<float>(positive_number("--scale", scale_));
}

std::shared_ptr<const kernel_problem> swiglu_operation::problem() const { return std::make_shared<swiglu_problem>(shape_, "given", bench::cache_state::warm); }

inspect_plan swiglu_operation::inspect() {
    inspect_plan plan;
    plan.kernel = kernel_name(shape_);
    plan.policy = "default";
    plan.type = type_text();
    plan.grf = 128;
    plan.source = fmt::format("#include <swiglu/swiglu.hpp>\n\nKITTENS_KERNEL({}, kernels::swiglu<kernels::default_swiglu(kittens::dtype::{}, {})>)\n", plan.kernel,
                              shape_.type == dtype::f16 ? "f16" : "bf16", shape_.layout == gate_layout::interleaved);
    return plan;
}

std::vector<std::shared_ptr<const bench::operator_problem>> swiglu_operation::bench_problems(const std::string& suite) const {
    std::vector<std::shared_ptr<const bench::operator_problem>> all;
    const auto add = [&](gate_layout layout, int rows, const char* workload, bench::cache_state cache) {
        all.push_back(std::make_shared<swiglu_problem>(swiglu_shape{.type = element_type(), .layout = layout, .rows = rows, .cols = 14336}, workload, cache));
    };
    // Llama 3.1 8B.
    for (const gate_layout layout : {gate_layout::separate, gate_layout::packed, gate_layout::interleaved}) {
        add(layout, 512, "prefill", bench::cache_state::cold);
        if (suite != "quick" || layout == gate_layout::separate) add(layout, 8, "decode", bench::cache_state::warm);
    }
    if (suite != "quick") add(gate_layout::separate, 2048, "prefill", bench::cache_state::cold);
    return all;
}

}  // namespace kittens::tool
