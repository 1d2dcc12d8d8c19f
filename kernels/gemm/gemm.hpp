// SPDX-License-Identifier: Apache-2.0
// C = A * B: A is M x K, B is K x N, row-major or transposed. Each subgroup keeps one tile of C in registers and walks along K.
#pragma once

#include "epilogue.hpp"
#include "operands.hpp"
#include "policy.hpp"
#include "schedule.hpp"

namespace kernels::inline KITTENS_NS {

using namespace kittens;

template <gemm_policy P>
struct gemm {
    using in_t = type_of<P.in>;
    // Accumulators are cut into pieces along base tiles.
    using acc_t = rt<type_of<accumulator_of(P.in)>, P.tile_m, P.tile_n, row, fitted<float>(P.piece_m ? base_shape{P.piece_m, P.piece_n} : P.base, row, P.tile_m, P.tile_n)>;
    using a_t = rt<in_t, P.tile_m, P.k_step, row, fitted<in_t>(P.base, row, P.tile_m, P.k_step)>;
    using b_t = rt<in_t, P.k_step, P.tile_n, col, fitted<in_t>(P.base, col, P.k_step, P.tile_n)>;

    struct globals {
        gl<const in_t, -1, 1, -1, -1, P.access> a, b;    ///< M x K and K x N, or their transposes (policy); a batch each
        gl<type_of<P.out>, -1, -1, -1, -1, P.access> c;  ///< M x N; depth is 1, or the planes of a staged split of K
        [[no_unique_address]] split_args<P.split> split{};
        [[no_unique_address]] epilogue_args<P.epilogue, P.out, P.access> epilogue{};
    };

    static constexpr kernel_traits traits{.grf = P.grf};
    static launch_shape geometry(const globals& g) { return gemm_grid<P>(g); }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int i = sg.id() / P.sg_cols, j = sg.id() % P.sg_cols;
        for_each_share<P>(g, sg, [&](const share& s) __attribute__((always_inline)) {
            const int m = s.m * P.sg_rows + i, n = s.n * P.sg_cols + j;
            if (g.c.template holds<acc_t>(m, n)) tile(g, s, sg.id(), i, j, m, n);
        });
    }

  private:
    using a_panel = operand<P, a_t, P.a, P.sg_cols, P.prefetch_block_a>;
    using b_panel = operand<P, b_t, P.b, P.sg_rows, P.prefetch_block_b>;

    /// Tile (m, n) of C: the sum over the share's K steps, and where it goes.
    static KITTENS_INLINE void tile(const globals& g, const share& s, int id, int i, int j, int m, int n) {
        acc_t acc;
        a_t a;
        b_t b;
        // Steps past the end touch nothing; those past a share belong to somebody else.
        const auto warm_a = [&](int k) __attribute__((always_inline)) { if (P.split == split_kind::none || k < s.k_end) a_panel::warm(a, g.a, s.batch, m, k, j, id % 5 != 0); };
        const auto warm_b = [&](int k) __attribute__((always_inline)) { if (P.split == split_kind::none || k < s.k_end) b_panel::warm(b, g.b, s.batch, k, n, i, (id & 8) != 0); };
        int ahead_a = P.distance_a, ahead_b = P.distance_b;
        if constexpr (P.distance == prefetch_distance::by_shape) ahead_a = ahead_b = distance_for(g.c.rows(), g.c.cols(), s.k_end - s.k_begin);
        for (int k = 0; k < ahead_a; ++k) warm_a(s.k_begin + k);
        for (int k = 0; k < ahead_b; ++k) warm_b(s.k_begin + k);

        zero(acc);
        const auto warm = [&](int k) __attribute__((always_inline)) { warm_a(k + ahead_a), warm_b(k + ahead_b); };
        const auto step = [&](int k) __attribute__((always_inline)) {
            a_panel::fetch(a, g.a, s.batch, m, k);
            b_panel::fetch(b, g.b, s.batch, k, n);
            if constexpr (P.unroll == 1) warm(k);
            mma_AB(acc, a, b, acc);
            // Behind the products an unrolled loop's prefetches become fewer instructions on pvc.
            if constexpr (P.unroll > 1) warm(k);
        };
        int k = s.k_begin;
        if constexpr (P.unroll > 1)
            for (; k + P.unroll <= s.k_end; k += P.unroll) {
                KITTENS_UNROLL
                for (int u = 0; u < P.unroll; ++u) step(k + u);
            }
        for (; k < s.k_end; ++k) step(k);

        if constexpr (P.split == split_kind::atomic) store_add(g.c, acc, {s.batch, 0, m, n});
        else if constexpr (P.split == split_kind::stream) s.whole ? store(g.c, acc, {s.batch, 0, m, n}) : store_add(g.c, acc, {s.batch, 0, m, n});
        else if constexpr (P.epilogue) finish<P.piece_m, P.piece_n>(g.c, acc, g.epilogue, {s.batch, s.plane, m, n});
        else store(g.c, acc, {s.batch, s.plane, m, n});
    }
#endif
};

}  // namespace kernels::inline KITTENS_NS
