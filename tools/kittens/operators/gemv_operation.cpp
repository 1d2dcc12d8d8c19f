// SPDX-License-Identifier: Apache-2.0
#include "gemv_operation.hpp"

#include "../text.hpp"

#include <fmt/format.h>
#include <gemv/gemv.hpp>

#include <cmath>

namespace kittens::tool {

namespace {

std::string kernel_name(const gemv_shape& s) { return fmt::format("gemv{}{}_{}", s.gated ? "_gated" : "", s.m > 1 ? "_rows" : "", name_of(s.type)); }

template <dtype T> kernel_call make_call(const gemv_shape& s, std::span<void* const> t) {
    using element = type_of<T>;
    std::size_t i = 0;
    const auto take = [&](bool there, element* otherwise) { return there ? static_cast<element*>(t[i++]) : otherwise; };
    element *x = take(true, nullptr), *weight = take(true, nullptr), *second = take(s.gated, weight);
    element *bias = take(s.bias, weight), *residual = take(s.residual, weight), *out = take(true, nullptr);
    const kernels::gemv_globals<T> g{{x, 1, 1, s.m, s.k},    {weight, 1, 1, s.n, s.k}, {second, 1, 1, s.n, s.k}, {bias, 1, 1, 1, s.n},
                                     {residual, 1, 1, s.m, s.n}, {out, 1, 1, s.m, s.n},    s.bias,                   s.residual};
    return kernel_call::of(kernel_name(s), g);
}

}  // namespace

nlohmann::ordered_json gemv_problem::shape() const { return {{"m", s_.m}, {"n", s_.n}, {"k", s_.k}, {"gated", s_.gated}, {"bias", s_.bias}, {"residual", s_.residual}}; }

std::string gemv_problem::text() const {
    return fmt::format("{}{} x {} x {}{}{}", s_.gated ? "gate and up " : "", s_.m, s_.n, s_.k, s_.bias ? " + bias" : "", s_.residual ? " + residual" : "");
}

std::vector<bench::tensor_spec> gemv_problem::tensors() const {
    std::vector<bench::tensor_spec> all{{"x", s_.type, {s_.m, s_.k}}, {s_.gated ? "gate" : "weight", s_.type, {s_.n, s_.k}}};
    if (s_.gated) all.push_back({"up", s_.type, {s_.n, s_.k}});
    if (s_.bias) all.push_back({"bias", s_.type, {s_.n}});
    if (s_.residual) all.push_back({"residual", s_.type, {s_.m, s_.n}});
    all.push_back({"out", s_.type, {s_.m, s_.n}, true});
    return all;
}

kernel_call gemv_problem::call(std::span<void* const> t) const {
    return s_.type == dtype::f16 ? make_call<dtype::f16>(s_, t) : make_call<dtype::bf16>(s_, t);
}

bench::operator_verdict gemv_problem::check(std::span<void* const> t, bool tolerant) const {
    const auto specs = tensors();
    const auto n = static_cast<std::size_t>(s_.n), k = static_cast<std::size_t>(s_.k);
    std::vector<std::vector<double>> values;
    for (std::size_t i = 0; i + 1 < specs.size(); ++i) values.push_back(bench::values_of(specs[i], t[i]));
    const auto product = [&](const std::vector<double>& x, const std::vector<double>& w, std::size_t m, std::size_t j) {
        double sums[4] = {};
        std::size_t p = 0;
        for (; p + 4 <= k; p += 4)
            for (std::size_t l = 0; l < 4; ++l) sums[l] += x[m * k + p + l] * w[j * k + p + l];
        for (; p < k; ++p) sums[0] += x[m * k + p] * w[j * k + p];
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    };
    std::vector<double> right;
    for (std::size_t m = 0; m < static_cast<std::size_t>(s_.m); ++m)
        for (std::size_t j = 0; j < n; ++j) {
            double v = product(values[0], values[1], m, j);
            std::size_t next = 2;
            if (s_.gated) v = v / (1 + std::exp(-v)) * product(values[0], values[next++], m, j);
            if (s_.bias) v += values[next++][j];
            if (s_.residual) v += values[next][m * n + j];
            right.push_back(v);
        }
    bench::operator_verdict v;
    bench::compare_output(v, specs.back(), t[specs.size() - 1], right, tolerant ? bench::operator_gate : rounding_gate(s_.type));
    return v;
}

void gemv_operation::add_kernel_options(CLI::App& to) {
    operator_operation::add_kernel_options(to);
    gated_ = false;
    to.add_flag("--gated", gated_, "silu(x gate^T) * (x up^T) with two matrices in one pass");
}

void gemv_operation::add_problem_options(CLI::App& to) {
    bias_ = residual_ = false;
    to.add_option("-m", m_, "Rows of x and out, 1 to 8")->type_name("M")->capture_default_str();
    to.add_option("-n", n_, "Rows of the weights, columns of out")->type_name("N")->required();
    to.add_option("-k", k_, "Columns of x and of the weights")->type_name("K")->required();
    to.add_flag("--bias", bias_, "Add a bias");
    to.add_flag("--residual", residual_, "Add a residual");
}

void gemv_operation::check_kernel_options() {
    operator_operation::check_kernel_options();
    shape_.type = element_type();
    shape_.gated = gated_;
}

void gemv_operation::check_problem_options() {
    shape_.m = static_cast<int>(whole_number("-m", m_, 1, 8));
    shape_.n = static_cast<int>(whole_number("-n", n_, 1, largest_size));
    shape_.k = static_cast<int>(whole_number("-k", k_, 1, largest_size));
    if (gated_ && (bias_ || residual_)) throw user_error("--gated has neither --bias nor --residual");
    shape_.bias = bias_;
    shape_.residual = residual_;
}

std::shared_ptr<const kernel_problem> gemv_operation::problem() const { return std::make_shared<gemv_problem>(shape_, "given", bench::cache_state::warm); }

inspect_plan gemv_operation::inspect() {
    inspect_plan plan;
    gemv_shape s = shape_;
    s.m = 1;
    plan.kernel = kernel_name(s);
    plan.policy = "default";
    plan.type = type_text();
    plan.grf = 128;
    plan.source = fmt::format("#include <gemv/gemv.hpp>\n\nKITTENS_KERNEL({}, kernels::gemv<kernels::default_gemv(kittens::dtype::{}, 1, {})>)\n", plan.kernel,
                              shape_.type == dtype::f16 ? "f16" : "bf16", shape_.gated);
    return plan;
}

std::vector<std::shared_ptr<const bench::operator_problem>> gemv_operation::bench_problems(const std::string& suite) const {
    std::vector<std::shared_ptr<const bench::operator_problem>> all;
    const auto add = [&](int m, int n, int k, std::string workload, bool residual = false) {
        gemv_shape s{.type = element_type(), .m = m, .n = n, .k = k, .gated = shape_.gated, .residual = residual};
        all.push_back(std::make_shared<gemv_problem>(s, std::move(workload), bench::cache_state::cold));
    };
    // The projections of Llama 3.1 8B for one token, and their shards between 2, 4 and 8 devices.
    if (suite == "sharded") {
        for (const int parts : {1, 2, 4, 8}) {
            add(1, 6144 / parts, 4096, fmt::format("QKV of {}", parts));
            add(1, 14336 / parts, 4096, fmt::format("gate of {}", parts));
        }
        return all;
    }
    add(1, 6144, 4096, "QKV");
    add(1, 4096, 4096, "output");
    if (suite == "quick") return all;
    add(1, 14336, 4096, "gate");
    add(1, 14336, 4096, "up");
    add(1, 4096, 14336, "down");
    if (!shape_.gated) add(4, 4096, 4096, "output of 4 tokens");
    return all;
}

}  // namespace kittens::tool
