// SPDX-License-Identifier: Apache-2.0
// Timing several implementations of the same thing against each other, in one process and in turns, so that clock
// drift, other load and cache state meet all of them alike. What is reported is ratios within a round.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace kittens::bench {

class interference;

/// One of those that are compared. `run` does the work once and returns when it is complete.
struct contender {
    std::string name;
    std::function<void()> run;
};

struct protocol {
    int warm_ups = 10;       ///< rounds that are not kept
    int rounds = 30;         ///< rounds that are
    /// A sample is at least this long: a short run is repeated inside it and the mean taken. Seconds.
    double least_sample = 1e-3;
    /// Runs shorter than this are preceded, in each round, by one that is not timed: it wakes the contender's threads and
    /// fetches what the one before has displaced. Seconds.
    double lead_in_below = 10e-3;
    /// Between contenders, waits until the threads of the one before are asleep (see idle.hpp).
    bool settle = true;
    /// Sees the rounds, and nothing else; nullptr: nobody looks.
    interference* watch = nullptr;
};

/// What the loop needs from outside; tests put their own in.
struct surroundings {
    std::function<double()> now;     ///< seconds, monotonic
    std::function<void()> settle;    ///< called between contenders if the protocol wants it
    std::function<void()> progress;  ///< called after each round, warm-ups included
};
/// The real clock, the real settling, and no progress.
surroundings real_surroundings();

struct samples {
    std::vector<double> seconds;  ///< of one run, in each kept round
    int repetitions = 1;          ///< runs in a sample
};

/// Runs all contenders in every round. The order is fixed and the one that starts is rotated. The result is in the order
/// of `of`. Exceptions of contenders pass through.
std::vector<samples> interleave(std::span<const contender> of, const protocol& how,
                                const surroundings& with = real_surroundings());

}  // namespace kittens::bench
