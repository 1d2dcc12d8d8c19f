// SPDX-License-Identifier: Apache-2.0
#include "attention_choice.hpp"

#include "../bench_options.hpp"
#include "../console.hpp"
#include "../text.hpp"

#include <bench/gemm_bench.hpp>
#include <kittens/runtime/registry.hpp>
#include <kittens/runtime/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace kittens::tool {

namespace {

bool is_compiled(const device& where, const kernels::attention_request& r, const std::string& policy) {
    const std::string name = fmt::format("attention_{}_{}{}", name_of(r.type), r.dim, policy == "default" ? "" : "_" + policy);
    return best_kernel(name, where.target(), where.properties().isa) != nullptr;
}

std::vector<attention_candidate> candidates(const device& where, const kernels::attention_request& r) {
    std::vector<attention_candidate> all;
    // Parts only make sense where heads and blocks of queries are too few for the workers.
    const std::int64_t groups = std::int64_t{r.batch} * r.heads * ((r.queries + 255) / 256);
    const int threads = std::max(1, where.properties().threads);
    for (const char* policy : {"default", "rows8", "keys256", "keys1024"}) {
        if (!is_compiled(where, r, policy)) continue;
        all.push_back({policy, 0});
        if (groups < 4 * threads) {
            all.push_back({policy, 2});
            all.push_back({policy, 4});
        }
    }
    if (may_decode(r) && is_compiled(where, r, "decode"))
        for (const int splits : {1, 2, 4}) all.push_back({"decode", splits});
    return all;
}

kernels::attention_request parse_shape(const std::string& text, dtype type) {
    const auto refuse = [&] { throw user_error(fmt::format("--shape must be BATCHxHEADS/KVHEADSxQUERIES:KEYS or that and \",causal\", e.g. 1x8/2x512:2048,causal, not \"{}\"", text)); };
    kernels::attention_request r;
    r.type = type;
    std::string sizes = text;
    if (const auto at = text.find(','); at != std::string::npos) {
        if (text.substr(at) != ",causal") refuse();
        r.causal = true;
        sizes.resize(at);
    }
    const auto parts = split(sizes, 'x');
    if (parts.size() != 3) refuse();
    const auto heads = split(parts[1], '/'), lengths = split(parts[2], ':');
    if (heads.size() != 2 || lengths.size() != 2) refuse();
    const auto number = [](const std::string& one, std::int64_t most) { return static_cast<int>(whole_number("a size in --shape", one, 1, most)); };
    r.batch = number(parts[0], 65535);
    r.heads = number(heads[0], 65535), r.key_heads = number(heads[1], r.heads);
    if (r.heads % r.key_heads) throw user_error(fmt::format("--shape {}: the number of key heads must divide that of heads", text));
    r.queries = number(lengths[0], 1 << 24), r.keys = number(lengths[1], 1 << 24);
    // The last query stands at the last key.
    if (r.causal) {
        if (r.queries > r.keys) throw user_error(fmt::format("--shape {}: a causal problem must have at least as many keys as queries", text));
        r.query_offset = r.keys - r.queries;
    }
    return r;
}

}  // namespace

attention_candidate parse_attention_candidate(const std::string& text) {
    const auto at = text.find('@');
    if (at == std::string::npos) return {text, 0};
    return {text.substr(0, at), std::stoi(text.substr(at + 1))};
}

bool may_decode(const kernels::attention_request& r) {
    const bool at_the_end = r.query_offset - r.key_offset == r.keys - r.queries;
    return r.queries <= 16 && !r.mask.data && r.query_starts.empty() && ((!r.causal && r.window == 0) || at_the_end);
}

kernels::attention_case attention_case_of(const device& where, const kernels::attention_request& r) {
    const auto& p = where.properties();
    return {p.target, p.isa, std::string(name_of(r.type)), std::max(1, p.threads), r.dim, r.batch, r.heads, r.key_heads, r.queries, r.keys, r.causal, may_decode(r)};
}

kernels::attention_request with_candidate(kernels::attention_request r, const attention_candidate& c) {
    r.splits = c.splits;
    r.decode = c.policy == "decode";
    r.policy = r.decode ? "default" : c.policy;
    if (r.decode) r.query_offset = r.key_offset = 0;
    return r;
}

std::pair<attention_candidate, std::string> choose_attention(const device& where, const kernels::attention_request& r) {
    const kernels::attention_choice choice = kernels::attention_choices::active().choose(attention_case_of(where, r));
    // A table may be older or younger than the program.
    if (!is_compiled(where, r, choice.policy)) return {{}, fmt::format("this program has no policy {} for {}", choice.policy, where.id())};
    return {{choice.policy, choice.splits}, choice.why};
}

std::string attention_key(const kernels::attention_request& r) {
    return fmt::format("{}x{}/{}x{}:{}{}", r.batch, r.heads, r.key_heads, r.queries, r.keys, r.causal ? ",causal" : "");
}

std::vector<kernels::attention_request> attention_tune_problems(const std::string& suite, const std::vector<std::string>& shapes, dtype type) {
    std::vector<kernels::attention_request> all;
    if (!shapes.empty()) {
        for (const std::string& s : shapes) all.push_back(parse_shape(s, type));
        return all;
    }
    require_choice("suite", suite, {"default", "quick"});
    const bool quick = suite == "quick";
    for (const char* causal : {"", ",causal"}) {
        for (const char* heads : {"8/8", "8/2"})
            for (const int batch : quick ? std::vector<int>{1} : std::vector<int>{1, 4})
                for (const int n : quick ? std::vector<int>{256, 1024} : std::vector<int>{128, 256, 512, 1024, 2048})
                    all.push_back(parse_shape(fmt::format("{}x{}x{}:{}{}", batch, heads, n, n, causal), type));
        for (const int queries : {1, 16})
            for (const int keys : quick ? std::vector<int>{2048} : std::vector<int>{512, 4096, 16384}) all.push_back(parse_shape(fmt::format("1x32/8x{}:{}{}", queries, keys, causal), type));
    }
    return all;
}

std::vector<timing> measure_attention(const device& where, const kernels::attention_request& r, const bench::protocol& how, std::uint64_t seed, const std::function<void()>& tick) {
    const auto usual = attention_bench_problem(r, 1, false);
    const std::vector<bench::tensor_spec> specs = usual->tensors();
    std::size_t bytes = 0;
    for (const auto& t : specs) bytes += t.bytes();
    require_memory(where, bytes, fmt::format("attention {}", attention_key(r)));
    std::vector<buffer<std::byte>> memory;
    std::vector<void*> tensors;
    for (const auto& t : specs) {
        memory.emplace_back(where, t.bytes());
        tensors.push_back(memory.back().data());
    }
    usual->fill(tensors, seed);
    std::vector<bench::contender> contenders;
    for (const attention_candidate& c : candidates(where, r)) {
        const auto problem = attention_bench_problem(with_candidate(r, c), 1, false);
        const auto run = problem->candidate(where, tensors);
        std::fill(memory.back().begin(), memory.back().end(), std::byte{0xff});
        run();
        if (const bench::operator_verdict v = problem->check(tensors, false); !v.passed())
            throw std::runtime_error(fmt::format("wrong result: policy {} on {}: {}", c.text(), attention_key(r), v.failure));
        contenders.push_back({c.text(), run});
    }
    return shortest_runs(contenders, how, tick);
}

}  // namespace kittens::tool
