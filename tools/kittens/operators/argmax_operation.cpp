// SPDX-License-Identifier: Apache-2.0
#include "argmax_operation.hpp"

#include "../text.hpp"

#include <argmax/argmax.hpp>
#include <fmt/format.h>

#include <cmath>

namespace kittens::tool {

namespace {

template <dtype T> kernel_call make_call(const argmax_shape& s, std::span<void* const> t) {
    const kernels::argmax_globals<T> g{{static_cast<type_of<T>*>(t[0]), 1, 1, s.rows, s.cols}, {static_cast<int32*>(t[1]), 1, 1, 1, s.rows}};
    return kernel_call::of(fmt::format("argmax_{}", name_of(T)), g);
}

}  // namespace

std::string argmax_problem::text() const { return fmt::format("argmax {} x {}", s_.rows, s_.cols); }

std::vector<bench::tensor_spec> argmax_problem::tensors() const { return {{"x", s_.type, {s_.rows, s_.cols}}, {"out", dtype::i32, {s_.rows}, true}}; }

void argmax_problem::fill(std::span<void* const> t, std::uint64_t seed) const { bench::fill_normal(s_.type, t[0], tensors()[0].count(), seed * 31); }

kernel_call argmax_problem::call(std::span<void* const> t) const { return s_.type == dtype::f16 ? make_call<dtype::f16>(s_, t) : make_call<dtype::bf16>(s_, t); }

bench::operator_verdict argmax_problem::check(std::span<void* const> t, bool) const {
    const std::vector<double> x = bench::values_of(tensors()[0], t[0]);
    bench::operator_verdict v;
    const auto cols = static_cast<std::size_t>(s_.cols);
    for (std::size_t r = 0; r < x.size() / cols; ++r) {
        const double* row = x.data() + r * cols;
        std::size_t best = 0;
        for (std::size_t j = 1; j < cols && !std::isnan(row[best]); ++j)
            if (row[j] > row[best] || std::isnan(row[j])) best = j;
        const std::int32_t got = static_cast<std::int32_t*>(t[1])[r];
        if (got != static_cast<std::int32_t>(best)) {
            v.failure = fmt::format("row {}: the largest element is number {}, not {}", r, best, got);
            return v;
        }
    }
    return v;
}

void argmax_operation::add_problem_options(CLI::App& to) {
    to.add_option("--rows", rows_, "Rows")->type_name("R")->required();
    to.add_option("--cols", cols_, "Elements of a row")->type_name("C")->required();
}

void argmax_operation::check_kernel_options() {
    operator_operation::check_kernel_options();
    shape_.type = element_type();
}

void argmax_operation::check_problem_options() {
    shape_.rows = static_cast<int>(whole_number("--rows", rows_, 1, largest_size));
    shape_.cols = static_cast<int>(whole_number("--cols", cols_, 1, largest_size));
}

std::shared_ptr<const kernel_problem> argmax_operation::problem() const { return std::make_shared<argmax_problem>(shape_, "given", bench::cache_state::warm); }

inspect_plan argmax_operation::inspect() {
    inspect_plan plan;
    plan.kernel = fmt::format("argmax_{}", name_of(shape_.type));
    plan.policy = "default";
    plan.type = type_text();
    plan.grf = 128;
    plan.source = fmt::format("#include <argmax/argmax.hpp>\n\nKITTENS_KERNEL({}, kernels::argmax<kernels::default_argmax(kittens::dtype::{})>)\n", plan.kernel,
                              shape_.type == dtype::f16 ? "f16" : "bf16");
    return plan;
}

std::vector<std::shared_ptr<const bench::operator_problem>> argmax_operation::bench_problems(const std::string& suite) const {
    std::vector<std::shared_ptr<const bench::operator_problem>> all;
    const auto add = [&](int rows, const char* workload, bench::cache_state cache) {
        all.push_back(std::make_shared<argmax_problem>(argmax_shape{.type = element_type(), .rows = rows, .cols = 128256}, workload, cache));
    };
    add(64, "decode", bench::cache_state::cold);
    if (suite != "quick") add(4, "decode", bench::cache_state::cold);
    add(1, "decode", bench::cache_state::warm);
    return all;
}

}  // namespace kittens::tool
