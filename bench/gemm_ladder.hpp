// SPDX-License-Identifier: Apache-2.0
// The method's steps on a CPU (kernels/gemm/cpu_ladder.hpp), measured against each other.
#pragma once

#include "environment.hpp"
#include "interleave.hpp"
#include "statistics.hpp"
#include "suites.hpp"

#include <kittens/runtime/device.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kittens::bench {

struct ladder_step_figures {
    std::string name, adds;
    summary seconds;
    summary speed;  ///< the first step's time over this one's, round by round
    double relative_frobenius = 0;
};

struct ladder_figures {
    gemm_shape shape;
    std::vector<ladder_step_figures> steps;
    double packing_seconds = 0;  ///< of packing B in memory ahead of the product, by all threads; not in any step's time
};

struct ladder_setting {
    const device& where;
    int threads = 1;
    std::uint64_t seed = 0;
    protocol how;
    interference::shares disturbance{};
};

/// Every step on every shape, bf16, interleaved; results are checked before they are timed and afterwards. Throws std::runtime_error
/// where one is wrong.
std::vector<ladder_figures> run_gemm_ladder(const std::vector<gemm_shape>& shapes, const ladder_setting& in, const std::function<void()>& tick = {});
/// Steps of the ladder, the default policy included.
std::size_t ladder_length();

std::string to_text(const std::vector<ladder_figures>& figures, const ladder_setting& in);
/// As `kittens tune --json`, so that `kittens plot` draws it.
nlohmann::ordered_json to_json(const std::vector<ladder_figures>& figures, const ladder_setting& in);

}  // namespace kittens::bench
