// SPDX-License-Identifier: Apache-2.0
#include "sample_operation.hpp"

#include "../text.hpp"

#include <fmt/format.h>
#include <sample/sample.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace kittens::tool {

namespace {

/// What the kernel is given: with temperature 0 the first of the largest, which is top-k with k = 1.
int given_k(const sample_shape& s) { return s.temperature == 0 ? 1 : s.top_k == 0 ? s.cols : s.top_k; }
double given_temperature(const sample_shape& s) { return s.temperature == 0 ? 1 : s.temperature; }

template <dtype T> kernel_call make_call(const sample_shape& s, std::span<void* const> t) {
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const kernels::sample_globals<T> g{{static_cast<type_of<T>*>(t[0]), 1, 1, s.rows, s.cols}, {static_cast<int32*>(t[1]), 1, 1, 1, s.rows}, {static_cast<int32*>(t[2]), 1, 1, 1, s.rows},
                                       static_cast<float>(0x1p20 * std::numbers::log2e / given_temperature(s)), given_k(s),
                                       s.top_p >= 1 ? 0 : static_cast<std::uint32_t>(std::max(1.0, std::min(0x1p32 - 1, std::round(s.top_p * 0x1p32)))),
                                       {low(s.generator), low(s.generator >> 32)}, {low(s.offset), low(s.offset >> 32)}};
    return kernel_call::of(fmt::format("sample_{}", name_of(T)), g);
}

}  // namespace

nlohmann::ordered_json sample_problem::shape() const {
    return {{"rows", s_.rows}, {"cols", s_.cols}, {"temperature", s_.temperature}, {"top_k", s_.top_k}, {"top_p", s_.top_p}};
}

std::string sample_problem::text() const { return fmt::format("sample {} x {}, temperature {:.3g}, top-k {}, top-p {:.4g}", s_.rows, s_.cols, s_.temperature, s_.top_k, s_.top_p); }

std::vector<bench::tensor_spec> sample_problem::tensors() const {
    return {{"logits", s_.type, {s_.rows, s_.cols}}, {"token", dtype::i32, {s_.rows}, true}, {"kept", dtype::i32, {s_.rows}, true}};
}

std::vector<std::pair<std::string, double>> sample_problem::attributes() const {
    return {{"temperature", given_temperature(s_)}, {"top_k", given_k(s_)}, {"top_p", s_.top_p}};
}

void sample_problem::fill(std::span<void* const> t, std::uint64_t seed) const { bench::fill_normal(s_.type, t[0], tensors()[0].count(), seed * 31, s_.scale); }

kernel_call sample_problem::call(std::span<void* const> t) const { return s_.type == dtype::f16 ? make_call<dtype::f16>(s_, t) : make_call<dtype::bf16>(s_, t); }

bench::operator_verdict sample_problem::check(std::span<void* const> t, bool tolerant) const {
    const std::vector<double> x = bench::values_of(tensors()[0], t[0]);
    const auto cols = static_cast<std::size_t>(s_.cols);
    // Exponents (of 2) up to 31 are off by 2^-23 of themselves and 2^-20, the polynomial by 3e-9, and a weight is rounded to 2^-30 of
    // the largest; a peer may compute in single precision throughout.
    const double slack = tolerant ? 1e-3 : (31 * 0x1p-23 + 0x1p-20) * std::numbers::ln2 + 3e-9 + static_cast<double>(cols) * 0x1p-31;
    bench::operator_verdict v;
    std::vector<std::size_t> order(cols);
    std::vector<double> weights(cols);
    for (std::size_t r = 0; r < x.size() / cols && v.failure.empty(); ++r) {
        const double* row = x.data() + r * cols;
        const std::int32_t token = static_cast<std::int32_t*>(t[1])[r], kept = static_cast<std::int32_t*>(t[2])[r];
        const auto wrong = [&](const std::string& what) { v.failure = fmt::format("row {}: token {}, {} kept: {}", r, token, kept, what); };
        const double top = *std::max_element(row, row + cols, [](double a, double b) { return !std::isnan(a) && (a < b || std::isnan(b)); });
        if (!std::isfinite(top)) {
            if (token != -1 || kept != 0) wrong("there is no distribution, so these should be -1 and 0");
            continue;
        }
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return row[a] != row[b] ? row[a] > row[b] : a < b; });
        for (std::size_t i = 0; i < cols; ++i) weights[i] = std::exp((row[i] - top) / given_temperature(s_));
        const auto most = static_cast<std::size_t>(std::min(given_k(s_), s_.cols));
        if (kept < 1 || static_cast<std::size_t>(kept) > most || (s_.top_p >= 1 && static_cast<std::size_t>(kept) != most)) {
            wrong(fmt::format("top-k keeps {}", most));
            continue;
        }
        double all = 0, before = 0, set = 0;
        for (std::size_t i = 0; i < most; ++i) all += weights[order[i]];
        for (std::size_t i = 0; i < static_cast<std::size_t>(kept); ++i) before = set, set += weights[order[i]];
        if (s_.top_p < 1 && (before >= (s_.top_p + slack) * all || set < (s_.top_p - slack) * all)) {
            wrong(fmt::format("their share of the weights is {:.9g}, and {:.9g} without the last; top-p is {}", set / all, before / all, s_.top_p));
            continue;
        }
        const double least = row[order[static_cast<std::size_t>(kept) - 1]];
        std::sort(order.begin(), order.begin() + kept);
        const auto at = std::find(order.begin(), order.begin() + kept, static_cast<std::size_t>(token));
        // Which of equal logits are kept is for a peer to choose.
        const bool equal = tolerant && token >= 0 && token < s_.cols && row[token] == least;
        if (at == order.begin() + kept && !equal) {
            wrong("the token is none of those that are kept");
            continue;
        }
        if (tolerant) continue;
        double below = 0;
        for (auto i = order.begin(); i != at; ++i) below += weights[*i];
        const auto low = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
        const kernels::philox_block random = kernels::philox(low(s_.offset), low(s_.offset >> 32), static_cast<std::uint32_t>(r), 0, low(s_.generator), low(s_.generator >> 32));
        const double u = random.x[0] * 0x1p-32 + random.x[1] * 0x1p-64;
        const double first = below / set, last = (below + weights[*at]) / set;
        v.max_abs = std::max({v.max_abs, first - u, u - last});
        if (u < first - slack || u > last + slack) wrong(fmt::format("the generator's {:.9g} is not from {:.9g} to {:.9g}", u, first, last));
    }
    return v;
}

void sample_operation::add_problem_options(CLI::App& to) {
    to.add_option("--rows", rows_, "Rows")->type_name("R")->required();
    to.add_option("--cols", cols_, "Logits of a row")->type_name("C")->required();
    to.add_option("--temperature", temperature_, "What logits are divided by, 0.001 to 1000; 0 takes the first of the largest")->type_name("T")->capture_default_str();
    to.add_option("--top-k", top_k_, "How many of the largest can be drawn; 0 for all")->type_name("K")->capture_default_str();
    to.add_option("--top-p", top_p_, "The share of the weights of the largest that can be drawn, above 0 and at most 1")->type_name("P")->capture_default_str();
    to.add_option("--generator", generator_, "Seed of the generator")->type_name("S")->capture_default_str();
    to.add_option("--offset", offset_, "Where the generator's counter starts")->type_name("N")->capture_default_str();
    to.add_option("--scale", scale_, "Standard deviation of the data")->type_name("X")->capture_default_str();
}

void sample_operation::check_kernel_options() {
    operator_operation::check_kernel_options();
    shape_.type = element_type();
}

void sample_operation::check_problem_options() {
    shape_.rows = static_cast<int>(whole_number("--rows", rows_, 1, largest_size));
    shape_.cols = static_cast<int>(whole_number("--cols", cols_, 1, largest_size));
    shape_.temperature = temperature_ == "0" ? 0 : positive_number("--temperature", temperature_);
    if (shape_.temperature != 0 && (shape_.temperature < 1e-3 || shape_.temperature > 1e3)) throw user_error(fmt::format("--temperature must be 0 or from 0.001 to 1000, not {}", temperature_));
    shape_.top_k = static_cast<int>(whole_number("--top-k", top_k_, 0, largest_size));
    shape_.top_p = positive_number("--top-p", top_p_);
    if (shape_.top_p > 1) throw user_error(fmt::format("--top-p must be above 0 and at most 1, not {}", top_p_));
    shape_.generator = seed_number(generator_, "--generator");
    shape_.offset = seed_number(offset_, "--offset");
    shape_.scale = static_cast<float>(positive_number("--scale", scale_));
}

std::shared_ptr<const kernel_problem> sample_operation::problem() const { return std::make_shared<sample_problem>(shape_, "given", bench::cache_state::warm); }

inspect_plan sample_operation::inspect() {
    inspect_plan plan;
    plan.kernel = fmt::format("sample_{}", name_of(shape_.type));
    plan.policy = "default";
    plan.type = type_text();
    plan.grf = 128;
    plan.source = fmt::format("#include <sample/sample.hpp>\n\nKITTENS_KERNEL({}, kernels::sample<kernels::default_sample(kittens::dtype::{})>)\n", plan.kernel,
                              shape_.type == dtype::f16 ? "f16" : "bf16");
    return plan;
}

std::vector<std::shared_ptr<const bench::operator_problem>> sample_operation::bench_problems(const std::string& suite) const {
    std::vector<std::shared_ptr<const bench::operator_problem>> all;
    const auto add = [&](int rows, int k, double p, bench::cache_state cache) {
        // Logits of language models spread like this.
        const sample_shape s{.type = element_type(), .rows = rows, .cols = 128256, .temperature = 0.8, .top_k = k, .top_p = p, .generator = 1, .scale = 3.0f};
        all.push_back(std::make_shared<sample_problem>(s, "decode", cache));
    };
    add(16, 50, 0.9, bench::cache_state::cold);
    add(1, 50, 0.9, bench::cache_state::warm);
    if (suite == "quick") return all;
    add(16, 0, 0.9, bench::cache_state::cold);
    add(16, 0, 1, bench::cache_state::cold);
    add(1, 0, 0.9, bench::cache_state::warm);
    return all;
}

}  // namespace kittens::tool
