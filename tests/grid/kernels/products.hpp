// SPDX-License-Identifier: Apache-2.0
// Matrix products.
#pragma once

#include "kernel.hpp"

namespace grid::inline KITTENS_NS {

/// matrix 3 = op(matrix 0) op(matrix 1) + matrix 2. Number 0: 0 AB, 1 ABt, 2 AtB, 3 AtBt; number 1: steps along K.
template <class A, class B, int M, int N, int K>
struct product : kernel {
    using sum = type_of<accumulator_of(dtype_of<A>())>;
    using d_t = rt<sum, M, N>;
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const auto ga = matrix<const A>(g, 0);
        const auto gb = matrix<const B>(g, 1);
        const int m = sg.group(1) * sg.count() + sg.id(), n = sg.group(0), steps = g.number[1];
        d_t d;
        load(d, matrix<const sum>(g, 2), coord<d_t>{m, n});
        for (int k = 0; k < steps; ++k) {
            if (g.number[0] < 2) {
                rt<A, M, K> a;
                load(a, ga, {m, k});
                if (g.number[0] == 0) {
                    rt<B, K, N, col> b;
                    load(b, gb, {k, n});
                    mma_AB(d, a, b, d);
                } else {
                    rt<B, N, K> b;
                    load(b, gb, {n, k});
                    mma_ABt(d, a, b, d);
                }
            } else {
                rt<A, K, M, col> a;
                load(a, ga, {k, m});
                if (g.number[0] == 2) {
                    rt<B, K, N, col> b;
                    load(b, gb, {k, n});
                    mma_AtB(d, a, b, d);
                } else {
                    rt<B, N, K> b;
                    load(b, gb, {n, k});
                    mma_AtBt(d, a, b, d);
                }
            }
        }
        store(matrix<sum>(g, 3), d, coord<d_t>{m, n});
    }
#endif
};

}  // namespace grid::inline KITTENS_NS

#define GRID_PRODUCT(M, N, K, NAME, A, B) KITTENS_KERNEL(grid_product_##NAME##_##M##x##N##x##K, grid::product<grid::A, grid::B, M, N, K>)
#define GRID_PRODUCT_SIZE(M, N, K) GRID_PRODUCT(M, N, K, bf16_bf16, bf16, bf16)

// Three sizes for a pair of element types.
#define GRID_PAIR(NAME, A, B) GRID_PRODUCT(16, 16, 32, NAME, A, B) GRID_PRODUCT(32, 32, 32, NAME, A, B) GRID_PRODUCT(16, 48, 64, NAME, A, B)
