// SPDX-License-Identifier: Apache-2.0
// The same conditions for all that are compared: processors, number of threads, instruction set. Libraries read these
// from the environment when they are loaded, so the program is started anew with it.
#pragma once

#include <kittens/runtime/cpu_isa.hpp>

#include <optional>
#include <string>
#include <vector>

namespace kittens::bench {

struct conditions {
    std::optional<cpu_isa> isa{};    ///< cap for everybody; nothing: each takes the best that it finds
    std::vector<int> processors{};   ///< one per thread
    bool passive_waiting = false;    ///< OMP_WAIT_POLICY=PASSIVE: idle OpenMP threads sleep at once
    int threads() const { return static_cast<int>(processors.size()); }
};

/// A variable and its value; nothing: it is removed.
struct variable {
    std::string name;
    std::optional<std::string> value;
    friend bool operator==(const variable&, const variable&) = default;
};

/// What has to stand in the environment for these conditions.
std::vector<variable> variables_for(const conditions& wanted);

/// `threads` processors of those that this process may run on, one per core before a second one of any; 0: one of each
/// core. Throws device_error where there are not as many.
std::vector<int> choose_processors(int threads);

/// The first call starts the program anew (same arguments) under these conditions and does not return. The call in that
/// program returns. Throws device_error where the program cannot be started.
void enter(const conditions& wanted);

/// How busy others keep these processors while something is measured. What happens between measurements does not count: a peer
/// that compiles its kernels first is no disturbance.
class interference {
public:
    explicit interference(std::vector<int> processors);
    struct shares {
        double others = 0;  ///< part of the processors' time that other processes and the system took
        double stolen = 0;  ///< part that a hypervisor gave to others
    };
    /// Of all measurements so far, one that has begun included; none of it before the first.
    shares so_far() const;

    /// As long as it lives, somebody measures.
    class measurement {
    public:
        explicit measurement(interference* in) : in_(in) {
            if (in_) in_->begin();
        }
        ~measurement() {
            if (in_) in_->end();
        }
        measurement(const measurement&) = delete;
        measurement& operator=(const measurement&) = delete;

    private:
        interference* in_;
    };

private:
    struct times {
        double busy = 0, stolen = 0, own = 0, wall = 0;  ///< seconds
    };
    times read() const;
    times measured() const;
    void begin();
    void end();

    std::vector<int> processors_;
    bool measuring_ = false;
    times start_, sum_;
};

}  // namespace kittens::bench
