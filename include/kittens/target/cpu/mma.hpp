// SPDX-License-Identifier: Apache-2.0
// Matrix products: which engine and which packed form serve which element types.
#pragma once

#include <kittens/target/cpu/engine_amx.hpp>
#include <kittens/target/cpu/engine_vector.hpp>
#include <kittens/target/cpu/maps.hpp>

namespace kittens::inline KITTENS_NS::lower {

/// half and tf32 have no instruction with float sums on these processors: they are widened to float when packed.
template <class T> constexpr auto form_of() {
    if constexpr (is_integer_element<T>) {
#if defined(KITTENS_CPU_AMX)
        return form_byte{};
#else
        return form_short{};
#endif
    } else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, tf32>) return form_float{};
    else {
#if defined(__AVX512BF16__)
        return form_bf16{};
#else
        return form_float{};
#endif
    }
}

/// The tile as an operand. `DepthIsCols`: the inner dimension runs along the tile's columns.
template <bool DepthIsCols, class Tile>
KITTENS_INLINE operand<typename Tile::element> operand_of(const Tile& t) {
    bool shared;
    const auto block = t.view(&shared);
    const bool along = DepthIsCols != block.transposed;
    if (along)
        return {block.data, block.stride, block.rows, block.cols, true, shared, block.first_row, block.first_col, block.rows_below, block.cols_right};
    return {block.data, block.stride, block.cols, block.rows, false, shared, block.first_col, block.first_row, block.cols_right, block.rows_below};
}

template <bool ATransposed, bool BTransposed, class D, class A, class B>
KITTENS_INLINE void multiply(D& d, const A& a, const B& b, const D& c) {
    using form = decltype(form_of<typename A::element>());
    if (&d != &c) d = c;
    const auto left = operand_of<!ATransposed>(a);
    const auto right = operand_of<BTransposed>(b);
    if (left.lanes == 0 || right.lanes == 0 || left.depth == 0 || right.depth == 0) return;

#if defined(KITTENS_CPU_AMX)
    constexpr bool tiles = form::id == form_bf16::id || form::id == form_byte::id;
#else
    constexpr bool tiles = false;
#endif
    constexpr int row_step = tiles ? 16 : 1, col_step = tiles ? 16 : lanes;
    const int rows = std::min((left.lanes + row_step - 1) / row_step * row_step, D::rows), cols = (right.lanes + col_step - 1) / col_step * col_step;
    d.settle_for_sum(rows);
    const bool fresh = d.live_rows == 0;
    if (fresh) {
        for (int i = 0; cols < D::cols && i < rows; ++i) std::memset(d.row(i) + cols, 0, (D::cols - cols) * sizeof(typename D::element));
        d.live_rows = rows;
    }
#if defined(KITTENS_CPU_AMX)
    if constexpr (tiles) tile_product<form>(d.elements, D::pitch, fresh, left, right);
    else
#endif
        vector_product<form>(d.elements, D::pitch, fresh, left, right);
}

template <class D, class A, class B> KITTENS_INLINE void mma_AB(D& d, const A& a, const B& b, const D& c) { multiply<false, false>(d, a, b, c); }
template <class D, class A, class B> KITTENS_INLINE void mma_ABt(D& d, const A& a, const B& b, const D& c) { multiply<false, true>(d, a, b, c); }
template <class D, class A, class B> KITTENS_INLINE void mma_AtB(D& d, const A& a, const B& b, const D& c) { multiply<true, false>(d, a, b, c); }
template <class D, class A, class B> KITTENS_INLINE void mma_AtBt(D& d, const A& a, const B& b, const D& c) { multiply<true, true>(d, a, b, c); }

}  // namespace kittens::inline KITTENS_NS::lower
