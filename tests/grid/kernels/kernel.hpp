// SPDX-License-Identifier: Apache-2.0
// What the grid's kernels share. Every kernel takes the same globals, so that the host side of a case is a table entry
// and not a template: untyped matrices, a few integers, and the launch.
#pragma once

#include <kittens/kittens.hpp>

namespace grid {

using namespace kittens;
using fp32 = float;
using fp16 = half;

inline namespace KITTENS_NS {

/// A matrix of some element type that kernel and case agree on.
struct matrix_arg {
    KITTENS_GLOBAL void* data = nullptr;
    int rows = 0, cols = 0, stride = 0;  ///< in elements
    int reserved = 0;
};

inline constexpr int max_matrices = 8, max_numbers = 8;

struct globals {
    matrix_arg matrix[max_matrices];
    int number[max_numbers] = {};
    int groups[2] = {1, 1};  ///< along columns, along rows
    int subgroups = 1;
    float scalar = 0;
};

/// Base of the kernels: the launch is the case's choice.
struct kernel {
    using globals = grid::globals;
    static launch_shape geometry(const globals& g) { return {.groups = {g.groups[0], g.groups[1], 1}, .subgroups = g.subgroups, .slm_bytes = 0}; }
};

#if KITTENS_HAS_TILE_OPS
/// Matrix `i` of the globals as a global layout.
template <class T, access A = access::block>
KITTENS_INLINE gl<T, 1, 1, -1, -1, A> matrix(const globals& g, int i) {
    gl<T, 1, 1, -1, -1, A> r;
    r.ptr = (KITTENS_GLOBAL T*)g.matrix[i].data;
    r.row_stride = g.matrix[i].stride;
    r.row_count.n = g.matrix[i].rows;
    r.col_count.n = g.matrix[i].cols;
    return r;
}

/// Stores a tile of either layout.
template <class GL, class RT>
KITTENS_INLINE void store_any(const GL& to, const RT& tile, coord<RT> at) {
    if constexpr (RT::tile_layout == layout::row) store(to, tile, at);
    else {
        // Bytes have 32 columns to a base tile in row layout.
        constexpr base_shape base = sizeof(typename RT::element) == 1 ? default_base(RT::rows, RT::cols) : RT::base;
        rt<typename RT::element, RT::rows, RT::cols, layout::row, base> plain;
        swap_layout(plain, tile);
        store(to, plain, {at.b, at.d, at.r, at.c});
    }
}

/// Calls f(group<N>) with all N subgroups of the workgroup: 1, 2 or 4.
template <class F> KITTENS_INLINE void with_group(const subgroup& sg, F f) {
    if (sg.count() == 1) f(group<1>(sg));
    else if (sg.count() == 2) f(group<2>(sg));
    else f(group<4>(sg));
}
#endif

}  // namespace KITTENS_NS

}  // namespace grid

// The sixteen tile sizes, in units of 16 x 16: EACH(rows, columns, ...).
#define GRID_SIZES(EACH, ...)                                                                                      \
    EACH(16, 16, __VA_ARGS__) EACH(16, 32, __VA_ARGS__) EACH(16, 48, __VA_ARGS__) EACH(16, 64, __VA_ARGS__)        \
    EACH(32, 16, __VA_ARGS__) EACH(32, 32, __VA_ARGS__) EACH(32, 48, __VA_ARGS__) EACH(32, 64, __VA_ARGS__)        \
    EACH(48, 16, __VA_ARGS__) EACH(48, 32, __VA_ARGS__) EACH(48, 48, __VA_ARGS__) EACH(48, 64, __VA_ARGS__)        \
    EACH(64, 16, __VA_ARGS__) EACH(64, 32, __VA_ARGS__) EACH(64, 48, __VA_ARGS__) EACH(64, 64, __VA_ARGS__)

// Vector lengths: EACH(length, ...).
#define GRID_LENGTHS(EACH, ...) EACH(16, __VA_ARGS__) EACH(32, __VA_ARGS__) EACH(48, __VA_ARGS__) EACH(64, __VA_ARGS__)
