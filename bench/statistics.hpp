// SPDX-License-Identifier: Apache-2.0
// Summaries of samples.
#pragma once

#include <span>
#include <vector>

namespace kittens::bench {

/// Quartiles; the median is the second. NaN where there are no samples.
struct summary {
    double q1 = 0, median = 0, q3 = 0;
};

/// Linear interpolation between the order statistics.
summary summarise(std::vector<double> samples);

/// Element by element: of[i] / by[i]. Both must be equally long.
std::vector<double> ratios(std::span<const double> of, std::span<const double> by);

/// exp of the mean logarithm; NaN where there are no values.
double geometric_mean(std::span<const double> values);

}  // namespace kittens::bench
