// SPDX-License-Identifier: Apache-2.0
// The shapes that GEMMs are measured on.
#pragma once

#include <string>
#include <vector>

namespace kittens::bench {

struct gemm_shape {
    int m = 0, n = 0, k = 0;
    std::string workload;  ///< what it is taken from; "square" for squares
    bool square() const { return m == n && n == k; }
    friend bool operator==(const gemm_shape&, const gemm_shape&) = default;
};

/// "paper": 13 squares from 1024 to 16384 and 14 rectangles of Llama-3 and BERT inference; "cpu": the same with each
/// dimension divided by 4; "quick": five of those; "deep": M and N small, K long. Empty for any other name.
std::vector<gemm_shape> gemm_suite(const std::string& name);
std::vector<std::string> gemm_suite_names();

}  // namespace kittens::bench
