// SPDX-License-Identifier: Apache-2.0
// kittens tune gemm --target xe: without a GPU, candidates are compiled and ranked by their machine code (gemm_rank.hpp).
#pragma once

#include "../tuning.hpp"
#include "gemm_rank.hpp"

#include <bench/suites.hpp>

#include <functional>
#include <string>
#include <vector>

namespace kittens::tool {

/// What is searched: tiles of a subgroup, subgroups of a workgroup, prefetch and its distance, unrolling, order, planes of a split. All in
/// 2-D blocks, 256 registers, operands row-major; the default policy is the first. Left out before anything is compiled: what cannot be built (a panel
/// that does not divide among the subgroups that would prefetch it) and workgroups of more than `most_subgroups`.
std::vector<rank_candidate> xe_candidates(dtype type, int most_subgroups = 32);

/// What a candidate's code takes at the very least: the products, the messages, a loop's end. For what is not compiled yet.
code_figures least_figures(const kernels::xe_choice& c, dtype type);

/// Compiles what the ranking asks for, until no candidate that is not compiled yet could win on any of the problems, or `go_on` is false: at every turn, for
/// each problem, the candidate that ranks first with figures of its compiled code, of compiled code that differs in distance, order or planes only, or, where there
/// is none, the least figures. Returns those that are compiled; `code` compiles one (name without the number of planes).
std::vector<rank_candidate> search(std::vector<rank_candidate> candidates, dtype type, const std::vector<rank_problem>& problems, const gpu_model& gpu,
                                   const std::function<code_figures(const std::string& name)>& code, const std::function<bool()>& go_on);

struct machine_tuning {
    dtype type = dtype::bf16;
    std::vector<bench::gemm_shape> shapes;
    std::string device = "pvc", cores;
};
/// Throws user_error and inspect_error.
int tune_gemm_by_machine_code(const tuning_options& o, const machine_tuning& what);

}  // namespace kittens::tool
