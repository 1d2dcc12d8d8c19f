// SPDX-License-Identifier: Apache-2.0
// Reductions. Along a column nothing leaves its lane. Along a row, sixteen rows are reduced together: at each of four
// stages a lane hands over the half of the rows that its partner will end up with, so sixteen row results cost fifteen
// exchanges, not sixty-four, and arrive one to a lane.
#pragma once

#include <kittens/target/xe/maps.hpp>

namespace kittens::inline KITTENS_NS::lower {

/// x[i] in lane l is a term of row i; afterwards x[0] in lane l is the total of row l % Rows. Rows is 8 or 16.
template <class Op, int Rows, class X>
KITTENS_INLINE X reduce_lanes(X (&x)[Rows]) {
    const int lane = isa::lane();
    KITTENS_UNROLL
    for (int s = 1; s < Rows; s *= 2) {
        KITTENS_UNROLL
        for (int i = 0; i < Rows; i += 2 * s) {
            const bool upper = lane & s;
            const X low = x[i], high = x[i + s];  // values: a choice between x[i] and x[i + s] would be one of addresses
            const X mine = upper ? high : low, other = upper ? low : high;
            x[i] = Op::op(mine, X(isa::shuffle_xor(other, mutated(mutant::reduction_distance) && s == 4 ? 8 : s)));
        }
    }
    if constexpr (Rows == 8) return Op::op(x[0], X(isa::shuffle_xor(x[0], 8)));
    else return x[0];
}

template <class Op, vector V, tile T>
KITTENS_INLINE void reduce_rows(V& dst, const T& src) {
    using X = compute<typename T::element>;
    using frag = typename T::frag;
    constexpr int rows = T::rows % 16 == 0 ? 16 : 8;
    // In-lane first: every row's terms of this lane, over all column blocks.
    X partial[T::rows];
    bool started[T::rows] = {};
    for_each_vector<T>([&](int r, int c, int v) {
        const auto from = unpack_vector(src, r, c, v);
        KITTENS_UNROLL
        for (int j = 0; j < frag::per_word; ++j) {
            KITTENS_UNROLL
            for (int i = 0; i < frag::vector_length; ++i) {
                const int row = r * T::base.rows + row_of_element<frag, T::tile_layout>(v, i, j);
                const X x = detail::component(from.part[j], i);
                partial[row] = started[row] ? Op::op(partial[row], x) : x;
                started[row] = true;
            }
        }
    });
    KITTENS_UNROLL
    for (int g = 0; g < T::rows / rows; ++g) {
        X x[rows];
        KITTENS_UNROLL
        for (int i = 0; i < rows; ++i) x[i] = partial[g * rows + i];
        const X total = mutated(mutant::row_sum_in_lane) ? x[0] : reduce_lanes<Op>(x);
        if constexpr (rows == 16) dst.v[g] = rounded<typename V::element>(total);
        else {
            // Two groups of eight rows share a register of the vector.
            const X placed = rounded<typename V::element>(total);
            dst.v[g / 2] = g % 2 == 0 ? placed : isa::lane() < 8 ? dst.v[g / 2] : placed;
        }
    }
}

template <class Op, vector V, tile T>
KITTENS_INLINE void reduce_cols(V& dst, const T& src) {
    using X = compute<typename T::element>;
    using frag = typename T::frag;
    constexpr int per_lane = T::cols / 16;  // columns that a lane holds
    X partial[per_lane];
    bool started[per_lane] = {};
    for_each_vector<T>([&](int r, int c, int v) {
        const auto from = unpack_vector(src, r, c, v);
        KITTENS_UNROLL
        for (int j = 0; j < frag::per_word; ++j) {
            KITTENS_UNROLL
            for (int i = 0; i < frag::vector_length; ++i) {
                const int block = c * T::base.cols / frag::map::block_cols + block_of_vector<frag>(v);
                const int column = frag::map::paired ? 2 * block + j : block;
                const X x = detail::component(from.part[j], i);
                partial[column] = started[column] ? Op::op(partial[column], x) : x;
                started[column] = true;
            }
        }
        (void)r;
    });
    if constexpr (frag::map::paired) {
        const int lane = isa::lane();
        KITTENS_UNROLL
        for (int b = 0; b < per_lane; ++b) {
            const int source = 8 * (b % 2) + lane / 2;
            const X even = isa::shuffle(partial[b / 2 * 2], source), odd = isa::shuffle(partial[b / 2 * 2 + 1], source);
            dst.v[b] = rounded<typename V::element>((lane & 1) != int(mutated(mutant::paired_columns_swapped)) ? odd : even);
        }
    } else {
        KITTENS_UNROLL
        for (int b = 0; b < per_lane; ++b) dst.v[b] = rounded<typename V::element>(partial[b]);
    }
}

/// Over all elements of a vector, the same value in every lane.
template <class Op, vector V>
KITTENS_INLINE auto reduce_vector(const V& src) {
    using X = compute<typename V::element>;
    X x = src.v[0];
    KITTENS_UNROLL
    for (int i = 1; i < V::full_words; ++i) x = Op::op(x, X(src.v[i]));
    if constexpr (V::length % subgroup_size != 0) {  // the last register is half full
        if constexpr (V::full_words == 0) x = isa::shuffle(x, isa::lane() & 7);
        else x = isa::lane() < 8 && !mutated(mutant::half_register_forgotten) ? Op::op(x, X(src.v[V::full_words])) : x;
    }
    constexpr int last = V::full_words == 0 ? 8 : 16;
    KITTENS_UNROLL
    for (int s = 1; s < last; s *= 2) x = Op::op(x, X(isa::shuffle_xor(x, s)));
    return x;
}

}  // namespace kittens::inline KITTENS_NS::lower
