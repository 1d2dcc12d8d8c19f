// SPDX-License-Identifier: Apache-2.0
// Text of the tables that the benchmarks print.
#pragma once

#include <string>
#include <vector>

namespace kittens::bench {

/// Columns as wide as their widest cell, the first to the left and the others to the right.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

/// In microseconds, or in milliseconds from one on.
std::string time_text(double seconds);

}  // namespace kittens::bench
