// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace kittens::tool {

/// A bar on standard error for work that takes longer than a second, if standard error is a terminal. Removed at the
/// end. May be advanced by several threads.
class progress {
public:
    progress(std::string what, std::uint64_t total);
    ~progress();
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    void advance(std::uint64_t steps = 1);

private:
    using clock = std::chrono::steady_clock;

    void draw(clock::time_point now);

    std::string what_;
    std::uint64_t total_, done_ = 0;
    bool shown_ = false, visible_;
    clock::time_point start_ = clock::now(), drawn_ = start_;
    std::mutex mutex_;
};

}  // namespace kittens::tool
