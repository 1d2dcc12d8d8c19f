// SPDX-License-Identifier: Apache-2.0
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace kittens::bench {

namespace {
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
}

summary summarise(std::vector<double> samples) {
    if (samples.empty()) return {nan, nan, nan};
    std::sort(samples.begin(), samples.end());
    const auto quantile = [&](double q) {
        const double at = q * static_cast<double>(samples.size() - 1);
        const auto below = static_cast<std::size_t>(at);
        const std::size_t above = std::min(below + 1, samples.size() - 1);
        return samples[below] + (at - static_cast<double>(below)) * (samples[above] - samples[below]);
    };
    return {quantile(0.25), quantile(0.5), quantile(0.75)};
}

std::vector<double> ratios(std::span<const double> of, std::span<const double> by) {
    if (of.size() != by.size()) throw std::invalid_argument("ratios: the samples are not paired");
    std::vector<double> result(of.size());
    std::transform(of.begin(), of.end(), by.begin(), result.begin(), [](double a, double b) { return a / b; });
    return result;
}

double geometric_mean(std::span<const double> values) {
    if (values.empty()) return nan;
    double sum = 0;
    for (const double v : values) sum += std::log(v);
    return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace kittens::bench
