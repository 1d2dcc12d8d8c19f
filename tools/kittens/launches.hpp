// SPDX-License-Identifier: Apache-2.0
// Running a kernel several times, and what was seen.
#pragma once

#include "console.hpp"

#include <kittens/runtime/runtime.hpp>
#include <kittens/target/emulated/report.hpp>

#include <functional>
#include <string>
#include <vector>

namespace kittens::tool {

struct launches {
    std::vector<double> seconds;     ///< of each measured run
    std::string clock;               ///< "host": around the call; "device": as the device tells
    json counters = json::object();  ///< of the last run; empty but on target emulated
    std::uint64_t steps = 0;         ///< emulated: main-loop steps over all workgroups, as the emulator saw them
    std::uint64_t workgroups = 0;
    std::uint64_t prefetched_bytes = 0;
    std::vector<std::string> advice;       ///< emulated: correct, but work for nothing
    std::string failure;                   ///< why the kernel did not complete; empty if it did
    std::vector<std::string> faults;       ///< emulated: what was wrong in it
    std::vector<emulated::fault> reports;  ///< emulated: both, of the last run
};

/// A kernel and its globals.
struct launch_step {
    const kernel_record* kernel;
    std::vector<std::byte> args;
};

/// Runs the kernel `repeat` times, after one more that is not counted if there are several. `prepare` comes before each
/// run and is not timed. A kernel that fails is no exception here: it is in `failure`.
launches run_repeatedly(queue& on, const kernel_record& kernel, const void* args, std::size_t bytes, int repeat,
                        const std::function<void()>& prepare);

/// The same for launches that follow each other: times are of all of them, counters of the first, reports of all.
launches run_repeatedly(queue& on, const std::vector<launch_step>& steps, int repeat, const std::function<void()>& prepare);

double median(std::vector<double> values);

}  // namespace kittens::tool
