// SPDX-License-Identifier: Apache-2.0
// Attention against a reference in double precision.
#pragma once

#include <attention/launch.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace kittens::tool {

struct attention_comparison {
    double relative_frobenius = 0;  ///< of what was compared
    double max_abs = 0;
    double worst = 0;               ///< the largest error over its bound
    std::int64_t wrong = 0;         ///< elements beyond their bounds, or NaN or infinite where they should not be, or the reverse
    std::int64_t rows = 0, all_rows = 0;  ///< that were compared, and that there are
    std::string first;              ///< where the first wrong element is, and what it is
    bool passed() const { return wrong == 0; }
};

/// Compares o (and lse where it is asked for) in host memory: all rows, or rows spread evenly where that would take more than
/// `budget` multiplications. The bound of an element is derived from the types: with u the unit roundoff of the element type
/// (2^-8 for bf16, 2^-11 for fp16), a weight is off by u for its rounding, 2^-12 for the exponential, and by the rounding of its
/// score; so o, whose weights sum to one, is off by that much of sum(p |v|), and by u |o| for its own rounding.
/// `weight_units` counts roundings of weights: 1 here, more for peers that round more.
attention_comparison compare_attention(const kernels::attention_request& host, double budget = 4e9, double weight_units = 1);

}  // namespace kittens::tool
