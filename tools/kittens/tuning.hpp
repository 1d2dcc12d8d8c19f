// SPDX-License-Identifier: Apache-2.0
// What every `kittens tune` does: measures cases one after the other, keeps a log that a later call goes on from, and writes a table
// of choices after each.
#pragma once

#include "bench_options.hpp"
#include "console.hpp"

#include <kittens/runtime/device.hpp>

#include <bench/interleave.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kittens::tool {

/// A log of lines of JSON that a later call goes on from. A line that was cut off by an interruption is left out.
std::vector<json> read_log_lines(const std::string& file);
/// Throws user_error.
void append_log_line(const std::string& file, const json& line);

/// Time of one policy on one case.
struct timing {
    std::string policy;
    double seconds = 0;
};

/// Where to end, go on and write: what tuning has on every target.
struct tuning_options {
    std::string budget = "600", log, table, isa, threads, warm_ups = "2", rounds = "9", seed, json_path;

    void add_to(CLI::App& command);
    std::int64_t budget_seconds() const;
    /// Throws user_error where there is no --table.
    void require_table(const std::string& kernel) const;
};

struct tuning_case {
    std::string key;  ///< of the log: what tells the case from others of the same operation
    json shape;
    double work = 0;  ///< what takes longest comes last
    std::function<std::vector<timing>(const bench::protocol& how, std::uint64_t seed, const std::function<void()>& tick)> measure;
    /// Puts the best policy, and the default's time over its, into the table, and writes that.
    std::function<void(const std::string& policy, double gain)> record;
};

/// The rounds of contenders in turns, as their shortest runs: whatever else the machine does only adds to the time, and a policy is no
/// slower for it.
std::vector<timing> shortest_runs(const std::vector<bench::contender>& contenders, const bench::protocol& how, const std::function<void()>& tick);

/// The fastest, but the default where it is as good: a difference of 1.5 % may be noise.
const timing& best_of(const std::vector<timing>& times);

/// Enters the conditions of the measurement, which repeats the program's start: nothing may have been done before. Then `cases` are made
/// and measured on the cpu device. Throws user_error.
int run_tuning(const std::string& kernel, const std::string& type, const tuning_options& o, const std::function<std::vector<tuning_case>(const device& where, int threads)>& cases);

}  // namespace kittens::tool
