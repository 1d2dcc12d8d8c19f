// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace kittens::inspect {

/// What a finished program left behind.
struct process_result {
    int exit_code = -1;      ///< valid when `signal` is 0
    int signal = 0;          ///< the signal that ended it, or 0
    bool timed_out = false;  ///< it was killed because it took longer than allowed
    std::string out;
    std::string err;

    bool ok() const { return exit_code == 0 && signal == 0 && !timed_out; }
    /// "exit status 1", "signal 11", "no answer in time".
    std::string describe() const;
};

struct process_options {
    std::filesystem::path working_directory;                       ///< empty: the caller's
    std::vector<std::pair<std::string, std::string>> environment;  ///< set in addition
    std::chrono::milliseconds timeout = std::chrono::minutes(10);
};

/// Runs a program without a shell, its input empty, and waits for it. `argv[0]` is a path, or a
/// name looked up in PATH. Throws std::system_error when it cannot be started.
process_result run_process(const std::vector<std::string>& argv, const process_options& options = {});

}  // namespace kittens::inspect
