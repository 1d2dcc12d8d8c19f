// SPDX-License-Identifier: Apache-2.0
// Attention policies that are chosen by what was measured.
#pragma once

#include "../tuning.hpp"

#include <attention/choices.hpp>
#include <attention/launch.hpp>

#include <bench/operator_problem.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kittens::tool {

/// A policy and the parts that the keys are cut into (0: the launcher's own choice), as text "keys256@2".
struct attention_candidate {
    std::string policy = "default";
    int splits = 0;

    std::string text() const { return splits > 0 ? policy + "@" + std::to_string(splits) : policy; }
};
attention_candidate parse_attention_candidate(const std::string& text);

/// Whether the decoding policy gives what is asked for.
bool may_decode(const kernels::attention_request& r);
kernels::attention_case attention_case_of(const device& where, const kernels::attention_request& r);

/// The request with a policy.
kernels::attention_request with_candidate(kernels::attention_request r, const attention_candidate& c);
/// What the table of measured choices (kernels::attention_choices::active()) says for a request, and why.
std::pair<attention_candidate, std::string> choose_attention(const device& where, const kernels::attention_request& r);

/// As a key of the log, and what --shape takes.
std::string attention_key(const kernels::attention_request& r);
/// Throws user_error.
std::vector<kernels::attention_request> attention_tune_problems(const std::string& suite, const std::vector<std::string>& shapes, dtype type);
/// All candidates in turns. Throws std::runtime_error where one of them gives a wrong result.
std::vector<timing> measure_attention(const device& where, const kernels::attention_request& r, const bench::protocol& how, std::uint64_t seed, const std::function<void()>& tick);

/// The problem of a benchmark. `policy`: "auto", or what is in the request.
std::shared_ptr<const bench::operator_problem> attention_bench_problem(const kernels::attention_request& r, float scale, bool choose);

}  // namespace kittens::tool
