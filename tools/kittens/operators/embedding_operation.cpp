// SPDX-License-Identifier: Apache-2.0
#include "embedding_operation.hpp"

#include "../bench_options.hpp"
#include "../text.hpp"

#include <embedding/embedding.hpp>
#include <fmt/format.h>

#include <cstring>
#include <random>

namespace kittens::tool {

embedding_problem::embedding_problem(const embedding_shape& what, std::string workload, bench::cache_state cache) : suite_problem(std::move(workload), cache), s_(what) {
    kernels::check_ids(s_.ids.data(), s_.ids.size(), s_.rows);
}

nlohmann::ordered_json embedding_problem::shape() const { return {{"tokens", s_.tokens}, {"rows", s_.rows}, {"cols", s_.cols}, {"id_bits", s_.wide_ids ? 64 : 32}}; }

std::string embedding_problem::text() const { return fmt::format("{} rows of {} x {}{}", s_.tokens, s_.rows, s_.cols, s_.wide_ids ? ", 64-bit ids" : ""); }

double embedding_problem::bytes_read() const { return static_cast<double>(s_.tokens) * (s_.cols * size_of(s_.type) + (s_.wide_ids ? 8 : 4)); }

std::size_t embedding_problem::bytes_used(const bench::tensor_spec& t) const {
    return t.name == "table" ? std::min(t.bytes(), static_cast<std::size_t>(s_.tokens) * static_cast<std::size_t>(s_.cols * size_of(s_.type))) : t.bytes();
}

std::vector<bench::tensor_spec> embedding_problem::tensors() const {
    bench::tensor_spec ids{"ids", dtype::i32, {s_.tokens}};
    if (s_.wide_ids) ids.sizes.push_back(2);  // 64-bit numbers, as two words each
    return {{"table", s_.type, {s_.rows, s_.cols}}, ids, {"out", s_.type, {s_.tokens, s_.cols}, true}};
}

void embedding_problem::fill(std::span<void* const> t, std::uint64_t seed) const {
    bench::fill_normal(s_.type, t[0], tensors()[0].count(), seed * 31);
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<std::int64_t> any(0, s_.rows - 1);
    for (int i = 0; i < s_.tokens; ++i) {
        const std::int64_t id = s_.ids.empty() ? any(random) : s_.ids[static_cast<std::size_t>(i)];
        if (s_.wide_ids) static_cast<std::int64_t*>(t[1])[i] = id;
        else static_cast<std::int32_t*>(t[1])[i] = static_cast<std::int32_t>(id);
    }
}

kernel_call embedding_problem::call(std::span<void* const> t) const {
    const int words = s_.wide_ids ? 2 : 1;
    const kernels::embedding_globals g{{static_cast<bf16*>(t[0]), 1, 1, s_.rows, s_.cols}, {static_cast<int32*>(t[1]), 1, 1, 1, s_.tokens * words},
                                       {static_cast<bf16*>(t[2]), 1, 1, s_.tokens, s_.cols}, words, stores_for(static_cast<double>(s_.tokens) * s_.cols * size_of(s_.type))};
    return kernel_call::of("embedding_16", g);
}

bench::operator_verdict embedding_problem::check(std::span<void* const> t, bool) const {
    bench::operator_verdict v;
    const std::size_t bytes = static_cast<std::size_t>(s_.cols) * 2;
    for (int i = 0; i < s_.tokens; ++i) {
        const std::int64_t id = s_.wide_ids ? static_cast<std::int64_t*>(t[1])[i] : static_cast<std::int32_t*>(t[1])[i];
        if (std::memcmp(static_cast<char*>(t[2]) + static_cast<std::size_t>(i) * bytes, static_cast<char*>(t[0]) + static_cast<std::size_t>(id) * bytes, bytes) != 0) {
            v.failure = fmt::format("row {} is not row {} of the table, bit for bit", i, id);
            return v;
        }
    }
    return v;
}

void embedding_operation::add_problem_options(CLI::App& to) {
    to.add_option("--tokens", tokens_, "Rows of the result")->type_name("N")->required();
    to.add_option("--rows", rows_, "Rows of the table")->type_name("R")->required();
    to.add_option("--cols", cols_, "Elements of a row")->type_name("C")->required();
    to.add_option("--id-type", id_type_, "int32 or int64")->type_name("TYPE")->capture_default_str();
    ids_.clear();
    to.add_option("--ids", ids_, "The ids, separated by commas; random ones if not given")->type_name("LIST");
}

void embedding_operation::check_kernel_options() {
    operator_operation::check_kernel_options();
    shape_.type = element_type();
}

void embedding_operation::check_problem_options() {
    shape_.tokens = static_cast<int>(whole_number("--tokens", tokens_, 1, largest_size));
    shape_.rows = static_cast<int>(whole_number("--rows", rows_, 1, largest_size));
    shape_.cols = static_cast<int>(whole_number("--cols", cols_, 1, largest_size));
    require_choice("type of ids", id_type_, {"int32", "int64"});
    shape_.wide_ids = id_type_ == "int64";
    shape_.ids.clear();
    if (ids_.empty()) return;
    for (const std::string& id : split(ids_, ',')) shape_.ids.push_back(whole_number("--ids", id, 0, shape_.rows - 1));
    if (shape_.ids.size() != static_cast<std::size_t>(shape_.tokens)) throw user_error(fmt::format("--ids has {} ids; give as many as --tokens says, {}", shape_.ids.size(), shape_.tokens));
}

std::shared_ptr<const kernel_problem> embedding_operation::problem() const { return std::make_shared<embedding_problem>(shape_, "given", bench::cache_state::warm); }

inspect_plan embedding_operation::inspect() {
    return {.kernel = "embedding_16", .policy = "default", .type = type_text(),
            .source = "#include <embedding/embedding.hpp>\n\nKITTENS_KERNEL(embedding_16, kernels::embedding<kernels::default_embedding>)\n", .grf = 128};
}

std::vector<std::shared_ptr<const bench::operator_problem>> embedding_operation::bench_problems(const std::string& suite) const {
    std::vector<std::shared_ptr<const bench::operator_problem>> all;
    const auto add = [&](int tokens, const char* workload, bench::cache_state cache) {
        all.push_back(std::make_shared<embedding_problem>(embedding_shape{.type = element_type(), .tokens = tokens, .rows = 32000, .cols = 4096, .wide_ids = false, .ids = {}}, workload, cache));
    };
    add(suite == "quick" ? 4096 : 8192, "prefill", bench::cache_state::cold);
    if (suite != "quick") add(512, "prefill", bench::cache_state::warm);
    return all;
}

}  // namespace kittens::tool
