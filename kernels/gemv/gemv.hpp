// SPDX-License-Identifier: Apache-2.0
// Few rows times a large matrix: out (M x N) = x (M x K) times the transpose of weight (N x K), M from 1 to 8, for decoding. The
// weights are read once, in wide accesses, and that is what takes the time.
//
// A workgroup makes `rows` neighbouring columns of out. Its subgroups cut K between them, chunk by chunk, and meet once in
// shared memory (on cpu there is one, which reads all rows at once). A bias and a residual are added before the one rounding; with a second matrix the result is
// silu(x gate^T) * (x up^T), gate being `weight` and up `second`.
#pragma once

#include <kittens/kittens.hpp>
#include <kittens/ops/dot_products.hpp>

namespace kernels {

using kittens::dtype;

struct gemv_policy {
    dtype type = dtype::bf16;
    int rows_of_x = 1;  ///< most that M may be
    bool gated = false;
    int chunk = 256;
    int subgroups = 8;
    int rows = 8;  ///< of the weights, and columns of out, that a workgroup takes
};

#if defined(KITTENS_TARGET_CPU)
constexpr gemv_policy default_gemv(dtype type, int rows_of_x, bool gated) { return {type, rows_of_x, gated, 2048, 1, rows_of_x > 1 ? 16 : 8}; }
#else
constexpr gemv_policy default_gemv(dtype type, int rows_of_x, bool gated) { return {type, rows_of_x, gated}; }
#endif

}  // namespace kernels

namespace kernels::inline KITTENS_NS {

using namespace kittens;

template <gemv_policy P>
struct gemv {
    using element = type_of<P.type>;
    using vec = rv<float, P.chunk, vector_layout::wide>;
    using columns = rv<float, P.rows>;

    struct globals {
        gl<const element, 1, 1, -1, -1, access::plain> x, weight, second;
        gl<const element, 1, 1, 1, -1, access::plain> bias;
        gl<const element, 1, 1, -1, -1, access::plain> residual;
        gl<element, 1, 1, -1, -1, access::plain> out;
        int has_bias, has_residual;
    };

    static constexpr kernel_traits traits{.grf = 128};
    static constexpr int matrices = P.gated ? 2 : 1;
    using slots = sv_fl<P.rows * P.subgroups * P.rows_of_x * matrices>;
    static constexpr int slm_bytes = P.subgroups > 1 ? slm_bytes_for<slots> : 0;

    static launch_shape geometry(const globals& g) { return {.groups = {ceil_div(g.weight.rows(), P.rows), 1, 1}, .subgroups = P.subgroups}; }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        // sums[i][m] holds the columns' sums for row m and matrix i.
        columns sums[matrices][P.rows_of_x];
        for (int i = 0; i < matrices; ++i)
            for (int m = 0; m < P.rows_of_x; ++m) zero(sums[i][m]);
        add_dot_products<vec>(sums[0], g.weight, sg.group(0) * P.rows, g.x, sg.id(), P.subgroups);
        if constexpr (P.gated) add_dot_products<vec>(sums[1], g.second, sg.group(0) * P.rows, g.x, sg.id(), P.subgroups);
        if constexpr (P.subgroups > 1) {
            shared_allocator al(sg);
            const auto all = al.template allocate<slots>();
            KITTENS_UNROLL
            for (int i = 0; i < matrices; ++i) {
                KITTENS_UNROLL
                for (int m = 0; m < P.rows_of_x; ++m) store(subvec<P.rows>(all, slot(i, m, sg.id())), sums[i][m]);
            }
            sync(sg);
            if (sg.id() != 0) return;
            KITTENS_UNROLL
            for (int i = 0; i < matrices; ++i) {
                KITTENS_UNROLL
                for (int m = 0; m < P.rows_of_x; ++m)
                    for (int s = 1; s < P.subgroups; ++s) {
                        columns other;
                        load(other, subvec<P.rows>(all, slot(i, m, s)));
                        add(sums[i][m], sums[i][m], other);
                    }
            }
        }
        KITTENS_UNROLL
        for (int m = 0; m < P.rows_of_x; ++m) finish(g, sums, m, sg.group(0));
    }

  private:
    static constexpr int slot(int matrix, int m, int id) { return (matrix * P.rows_of_x + m) * P.subgroups + id; }

    static KITTENS_INLINE void finish(const globals& g, const columns (&sums)[matrices][P.rows_of_x], int m, int group) {
        if (m >= g.out.rows()) return;
        columns v = sums[0][m], more;
        if (g.has_bias) {
            load(more, g.bias, {0, group});
            add(v, v, more);
        }
        if constexpr (P.gated) {
            silu(v, v);
            mul(v, v, sums[1][m]);
        }
        if (g.has_residual) {
            load(more, g.residual, {m, group});
            add(v, v, more);
        }
        store(g.out, v, {m, group});
    }
#endif
};

template <dtype T> using gemv_globals = typename gemv<default_gemv(T, 1, false)>::globals;

}  // namespace kernels::inline KITTENS_NS
