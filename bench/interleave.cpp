// SPDX-License-Identifier: Apache-2.0
#include "interleave.hpp"

#include "environment.hpp"
#include "idle.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace kittens::bench {

surroundings real_surroundings() {
    return {.now = [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); },
            .settle = [] { wait_for_idle_threads(); },
            .progress = [] {}};
}

std::vector<samples> interleave(std::span<const contender> of, const protocol& how, const surroundings& with) {
    const std::size_t n = of.size();
    std::vector<samples> result(n);
    // The shortest run seen so far says how often a run is repeated in a sample. It is settled before the first kept
    // round: all kept samples of a contender are made alike.
    std::vector<double> shortest(n, std::numeric_limits<double>::infinity());
    const int warm_ups = std::max(how.warm_ups, 1);
    const interference::measurement watched(how.watch);
    for (int round = 0; round < warm_ups + how.rounds; ++round) {
        const bool kept = round >= warm_ups;
        for (std::size_t turn = 0; turn < n; ++turn) {
            const std::size_t i = (static_cast<std::size_t>(round) + turn) % n;
            if (how.settle && with.settle) with.settle();
            if (shortest[i] < how.lead_in_below) of[i].run();
            const int repetitions = kept ? result[i].repetitions : 1;
            const double start = with.now();
            for (int r = 0; r < repetitions; ++r) of[i].run();
            const double seconds = (with.now() - start) / repetitions;
            if (kept) {
                result[i].seconds.push_back(seconds);
            } else {
                shortest[i] = std::min(shortest[i], seconds);
                if (round == warm_ups - 1) {
                    const double wanted = std::ceil(how.least_sample / std::max(shortest[i], 1e-9));
                    result[i].repetitions = static_cast<int>(std::clamp(wanted, 1.0, 1e6));
                }
            }
        }
        if (with.progress) with.progress();
    }
    return result;
}

}  // namespace kittens::bench
