// SPDX-License-Identifier: Apache-2.0
// Every element-wise operation, on a few tiles.
#include "kernel.hpp"

namespace grid::inline KITTENS_NS {

/// matrix 3 = f(matrix 0, matrix 1 or the scalar or vectors of matrix 2). Number 0: which function; number 1, for binary ones:
/// 0 tile, 1 scalar, 2 value per row, 3 value per column.
template <class T, layout L, int M, int N>
struct elementwise : kernel {
    using tile = rt<T, M, N, L>;
#if KITTENS_HAS_TILE_OPS
    // Functions of their own where an OpenCL device compiles them: its compiler takes far more than twice the time for twice
    // the function.
    template <class Op> KITTENS_INLINE_NATIVE static void of_tile(tile& a, const tile& b) { bin_map<Op>(a, a, b); }
    template <class Op> KITTENS_INLINE_NATIVE static void of_scalar(tile& a, compute_t<T> s) { bin_map<Op>(a, a, s); }
    template <class Op> KITTENS_INLINE_NATIVE static void of_rows(tile& a, const col_vec<tile>& v) { row_map<Op>(a, a, v); }
    template <class Op> KITTENS_INLINE_NATIVE static void of_cols(tile& a, const row_vec<tile>& v) { col_map<Op>(a, a, v); }
    template <class Op> KITTENS_INLINE_NATIVE static void unary(tile& a) { unary_map<Op>(a, a); }
    template <class Op> KITTENS_INLINE static void binary(const globals& g, tile& a, const tile& b, const col_vec<tile>& rows, const row_vec<tile>& cols) {
        switch (g.number[1]) {
            case 0: of_tile<Op>(a, b); break;
            case 1: of_scalar<Op>(a, compute_t<T>(g.scalar)); break;
            case 2: of_rows<Op>(a, rows); break;
            default: of_cols<Op>(a, cols);
        }
    }
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const coord<tile> at{sg.group(1), sg.group(0)};
        tile a, b;
        col_vec<tile> rows;
        row_vec<tile> cols;
        load(a, matrix<const T>(g, 0), at);
        load(b, matrix<const T>(g, 1), at);
        load(rows, matrix<const T>(g, 2), coord<col_vec<tile>>{0, sg.group(1)});
        load(cols, matrix<const T>(g, 2), coord<row_vec<tile>>{1, sg.group(0)});
        switch (g.number[0]) {
            case 0: binary<base_ops::sum>(g, a, b, rows, cols); break;
            case 1: binary<base_ops::sub>(g, a, b, rows, cols); break;
            case 2: binary<base_ops::mul>(g, a, b, rows, cols); break;
            case 3: binary<base_ops::max>(g, a, b, rows, cols); break;
            case 4: binary<base_ops::min>(g, a, b, rows, cols); break;
            case 5: unary<base_ops::abs>(a); break;
            case 6: unary<base_ops::neg>(a); break;
            case 7: unary<base_ops::relu>(a); break;
            case 8: zero(a); break;
            case 9: one(a); break;
            case 10: apply(a, b, [](int i, int j, auto x) { return x + compute_t<T>(i % 8) - compute_t<T>(j % 8); }); break;
            default:
                if constexpr (!is_integer_element<T>) {
                    switch (g.number[0]) {
                        case 11: binary<base_ops::div>(g, a, b, rows, cols); break;
                        case 12: unary<base_ops::exp2>(a); break;
                        case 13: unary<base_ops::log>(a); break;
                        case 14: unary<base_ops::log2>(a); break;
                        case 15: unary<base_ops::sqrt>(a); break;
                        case 16: unary<base_ops::rsqrt>(a); break;
                        case 17: unary<base_ops::recip>(a); break;
                        case 18: unary<base_ops::sigmoid>(a); break;
                        case 19: unary<base_ops::silu>(a); break;
                        case 20: unary<base_ops::tanh>(a); break;
                        case 21: unary<base_ops::gelu>(a); break;
                        case 22: pos_infty(a); break;
                        default: neg_infty(a);
                    }
                }
        }
        store_any(matrix<T>(g, 3), a, at);
    }
#endif
};

}  // namespace grid::inline KITTENS_NS

#define GRID_ELEMENTWISE(NAME, L, M, N) KITTENS_KERNEL(grid_elementwise_##NAME##_##L##_##M##x##N, grid::elementwise<grid::NAME, grid::L, M, N>)
GRID_ELEMENTWISE(fp32, row, 8, 32)
GRID_ELEMENTWISE(fp32, row, 32, 32)
GRID_ELEMENTWISE(bf16, row, 16, 48)
GRID_ELEMENTWISE(bf16, col, 32, 32)
GRID_ELEMENTWISE(fp16, row, 32, 16)
GRID_ELEMENTWISE(fp16, col, 16, 16)
GRID_ELEMENTWISE(int32, row, 16, 16)
GRID_ELEMENTWISE(int8, row, 32, 64)
GRID_ELEMENTWISE(int8, col, 32, 32)
