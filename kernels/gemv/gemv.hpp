// SPDX-License-Identifier: Apache-2.0
// Few rows times a large matrix: out (M x N) = x (M x K) times the transpose of weight (N x K), M from 1 to 8, for decoding. The
// weights are read once, in wide accesses, and that is what takes the time.
//
// A workgroup makes `rows` neighbouring columns of out. Its subgroups cut K between them, chunk by chunk, and meet once in
// shared memory. A bias and a residual are added before the one rounding; with a second matrix the result is
// silu(x gate^T) * (x up^T), gate being `weight` and up `second`.
#pragma once

#include <kittens/kittens.hpp>
#include <kittens/ops/wide.hpp>

namespace kernels {

using kittens::dtype;

struct gemv_policy {
    dtype type = dtype::bf16;
    int rows_of_x = 1;  ///< most that M may be
    bool gated = false;
    int chunk = 256;
    int subgroups = 8;
    static constexpr int rows = 8;
};

#if defined(KITTENS_TARGET_CPU)
constexpr gemv_policy default_gemv(dtype type, int rows_of_x, bool gated) { return {type, rows_of_x, gated, 2048, 1}; }
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
    using eight = rv<float, P.rows>;

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
        // sums[i][m] holds the eight columns' sums for row m and matrix i.
        eight sums[matrices][P.rows_of_x];
        for (int i = 0; i < matrices; ++i)
            for (int m = 0; m < P.rows_of_x; ++m) zero(sums[i][m]);
        for (int r = 0; r < P.rows; ++r) {
            const int n = sg.group(0) * P.rows + r;
            if (n >= g.weight.rows()) break;
            add_row(sums[0], g.x, g.weight, n, r, sg);
            if constexpr (P.gated) add_row(sums[1], g.x, g.second, n, r, sg);
        }
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
                        eight other;
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

    /// Adds this subgroup's part of the products of weight row n to element r of the sums.
    template <class X, class W>
    static KITTENS_INLINE void add_row(eight (&sums)[P.rows_of_x], const X& x, const W& weight, int n, int r, const subgroup& sg) {
        const int chunks = ceil_div(weight.cols(), P.chunk);
        float sum[P.rows_of_x] = {};
        if constexpr (P.subgroups == 1) {
            for (int c = 0; c < chunks; ++c)
                for (int m = 0; m < P.rows_of_x && m < x.rows(); ++m) {
                    // The next row of the matrix comes while this one is used.
                    const auto here = in_memory<vec>(weight, {n, c}), w = m == 0 ? here.asking_for(weight, {n + 1, c}) : here;
                    sum[m] += reduce_with<base_ops::sum>([](auto a, auto b) { return a * b; }, w, in_memory<vec>(x, {m, c}));
                }
        } else {
            // The next chunk is on its way while this one is used.
            vec w, next;
            load_wide(w, weight, {n, sg.id()});
            for (int c = sg.id(); c < chunks; c += P.subgroups) {
                load_wide(next, weight, {n, c + P.subgroups});
                KITTENS_UNROLL
                for (int m = 0; m < P.rows_of_x; ++m) sum[m] += reduce_with<base_ops::sum>([](auto a, auto b) { return a * b; }, in_memory<vec>(x, {m, c}), w);
                w = next;
            }
        }
        KITTENS_UNROLL
        for (int m = 0; m < P.rows_of_x; ++m) {
            const float mine = sum[m];
            apply(sums[m], sums[m], [=](int i, float v) { return i == r ? mine : v; });
        }
    }

    static KITTENS_INLINE void finish(const globals& g, const eight (&sums)[matrices][P.rows_of_x], int m, int group) {
        if (m >= g.out.rows()) return;
        eight v = sums[0][m], more;
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
