// SPDX-License-Identifier: Apache-2.0
// Matrix products: which engine and which packed form serve which element types.
#pragma once

#include <kittens/target/cpu/engine_amx.hpp>
#include <kittens/target/cpu/engine_amx_few.hpp>
#include <kittens/target/cpu/engine_few.hpp>
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
        return {block.data, block.stride, block.rows, block.cols, true, false, shared, block.first_row, block.first_col, block.rows_below, block.cols_right};
    return {block.data, block.stride, block.cols, block.rows, false, block.packed, shared, block.first_col, block.first_row, block.cols_right, block.rows_below};
}

#if defined(KITTENS_CPU_AMX)
template <class Form> inline constexpr bool by_tiles = Form::id == form_bf16::id || Form::id == form_byte::id;
#else
template <class Form> inline constexpr bool by_tiles = false;
#endif

/// d += left * right, or as much of it as `part` wants; with `sink`, the sums go there and d stays as it is.
template <class Form, class D, class TA, class TB>
KITTENS_INLINE void add_product(const D& d, const operand<TA>& left, const operand<TB>& right, [[maybe_unused]] const storage::sum_sink* sink, extent part) {
    constexpr int row_step = by_tiles<Form> ? 16 : 1, col_step = by_tiles<Form> ? 16 : lanes;
    const int rows = std::min((left.lanes + row_step - 1) / row_step * row_step, D::rows), cols = (std::min(right.lanes, part.lanes) + col_step - 1) / col_step * col_step;
    d.settle_for_sum(rows);
    const bool fresh = d.live_rows == 0;
    if (fresh && !sink) {
        const int end = std::min(D::cols, part.lanes);
        for (int i = 0; cols < end && i < rows; ++i) std::memset(d.row(i) + cols, 0, (end - cols) * sizeof(typename D::element));
        d.live_rows = rows;
    }
#if defined(KITTENS_CPU_AMX)
    if constexpr (D::rows <= tile_side && Form::id == form_bf16::id && std::is_same_v<TA, bf16> && std::is_same_v<TB, bf16>) {
        if (!sink && part.lanes >= right.lanes && takes_few_product(left, right)) return few_product(d.elements, D::pitch, fresh, left, right, part.rows, part.depth);
    }
#endif
    if constexpr (D::rows <= detail::few_most_rows && std::is_same_v<typename D::element, float> && std::is_same_v<TA, TB> && (std::is_same_v<TA, bf16> || std::is_same_v<TA, half>)) {
        const int wanted = std::min(left.lanes, part.rows);
        if (!sink && takes_few_vectors(left, right, wanted)) return few_vector_product(d.elements, D::pitch, fresh, left, right, wanted, part.lanes, part.depth);
    }
    asked_ahead.flush();
#if defined(KITTENS_CPU_AMX)
    if constexpr (by_tiles<Form>) tile_product<Form>(d.elements, D::pitch, fresh, left, right, sink, part);
    else
#endif
        vector_product<Form>(d.elements, D::pitch, fresh, left, right, part);
}

/// A product that waited: its operands are kept in the tile.
template <class Form, class D, class TA, class TB>
void run_waiting(const void* tile, const storage::waiting_product& self, const storage::sum_sink* sink) {
    operand<TA> left;
    operand<TB> right;
    std::memcpy(&left, self.left, sizeof left);
    std::memcpy(&right, self.right, sizeof right);
    const auto& d = static_cast<const D&>(*static_cast<const typename D::storage_base*>(tile));
    if (sink) {
        // The tile still waits for this product afterwards.
        const auto again = d.waiting;
        d.waiting.run = nullptr;
        add_product<Form>(d, left, right, sink, all_of_it);
        d.waiting = again;
    } else add_product<Form>(d, left, right, nullptr, all_of_it);
}

template <bool ATransposed, bool BTransposed, class D, class A, class B>
KITTENS_INLINE void multiply(D& d, const A& a, const B& b, const D& c, extent part = all_of_it) {
    using form = decltype(form_of<typename A::element>());
    if (&d != &c) d = c;
    const auto left = operand_of<!ATransposed>(a);
    const auto right = operand_of<BTransposed>(b);
    if (left.lanes == 0 || right.lanes == 0 || left.depth == 0 || right.depth == 0 || part.lanes <= 0 || part.depth <= 0 || part.rows <= 0) return;
#if defined(KITTENS_CPU_AMX)
    if constexpr (by_tiles<form>) {
        if (part.lanes >= right.lanes && part.depth >= right.depth && left.shared && right.shared && std::min(left.depth, right.depth) <= pass_depth<form>) {
            d.add_waiting();
            static_assert(sizeof left <= sizeof d.waiting.left && sizeof right <= sizeof d.waiting.right);
            std::memcpy(d.waiting.left, &left, sizeof left);
            std::memcpy(d.waiting.right, &right, sizeof right);
            d.waiting.rows = left.lanes;
            d.waiting.cols = right.lanes;
            d.waiting.run = &run_waiting<form, D, typename A::element, typename B::element>;
            return;
        }
    }
#endif
    add_product<form>(d, left, right, nullptr, part);
}

template <class D, class A, class B> KITTENS_INLINE void mma_AB(D& d, const A& a, const B& b, const D& c) { multiply<false, false>(d, a, b, c); }
template <class D, class A, class B> KITTENS_INLINE void mma_AB(D& d, const A& a, const B& b, const D& c, int needed_cols, int needed_depth, int needed_rows) {
    multiply<false, false>(d, a, b, c, extent{needed_cols, needed_depth, needed_rows});
}
template <class D, class A, class B> KITTENS_INLINE void mma_ABt(D& d, const A& a, const B& b, const D& c) { multiply<false, true>(d, a, b, c); }
template <class D, class A, class B> KITTENS_INLINE void mma_AtB(D& d, const A& a, const B& b, const D& c) { multiply<true, false>(d, a, b, c); }
template <class D, class A, class B> KITTENS_INLINE void mma_AtBt(D& d, const A& a, const B& b, const D& c) { multiply<true, true>(d, a, b, c); }

}  // namespace kittens::inline KITTENS_NS::lower
