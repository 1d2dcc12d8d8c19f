// SPDX-License-Identifier: Apache-2.0
// Rows of a matrix times a few rows of another, by vectors in registers.
#pragma once

#include <kittens/ops/maps.hpp>
#include <kittens/ops/movement.hpp>
#include <kittens/ops/reductions.hpp>
#include <kittens/target/xe/wide.hpp>

namespace kittens::inline KITTENS_NS::lower {

template <class Chunk, class V, int M, class A, class B>
KITTENS_INLINE void add_dot_products(V (&sums)[M], const A& a, int first, const B& b, int part, int parts) {
    const int chunks = ceil_div(a.cols(), Chunk::length);
    for (int r = 0; r < V::length; ++r) {
        const int n = first + r;
        if (n >= a.rows()) break;
        float sum[M] = {};
        // The next chunk is on its way while this one is used.
        Chunk w, next;
        load_wide(w, a, {n, part});
        for (int c = part; c < chunks; c += parts) {
            load_wide(next, a, {n, c + parts});
            KITTENS_UNROLL
            for (int m = 0; m < M; ++m) sum[m] += reduce_with<base_ops::sum, Chunk>([](auto x, auto y) { return x * y; }, in_memory<Chunk>(b, {m, c}), w);
            w = next;
        }
        KITTENS_UNROLL
        for (int m = 0; m < M; ++m) {
            const float mine = sum[m];
            apply(sums[m], sums[m], [=](int i, float v) { return i == r ? v + mine : v; });
        }
    }
}

}  // namespace kittens::inline KITTENS_NS::lower
