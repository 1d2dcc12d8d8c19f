// SPDX-License-Identifier: Apache-2.0
// Which GEMM policy to take on a GPU that is not there: candidates ranked by their machine code.
#pragma once

#include "../console.hpp"

#include <kittens/inspect/report.hpp>

#include <gemm/xe_policies.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kittens::tool {

/// What the ranking takes a GPU to be. Clocks are those of a vector engine; bandwidths are bytes per clock.
struct gpu_model {
    inspect::gpu device = inspect::gpu::pvc;
    int cores = 1;          ///< Xe cores
    int engines = 8;        ///< vector engines of a core, each with a matrix unit
    double dpas_clocks = 8; ///< in which the matrix unit takes one dpas of 8 rows
    double l1_rate = 512;   ///< of a core's L1
    double l2_rate = 64;    ///< of L2, for each core
    double memory_rate = 1; ///< of memory, for all cores together
    double l1_bytes = 0, l2_bytes = 0;
    double l1_latency = 60, l2_latency = 500;
    double launch_clocks = 5000;
    const char* grounds = "";  ///< where the figures come from, one line
};
/// `cores` > 0 instead of the model's own.
gpu_model model_of(inspect::gpu device, int cores = 0);

/// What is read from a candidate's machine code: the main loop per step of K, and what is around it.
struct code_figures {
    double instructions = 0, dpas = 0, sends = 0, loaded_bytes = 0, prefetched_bytes = 0;
    double lines = 0;    ///< of 64 bytes, whole or in part, that its 2-D messages touch
    double outside = 0;  ///< instructions of the kernel that are not the main loop's
    unsigned spill_bytes = 0, threads_per_engine = 4;
    std::string unusable;  ///< why it cannot be ranked, e.g. that it does not compile; else empty

    double slots_per_dpas() const { return dpas > 0 ? instructions / dpas : 0; }
};
code_figures figures_of(const inspect::kernel_report& kernel);
json to_json(const code_figures& f);
/// Nothing where it is none.
std::optional<code_figures> code_figures_from(const json& j);

struct rank_problem {
    std::int64_t m = 1, n = 1, k = 1;
    int element_bytes = 2, output_bytes = 2;
};

struct rank_candidate {
    std::string policy;  ///< "default", or a name of xe_policies.hpp, with the number of planes where it splits
    kernels::xe_choice choice;
    code_figures code;
};

/// A candidate on one shape.
struct ranked {
    std::string policy;
    double clocks = 0;
    double slots_per_dpas = 0;
    std::int64_t workgroups = 0;
    std::int64_t rounds = 0;     ///< workgroups that the busiest core takes, one after the other or side by side
    double threads = 0;          ///< subgroups that share an engine
    std::string disqualified;    ///< why it may not win, else empty
};

/// The ranking, and all there is of it: no figure comes from a run. One dpas more or less is one issue slot in the machine code; what a slot is worth is
/// modelled, as follows.
///
/// Disqualified: code that spills registers (its loads and stores of scratch are in no figure here), code whose main loop or 2-D messages could not be read
/// or that does not compile, and workgroups of more subgroups than a core holds threads.
///
/// Else, with S subgroups to a workgroup and E engines to a core:
///
///     workgroups   ceil(M / rows) * ceil(N / columns) * planes; the busiest core takes q = ceil(workgroups / cores) of them: the tail wave
///     n            ceil(q * S / E) subgroups that its busiest engine works through; t of them at a time, at most its threads
///     matrix       dpas * (clocks of a dpas)
///     issue        (instructions - dpas): one slot each
///     L1           lines of 64 bytes that loads and prefetches touch * 64 / (its rate / E)
///     L2           bytes of both panels / S / (its rate / E): a panel comes to the core once, as the subgroups share it in L1
///     memory       bytes of the panels of all workgroups that run at once, each counted once: their number follows from the order; or, where A
///                  and B fit into L2, those of A and B once
///     wait         latency of the demand loads: L1's for the part of the panels that the workgroup prefetches, L2's for the rest and for what the
///                  prefetch distance does not hide; L2's for all where the panels that are in flight exceed L1
///     step         P + (matrix + issue + L1 + L2 + memory - P + wait) / t, P the largest of the five
///     clocks       n * (steps of K per plane * step + instructions outside the loop) + ceil(n / t) * latency of L2
///                  + launches * (clocks of one) + bytes of the planes, written and read
///
/// Grounds. The five are different pipes, and threads of an engine are independent: while one waits or issues, another's products run, so of what is not the
/// slowest pipe 1 / t stays visible (t = 1: nothing overlaps within a step, since all dpas of a step wait for its loads, which is what the machine code shows).
/// Latencies are round stand-ins, chosen and not fitted. The formula puts the first six steps of the ladder (ladder.hpp) in the order in which a Max 1550 was seen to run
/// them, snake order level with linear where few panels are touched (a test), but it makes the steps smaller than they were: 8 % from base_16x16 to base_32x32, where
/// the device showed 1.8 times. By-shape distance, which was worth 0.1 %, is not modelled. It knows nothing of bank
/// conflicts, of the clock under load, of what neighbours in L2 do: differences of few per cent mean nothing, and the default policy stays unless another
/// has less than `worth_changing` of its clocks.
ranked rank_one(const rank_candidate& candidate, const rank_problem& problem, const gpu_model& gpu);

/// Clocks over the default's above which the default stays: what the formula leaves out is worth a few per cent either way.
inline constexpr double worth_changing = 0.95;

/// All candidates, best first; those disqualified last. Equal clocks: fewer slots per dpas first, then by name. The default policy comes first where
/// nothing is worth a change.
std::vector<ranked> rank(const std::vector<rank_candidate>& candidates, const rank_problem& problem, const gpu_model& gpu);

}  // namespace kittens::tool
