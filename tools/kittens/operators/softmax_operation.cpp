// SPDX-License-Identifier: Apache-2.0
#include "softmax_operation.hpp"

#include "../text.hpp"

#include <fmt/format.h>
#include <softmax/softmax.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace kittens::tool {

namespace {

template <dtype T> kernel_call make_call(const softmax_shape& s, double factor, std::span<void* const> t) {
    using element = type_of<T>;
    const kernels::softmax_globals<T> g{{static_cast<element*>(t[0]), 1, 1, s.rows, s.cols}, {static_cast<element*>(t[1]), 1, 1, s.rows, s.cols},
                                        static_cast<float>(factor * std::numbers::log2e), stores_for(static_cast<double>(s.rows) * s.cols * size_of(T))};
    return kernel_call::of(fmt::format("softmax_{}", name_of(T)), g);
}

}  // namespace

nlohmann::ordered_json softmax_problem::shape() const { return {{"rows", s_.rows}, {"cols", s_.cols}, {"score_scale", s_.score_scale}, {"temperature", s_.temperature}}; }

std::string softmax_problem::text() const { return fmt::format("softmax {} x {}{}", s_.rows, s_.cols, factor() == 1 ? std::string() : fmt::format(" of {:.4g} x", factor())); }

std::vector<bench::tensor_spec> softmax_problem::tensors() const { return {{"x", s_.type, {s_.rows, s_.cols}}, {"out", s_.type, {s_.rows, s_.cols}, true}}; }

std::vector<std::pair<std::string, double>> softmax_problem::attributes() const { return {{"factor", factor()}}; }

void softmax_problem::fill(std::span<void* const> t, std::uint64_t seed) const { bench::fill_normal(s_.type, t[0], tensors()[0].count(), seed * 31, s_.scale); }

kernel_call softmax_problem::call(std::span<void* const> t) const { return s_.type == dtype::f16 ? make_call<dtype::f16>(s_, factor(), t) : make_call<dtype::bf16>(s_, factor(), t); }

bench::operator_verdict softmax_problem::check(std::span<void* const> t, bool tolerant) const {
    const auto specs = tensors();
    std::vector<double> x = bench::values_of(specs[0], t[0]);
    const auto cols = static_cast<std::size_t>(s_.cols);
    for (std::size_t r = 0; r < x.size() / cols; ++r) {
        double* row = x.data() + r * cols;
        double top = -std::numeric_limits<double>::infinity(), sum = 0;
        for (std::size_t j = 0; j < cols; ++j) top = std::max(top, row[j]);
        // A row of -infinity alone, a NaN and +infinity make NaN here as they do in PyTorch.
        for (std::size_t j = 0; j < cols; ++j) sum += row[j] = std::exp((row[j] - top) * factor());
        for (std::size_t j = 0; j < cols; ++j) row[j] /= sum;
    }
    bench::operator_verdict v;
    bench::compare_output(v, specs[1], t[1], x, tolerant ? bench::operator_gate : rounding_gate(s_.type));
    return v;
}

void softmax_operation::add_problem_options(CLI::App& to) {
    to.add_option("--rows", rows_, "Rows")->type_name("R")->required();
    to.add_option("--cols", cols_, "Elements of a row")->type_name("C")->required();
    to.add_option("--score-scale", score_scale_, "What the elements are multiplied by")->type_name("F")->capture_default_str();
    to.add_option("--temperature", temperature_, "What they are divided by")->type_name("T")->capture_default_str();
    to.add_option("--scale", scale_, "Standard deviation of the data")->type_name("X")->capture_default_str();
}

void softmax_operation::check_kernel_options() {
    operator_operation::check_kernel_options();
    shape_.type = element_type();
}

void softmax_operation::check_problem_options() {
    shape_.rows = static_cast<int>(whole_number("--rows", rows_, 1, largest_size));
    shape_.cols = static_cast<int>(whole_number("--cols", cols_, 1, largest_size));
    shape_.score_scale = static_cast<float>(positive_number("--score-scale", score_scale_));
    shape_.temperature = static_cast<float>(positive_number("--temperature", temperature_));
    shape_.scale = static_cast<float>(positive_number("--scale", scale_));
    const double factor = static_cast<double>(shape_.score_scale) / static_cast<double>(shape_.temperature);
    if (!(factor >= 1e-30 && factor <= 1e30)) throw user_error(fmt::format("--score-scale over --temperature must be from 1e-30 to 1e30, not {:.3g}", factor));
}

std::shared_ptr<const kernel_problem> softmax_operation::problem() const { return std::make_shared<softmax_problem>(shape_, "given", bench::cache_state::warm); }

inspect_plan softmax_operation::inspect() {
    inspect_plan plan;
    plan.kernel = fmt::format("softmax_{}", name_of(shape_.type));
    plan.policy = "default";
    plan.type = type_text();
    plan.grf = 128;
    plan.source = fmt::format("#include <softmax/softmax.hpp>\n\nKITTENS_KERNEL({}, kernels::softmax<kernels::default_softmax(kittens::dtype::{})>)\n", plan.kernel,
                              shape_.type == dtype::f16 ? "f16" : "bf16");
    return plan;
}

std::vector<std::shared_ptr<const bench::operator_problem>> softmax_operation::bench_problems(const std::string& suite) const {
    std::vector<std::shared_ptr<const bench::operator_problem>> all;
    const auto add = [&](int rows, int cols, const char* workload, bench::cache_state cache) {
        all.push_back(std::make_shared<softmax_problem>(softmax_shape{.type = element_type(), .rows = rows, .cols = cols}, workload, cache));
    };
    add(4096, 4096, "scores", bench::cache_state::cold);
    add(64, 4096, "scores", bench::cache_state::warm);
    if (suite == "quick") return all;
    add(16384, 1024, "scores", bench::cache_state::cold);
    add(128, 128256, "vocabulary", bench::cache_state::cold);
    add(1, 128256, "vocabulary", bench::cache_state::warm);
    return all;
}

}  // namespace kittens::tool
