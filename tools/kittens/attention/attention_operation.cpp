// SPDX-License-Identifier: Apache-2.0
#include "attention_operation.hpp"

#include "../bench_options.hpp"
#include "../text.hpp"

#include <attention/policies.hpp>
#include <fmt/format.h>

namespace kittens::tool {

namespace {

constexpr std::int64_t longest = std::int64_t{1} << 24;
const std::vector<std::string> policies{"default", "rows8", "decode", "auto", "keys256", "keys1024"};

}  // namespace

void attention_operation::add_kernel_options(CLI::App& to) {
    to.add_option("--dtype", type_text_, "Element type: bf16 or fp16")->type_name("TYPE")->capture_default_str();
    to.add_option("--head-dim", dim_text_, "Head dimension: 64, 96, 128 or 256")->type_name("D")->capture_default_str();
    to.add_option("--policy", policy_, "default; rows8 (head dimension 128): smaller tiles, for few queries; decode: few queries at the end of a long cache; keys256, keys1024 (head dimension 128, cpu): steps of so many keys; auto: the table of measured choices")->type_name("NAME")->capture_default_str();
}

void attention_operation::add_problem_options(CLI::App& to) {
    text_ = {};
    to.add_option("--heads", text_.heads, "Heads of the queries")->type_name("H")->required();
    to.add_option("--queries", text_.queries, "Queries of a sequence")->type_name("N")->required();
    to.add_option("--keys", text_.keys, "Keys of a sequence; as many as queries if not given")->type_name("N");
    to.add_option("--kv-heads", text_.key_heads, "Heads of keys and values, a divisor of --heads; as many if not given")->type_name("H");
    to.add_option("--batch", text_.batch, "Sequences")->type_name("B")->capture_default_str();
    to.add_flag("--causal", text_.causal, "A query sees no key that comes after it");
    to.add_option("--query-offset", text_.query_offset, "Position of the first query, where the keys hold a prefix")->type_name("N")->capture_default_str();
    to.add_option("--key-offset", text_.key_offset, "Position of the first key")->type_name("N")->capture_default_str();
    to.add_option("--window", text_.window, "A query sees this many positions up to its own; 0: all")->type_name("N")->capture_default_str();
    to.add_option("--soft-cap", text_.soft_cap, "C: a scaled score s becomes C tanh(s / C)")->type_name("C");
    to.add_option("--softmax-scale", text_.scale, "Of the scores; 1 / sqrt(D) if not given")->type_name("X");
    to.add_flag("--mask", text_.mask, "Add a random mask, of the element type, to the scaled scores");
    to.add_option("--lengths", text_.lengths, "Sequences of different lengths, packed: QUERIES:KEYS,..., which add up to --queries and --keys")->type_name("LIST");
    to.add_flag("--align-ends", text_.align_ends, "With --lengths: a sequence's last query stands at its last key");
    to.add_option("--splits", text_.splits, "Cut the keys into S parts with workers of their own, and merge what comes out; chosen if not given")->type_name("S");
    to.add_option("--cache-lengths", text_.cache_lengths, "With --policy decode: keys of each sequence, of at most --keys")->type_name("N,N,...");
    to.add_option("--page-size", text_.page_size, "With --policy decode: a cache in pages of N keys, a multiple of 64")->type_name("N");
    to.add_option("--page-table", text_.page_table, "With --page-size: where the pages of the sequences are; a random order if not given")->type_name("N,N,...");
    to.add_flag("--lse", text_.lse, "Compute the logarithms of the sums of exponentials too");
    to.add_option("--layout", text_.layout, "Of all tensors: bhnd or bnhd")->type_name("NAME")->capture_default_str();
    to.add_option("--scale", text_.data_scale, "Standard deviation of the data")->type_name("X")->capture_default_str();
}

void attention_operation::check_kernel_options() {
    require_choice("element type", type_text_, {"bf16", "fp16"});
    type_ = type_text_ == "fp16" ? dtype::f16 : dtype::bf16;
    require_choice("head dimension", dim_text_, {"64", "96", "128", "256"});
    dim_ = std::stoi(dim_text_);
    require_choice("attention policy", policy_, policies);
    if ((policy_ == "rows8" || policy_.starts_with("keys")) && dim_ != 128) throw user_error(fmt::format("--policy {} is for --head-dim 128, not {}; leave it out", policy_, dim_));
}

void attention_operation::check_problem_options() {
    const auto number = [](const char* option, const std::string& text, std::int64_t least, std::int64_t most) { return static_cast<int>(whole_number(option, text, least, most)); };
    kernels::attention_request r;
    r.type = type_;
    r.dim = dim_;
    if (policy_ == "rows8" || policy_.starts_with("keys")) r.policy = policy_;
    r.batch = number("--batch", text_.batch, 1, 65535);
    r.heads = number("--heads", text_.heads, 1, 65535);
    r.key_heads = text_.key_heads.empty() ? r.heads : number("--kv-heads", text_.key_heads, 1, r.heads);
    if (r.heads % r.key_heads) throw user_error(fmt::format("--kv-heads must divide --heads: {} does not divide {}", r.key_heads, r.heads));
    r.queries = number("--queries", text_.queries, 1, longest);
    r.keys = text_.keys.empty() ? r.queries : number("--keys", text_.keys, 1, longest);
    r.causal = text_.causal;
    r.key_offset = number("--key-offset", text_.key_offset, 0, longest);
    r.query_offset = number("--query-offset", text_.query_offset, 0, text_.query_offset == "0" ? 0 : std::int64_t{r.key_offset} + r.keys - 1);
    r.window = number("--window", text_.window, 0, longest);
    if (!text_.soft_cap.empty()) r.soft_cap = positive_number("--soft-cap", text_.soft_cap);
    if (!text_.scale.empty()) r.scale = positive_number("--softmax-scale", text_.scale);
    data_scale_ = positive_number("--scale", text_.data_scale);
    require_choice("layout", text_.layout, {"bhnd", "bnhd"});

    query_starts_.clear();
    key_starts_.clear();
    if (!text_.lengths.empty()) {
        if (text_.mask) throw user_error("--mask cannot be combined with --lengths; leave one out");
        if (r.batch != 1) throw user_error("--lengths gives the sequences; leave --batch out");
        query_starts_ = key_starts_ = {0};
        for (const std::string& one : split(text_.lengths, ',')) {
            const std::vector<std::string> both = split(one, ':');
            if (both.size() != 2) throw user_error(fmt::format("--lengths must be QUERIES:KEYS,QUERIES:KEYS,..., not \"{}\"", text_.lengths));
            query_starts_.push_back(query_starts_.back() + number("a number of queries in --lengths", both[0], 1, r.queries));
            key_starts_.push_back(key_starts_.back() + number("a number of keys in --lengths", both[1], 1, r.keys));
            if (query_starts_.back() > r.queries || key_starts_.back() > r.keys) break;
        }
        if (query_starts_.back() != r.queries || key_starts_.back() != r.keys)
            throw user_error(fmt::format("--lengths must add up to --queries {} and --keys {}", r.queries, r.keys));
        r.batch = static_cast<int>(query_starts_.size()) - 1;
    } else if (text_.align_ends) throw user_error("--align-ends is for --lengths; use --query-offset");
    r.align_ends = text_.align_ends;
    r.splits = text_.splits.empty() ? 0 : number("--splits", text_.splits, 1, 256);
    check_decode_options(r);
    asked_ = r;
}

void attention_operation::check_decode_options(kernels::attention_request& r) {
    const auto numbers = [](const char* option, const std::string& text) {
        std::vector<std::int32_t> all;
        for (const std::string& one : split(text, ',')) all.push_back(static_cast<std::int32_t>(whole_number(option, one, 0, longest)));
        return all;
    };
    cache_lengths_.clear();
    page_table_.clear();
    r.decode = policy_ == "decode";
    if (!r.decode) {
        for (const auto& [option, text] : {std::pair{"--cache-lengths", text_.cache_lengths}, {"--page-size", text_.page_size}, {"--page-table", text_.page_table}})
            if (!text.empty()) throw user_error(fmt::format("{} is for --policy decode", option));
        return;
    }
    if (!text_.lengths.empty()) throw user_error("--lengths cannot be combined with --policy decode; use --cache-lengths");
    if (!text_.cache_lengths.empty()) cache_lengths_ = numbers("a number of keys in --cache-lengths", text_.cache_lengths);
    if (text_.page_size.empty()) {
        if (!text_.page_table.empty()) throw user_error("--page-table is for --page-size");
        return;
    }
    r.page_size = static_cast<int>(whole_number("--page-size", text_.page_size, 1, longest));
    if (r.page_size % kernels::decode_page_unit) throw user_error(fmt::format("--page-size must be a multiple of {}, not {}", kernels::decode_page_unit, r.page_size));
    r.pages = r.batch * ((r.keys + r.page_size - 1) / r.page_size);
    if (!text_.page_table.empty()) page_table_ = numbers("a page in --page-table", text_.page_table);
}

std::vector<std::string> attention_operation::check_problems() const {
    if (policy_ == "decode")
        return {"--heads 4 --kv-heads 2 --queries 1 --keys 200 --splits 2 --lse", "--heads 2 --kv-heads 1 --queries 3 --keys 150 --causal --layout bnhd --batch 2 --cache-lengths 150,40 --page-size 64",
                "--heads 3 --kv-heads 1 --queries 2 --keys 100 --causal --window 30 --soft-cap 5 --splits 1"};
    return {"--heads 2 --kv-heads 1 --queries 40 --keys 70 --causal --query-offset 30 --lse --splits 2", "--heads 1 --queries 1 --keys 33 --window 9",
            "--heads 1 --queries 17 --keys 40 --mask --soft-cap 5 --layout bnhd"};
}

std::vector<std::string> attention_operation::kernel_choices() const {
    std::vector<std::string> choices;
    for (const char* type : {"bf16", "fp16"}) {
        for (const char* policy : {"default", "decode"})
            for (const int dim : {64, 96, 128, 256}) choices.push_back(fmt::format("--dtype {} --head-dim {} --policy {}", type, dim, policy));
        choices.push_back(fmt::format("--dtype {} --head-dim 128 --policy rows8", type));
    }
    return choices;
}

inspect_plan attention_operation::inspect() {
    if (policy_ == "auto" || policy_.starts_with("keys")) throw user_error(fmt::format("--policy {} is for target cpu; inspect takes default, rows8 or decode", policy_));
    const kernels::attention_policy policy = policy_ == "rows8" ? kernels::attention_rows8(type_, dim_) : policy_ == "decode" ? kernels::attention_decode(type_, dim_) : kernels::attention_default(type_, dim_);
    inspect_plan plan;
    plan.kernel = fmt::format("attention_{}_{}{}", type_text_, dim_, policy_ == "default" ? "" : "_" + policy_);
    plan.policy = policy_;
    plan.type = type_text_;
    plan.grf = static_cast<unsigned>(policy.grf);
    // Of both products, for one step of keys. One dpas: 8 rows, 16 columns, a depth of 16.
    plan.dpas_per_k_step = static_cast<unsigned>(2 * (policy.rows / 8) * (policy.keys / 16) * (policy.dim / 16));
    plan.source = fmt::format("#include <attention/attention.hpp>\n#include <attention/policies.hpp>\n\n"
                              "KITTENS_KERNEL({}, kernels::attention<kernels::{}(kittens::dtype::{}, {})>)\n",
                              plan.kernel, "attention_" + policy_, type_ == dtype::f16 ? "f16" : "bf16", dim_);
    return plan;
}

}  // namespace kittens::tool
