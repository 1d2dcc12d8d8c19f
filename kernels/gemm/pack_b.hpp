// SPDX-License-Identifier: Apache-2.0
// B in the form that matrix instructions read, for policies with b = stored::packed: weights that many products use are packed once.
#pragma once

#include "policy.hpp"

#include <cstddef>
#include <cstdint>

namespace kernels {

/// Rows that the packed form of `k` rows of T has: p rows that fill 32 bits become one, p times as long.
template <class T> constexpr std::int64_t packed_rows(std::int64_t k) { return (k + 4 / std::int64_t(sizeof(T)) - 1) / (4 / std::int64_t(sizeof(T))); }

/// to: packed_rows<T>(k) x (p n), `to_stride` elements from row to row; element (k0, j) of B, which is k x n with rows `stride` elements
/// apart, goes to row k0 / p, column j p + k0 % p. Where k is no multiple of p the last row is filled up with zeros. Rows [first, last)
/// of `to`, so that threads can share the work.
template <class T> void pack_b(const T* b, std::int64_t stride, std::int64_t k, std::int64_t n, T* to, std::int64_t to_stride, std::int64_t first, std::int64_t last) {
    constexpr int p = 4 / int(sizeof(T));
    for (std::int64_t r = first; r < last; ++r) {
        T* row = to + r * to_stride;
        if ((r + 1) * p <= k) {
            const T* from = b + r * p * stride;
            for (std::int64_t j = 0; j < n; ++j)
                for (int i = 0; i < p; ++i) row[j * p + i] = from[i * stride + j];
        } else {
            for (std::int64_t j = 0; j < n; ++j)
                for (int i = 0; i < p; ++i) row[j * p + i] = r * p + i < k ? b[(r * p + i) * stride + j] : T(0);
        }
    }
}

}  // namespace kernels
