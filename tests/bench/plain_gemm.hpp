// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/gemm_data.hpp>

namespace kittens::bench::test {

/// C = A * B in double, rounded once.
template <class T, class Out> void plain_gemm(const gemm_shape& s, const void* a_, const void* b_, void* c_) {
    const auto *a = static_cast<const T*>(a_), *b = static_cast<const T*>(b_);
    auto* c = static_cast<Out*>(c_);
    for (int i = 0; i < s.m; ++i)
        for (int j = 0; j < s.n; ++j) {
            double sum = 0;
            for (int k = 0; k < s.k; ++k) sum += static_cast<double>(a[i * s.k + k]) * static_cast<double>(b[k * s.n + j]);
            if constexpr (std::is_same_v<Out, int32>) c[i * s.n + j] = static_cast<int32>(sum);
            else c[i * s.n + j] = Out(static_cast<float>(sum));
        }
}

}  // namespace kittens::bench::test
