// SPDX-License-Identifier: Apache-2.0
#include "rotary_operation.hpp"

#include "../text.hpp"

#include <fmt/format.h>
#include <rotary/rotary.hpp>

#include <algorithm>
#include <cmath>

namespace kittens::tool {

namespace {

const char* partner_of(const rotary_shape& s) { return s.interleaved ? "beside" : s.rotated == 256 ? "far" : "near"; }
int table_length(const rotary_shape& s) { return std::max(128, s.head_dim); }
std::string kernel_name(const rotary_shape& s) { return fmt::format("rotary_{}_{}", partner_of(s), name_of(s.type)); }

template <dtype T> kernel_call make_call(const rotary_shape& s, std::span<void* const> t) {
    using element = type_of<T>;
    const bool keys = s.kv_heads > 0;
    const auto at = [&](std::size_t i) { return static_cast<element*>(t[i]); };
    std::size_t i = 0;
    element *q = at(i++), *k = keys ? at(i++) : q;
    i += 2;  // the tables by pairs are for peers
    element *cosines = at(i++), *sines = at(i++), *q_out = at(i++), *k_out = keys ? at(i++) : q_out;
    const int q_cols = s.heads * s.head_dim, k_cols = keys ? s.kv_heads * s.head_dim : q_cols, rows = s.position + std::min(s.sequence, s.tokens), length = table_length(s);
    const double written = static_cast<double>(s.tokens) * (q_cols + (keys ? k_cols : 0)) * size_of(T);
    // Positions are given by the first one, so there is no list of them; a layout has to point somewhere all the same.
    const kernels::rotary_globals<T> g{{q, 1, 1, s.tokens, q_cols},
                                       {k, 1, 1, s.tokens, k_cols},
                                       {q_out, 1, 1, s.tokens, q_cols},
                                       {k_out, 1, 1, s.tokens, k_cols},
                                       {cosines, 1, 1, rows, length},
                                       {sines, 1, 1, rows, length},
                                       {reinterpret_cast<const int32*>(cosines), 1, 1, 1, 1},
                                       0,
                                       keys,
                                       s.position,
                                       s.sequence,
                                       s.rotated,
                                       s.head_dim,
                                       stores_for(written)};
    return kernel_call::of(kernel_name(s), g);
}

}  // namespace

nlohmann::ordered_json rotary_problem::shape() const {
    return {{"tokens", s_.tokens}, {"heads", s_.heads}, {"kv_heads", s_.kv_heads}, {"head_dim", s_.head_dim}, {"rotated", s_.rotated}, {"interleaved", s_.interleaved}, {"position", s_.position}};
}
std::string rotary_problem::text() const {
    return fmt::format("{} {} x ({} + {}) x {}{}", s_.interleaved ? "interleaved" : "halved", s_.tokens, s_.heads, s_.kv_heads, s_.head_dim,
                       s_.rotated < s_.head_dim ? fmt::format(", {} rotated", s_.rotated) : "");
}
double rotary_problem::flops() const { return 3.0 * s_.tokens * (s_.heads + s_.kv_heads) * s_.rotated; }
double rotary_problem::bytes_read() const { return bytes_written(); }

std::vector<bench::tensor_spec> rotary_problem::tensors() const {
    const std::int64_t n = s_.tokens, d = s_.head_dim, rows = s_.position + std::min(s_.sequence, s_.tokens);
    const bool keys = s_.kv_heads > 0;
    std::vector<bench::tensor_spec> all{{"q", s_.type, {n, s_.heads, d}}};
    if (keys) all.push_back({"k", s_.type, {n, s_.kv_heads, d}});
    all.push_back({"cos", s_.type, {n, s_.rotated / 2}});
    all.push_back({"sin", s_.type, {n, s_.rotated / 2}});
    all.push_back({"cosines", s_.type, {rows, table_length(s_)}});
    all.push_back({"sines", s_.type, {rows, table_length(s_)}});
    all.push_back({"q_out", s_.type, {n, s_.heads, d}, true});
    if (keys) all.push_back({"k_out", s_.type, {n, s_.kv_heads, d}, true});
    return all;
}

void rotary_problem::fill(std::span<void* const> t, std::uint64_t seed) const {
    const auto all = tensors();
    std::size_t i = 0;
    for (; all[i].name == "q" || all[i].name == "k"; ++i) bench::fill_normal(s_.type, t[i], all[i].count(), seed * 31 + i);
    const std::vector<float> frequencies = kernels::rotary_frequencies(s_.rotated, s_.base, s_.scaling);
    const auto half_count = frequencies.size();
    const auto length = static_cast<std::size_t>(table_length(s_));
    const auto make = [&]<class T>(T*) {
        std::vector<T> pairs(half_count);
        const auto row = [&](int position, bool sine) {
            for (std::size_t p = 0; p < half_count; ++p) {
                const float angle = static_cast<float>(position) * frequencies[p];
                pairs[p] = T(sine ? std::sin(angle) : std::cos(angle));
            }
        };
        for (const bool sine : {false, true}) {
            auto* by_pair = static_cast<T*>(t[i + sine]);
            for (int n = 0; n < s_.tokens; ++n) {
                row(s_.position + n % s_.sequence, sine);
                std::copy(pairs.begin(), pairs.end(), by_pair + static_cast<std::size_t>(n) * half_count);
            }
            auto* whole = static_cast<T*>(t[i + 2 + sine]);
            for (int n = 0; n < static_cast<int>(all[i + 2].sizes[0]); ++n) {
                row(n, sine);
                kernels::expand_rotary_row(pairs.data(), s_.rotated, s_.head_dim, static_cast<int>(length), s_.interleaved, sine, whole + static_cast<std::size_t>(n) * length);
            }
        }
    };
    if (s_.type == dtype::f16) make(static_cast<half*>(nullptr));
    else make(static_cast<bf16*>(nullptr));
}

kernel_call rotary_problem::call(std::span<void* const> t) const {
    return s_.type == dtype::f16 ? make_call<dtype::f16>(s_, t) : make_call<dtype::bf16>(s_, t);
}

bench::operator_verdict rotary_problem::check(std::span<void* const> t, bool tolerant) const {
    const auto specs = tensors();
    const auto find = [&](std::string_view name) {
        std::size_t i = 0;
        while (specs[i].name != name) ++i;
        return i;
    };
    const std::vector<double> cos = bench::values_of(specs[find("cos")], t[find("cos")]), sin = bench::values_of(specs[find("sin")], t[find("sin")]);
    bench::operator_verdict v;
    for (const auto& [in, out] : {std::pair{"q", "q_out"}, std::pair{"k", "k_out"}}) {
        if (in[0] == 'k' && s_.kv_heads == 0) continue;
        std::vector<double> x = bench::values_of(specs[find(in)], t[find(in)]);
        const auto dim = static_cast<std::size_t>(s_.head_dim), half_count = static_cast<std::size_t>(s_.rotated / 2);
        const std::size_t heads = x.size() / dim / static_cast<std::size_t>(s_.tokens);
        for (std::size_t h = 0; h < x.size() / dim; ++h)
            for (std::size_t p = 0; p < half_count; ++p) {
                double &a = x[h * dim + (s_.interleaved ? 2 * p : p)], &b = x[h * dim + (s_.interleaved ? 2 * p + 1 : p + half_count)];
                const double c = cos[h / heads * half_count + p], s = sin[h / heads * half_count + p];
                // Rounded to single precision and then to the element type, as the kernel promises, bit for bit.
                const double first = static_cast<float>(a * c - b * s), second = static_cast<float>(b * c + a * s);
                a = first, b = second;
            }
        for (double& value : x) value = static_cast<double>(s_.type == dtype::f16 ? static_cast<float>(half(static_cast<float>(value))) : static_cast<float>(bf16(static_cast<float>(value))));
        bench::compare_output(v, specs[find(out)], t[find(out)], x, tolerant ? bench::operator_gate : 1e-30);
    }
    return v;
}

void rotary_operation::add_kernel_options(CLI::App& to) {
    operator_operation::add_kernel_options(to);
    to.add_option("--convention", convention_, "halved or interleaved")->type_name("NAME")->capture_default_str();
    to.add_option("--head-dim", head_dim_, "Elements of a head: 64, 128 or 256")->type_name("D")->capture_default_str();
}

void rotary_operation::add_problem_options(CLI::App& to) {
    to.add_option("--tokens", tokens_, "Tokens")->type_name("N")->required();
    to.add_option("--heads", heads_, "Query heads")->type_name("H")->capture_default_str();
    to.add_option("--kv-heads", kv_heads_, "Key heads; 0: queries alone")->type_name("H")->capture_default_str();
    to.add_option("--rotated", rotated_, "Elements of a head that are rotated; all if not given")->type_name("R");
    to.add_option("--position", position_, "Position of the first token")->type_name("P")->capture_default_str();
    to.add_option("--sequence", sequence_, "Tokens of a sequence: positions start anew after so many; all if not given")->type_name("N");
    to.add_option("--base", base_, "Base of the frequencies")->type_name("B")->capture_default_str();
    to.add_option("--factor", factor_, "Llama 3.1's frequency scaling by this factor; 1: none")->type_name("F")->capture_default_str();
}

void rotary_operation::check_kernel_options() {
    operator_operation::check_kernel_options();
    require_choice("convention", convention_, {"halved", "interleaved"});
    require_choice("head dimension", head_dim_, {"64", "128", "256"});
    shape_.type = element_type();
    shape_.interleaved = convention_ == "interleaved";
    shape_.head_dim = shape_.rotated = static_cast<int>(whole_number("--head-dim", head_dim_, 64, 256));
}

void rotary_operation::check_problem_options() {
    shape_.tokens = static_cast<int>(whole_number("--tokens", tokens_, 1, largest_size));
    shape_.heads = static_cast<int>(whole_number("--heads", heads_, 1, 4096));
    shape_.kv_heads = static_cast<int>(whole_number("--kv-heads", kv_heads_, 0, 4096));
    shape_.position = static_cast<int>(whole_number("--position", position_, 0, largest_size));
    shape_.sequence = sequence_.empty() ? shape_.tokens : static_cast<int>(whole_number("--sequence", sequence_, 1, largest_size));
    shape_.base = positive_number("--base", base_);
    shape_.scaling = {};
    shape_.scaling.factor = positive_number("--factor", factor_);
    shape_.rotated = rotated_.empty() ? shape_.head_dim : static_cast<int>(whole_number("--rotated", rotated_, 2, shape_.head_dim));
    if (shape_.rotated % 2) throw user_error(fmt::format("--rotated must be even, not {}", shape_.rotated));
    if (!shape_.interleaved && shape_.rotated != 16 && shape_.rotated != 32 && shape_.rotated != 64 && shape_.rotated != 128 && shape_.rotated != 256)
        throw user_error(fmt::format("--rotated must be 16, 32, 64, 128 or 256 in the halved convention, not {}", shape_.rotated));
}

std::vector<std::string> rotary_operation::kernel_choices() const {
    std::vector<std::string> all;
    for (const char* type : {"bf16", "fp16"})
        for (const char* rest : {"--convention halved --head-dim 128", "--convention halved --head-dim 256", "--convention interleaved --head-dim 128"})
            all.push_back(fmt::format("--dtype {} {}", type, rest));
    return all;
}

std::shared_ptr<const kernel_problem> rotary_operation::problem() const { return std::make_shared<rotary_problem>(shape_, "given", bench::cache_state::warm); }

inspect_plan rotary_operation::inspect() {
    inspect_plan plan;
    plan.kernel = kernel_name(shape_);
    plan.policy = "default";
    plan.type = type_text();
    plan.grf = 128;
    plan.source = fmt::format("#include <rotary/rotary.hpp>\n\nKITTENS_KERNEL({}, kernels::rotary<kernels::default_rotary(kittens::dtype::{}, kernels::rotary_partner::{})>)\n",
                              plan.kernel, shape_.type == dtype::f16 ? "f16" : "bf16", partner_of(shape_));
    return plan;
}

std::vector<std::shared_ptr<const bench::operator_problem>> rotary_operation::bench_problems(const std::string& suite) const {
    std::vector<std::shared_ptr<const bench::operator_problem>> all;
    const auto add = [&](int tokens, int kv_heads, const char* workload, bench::cache_state cache) {
        rotary_shape s = shape_;
        s.tokens = s.sequence = tokens;
        s.kv_heads = kv_heads;
        s.rotated = s.head_dim;
        all.push_back(std::make_shared<rotary_problem>(s, workload, cache));
    };
    for (const int kv_heads : {0, 8}) {
        add(2048, kv_heads, "prefill", bench::cache_state::cold);
        if (suite == "default") add(8192, kv_heads, "prefill", bench::cache_state::cold);
        add(64, kv_heads, "decode", bench::cache_state::warm);
        if (suite == "default") add(1, kv_heads, "decode", bench::cache_state::warm);
    }
    return all;
}

}  // namespace kittens::tool
