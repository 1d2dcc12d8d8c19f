// SPDX-License-Identifier: Apache-2.0
// What happens to the sums before they are stored: C = activation(alpha * sums + beta * C + bias) + residual, in float, rounded once.
#pragma once

#include "policy.hpp"

namespace kernels::inline KITTENS_NS {

using namespace kittens;

enum class activation : int { none, relu, gelu /**< the tanh form */, silu };

/// Kernel arguments of an epilogue. A bias or residual whose pointer is null is left out; C is read only where beta is not 0.
template <bool On, dtype Out, kittens::access A> struct epilogue_args {
    float alpha = 1, beta = 0;
    gl<const type_of<Out>, 1, 1, 1, -1, kittens::access::plain> bias;  ///< one value per column of C
    gl<const type_of<Out>, -1, 1, -1, -1, A> residual;        ///< as C
    activation act = activation::none;
};
template <dtype Out, kittens::access A> struct epilogue_args<false, Out, A> {};

/// Arguments of a split of K. `parts`: how many planes (atomic), or workgroups per batch (stream).
template <split_kind S> struct split_args {};
template <> struct split_args<split_kind::atomic> { int parts = 1; };
template <> struct split_args<split_kind::stream> { int parts = 1; };

#if KITTENS_HAS_TILE_OPS
template <class C, class Part, class Args>
KITTENS_INLINE void finish_piece(const C& c, Part& x, const Args& e, coord<Part> at) {
    mul(x, x, e.alpha);
    if (e.beta != 0) {
        Part old;
        load(old, c, at);
        mul(old, old, e.beta);
        add(x, x, old);
    }
    if (e.bias.ptr) {
        row_vec<Part> bias;
        load(bias, e.bias, {0, at.c});
        add_col(x, x, bias);
    }
    if (e.act == activation::relu) relu(x, x);
    else if (e.act == activation::gelu) gelu(x, x);
    else if (e.act == activation::silu) silu(x, x);
    if (e.residual.ptr) {
        Part more;
        load(more, e.residual, {at.b, 0, at.r, at.c});
        add(x, x, more);
    }
    store(c, x, at);
}

/// Applies the epilogue to the sums of tile `at` and stores them, `PieceM` x `PieceN` at a time (0: the whole tile): on xe a second
/// tile beside whole accumulators would not fit the registers.
template <int PieceM, int PieceN, class C, class Acc, class Args>
KITTENS_INLINE void finish(const C& c, const Acc& sums, const Args& e, coord<Acc> at) {
    constexpr int pm = PieceM ? PieceM : Acc::rows, pn = PieceN ? PieceN : Acc::cols;
    constexpr int down = Acc::rows / pm, across = Acc::cols / pn;
    using part = rt<float, pm, pn, row, Acc::base>;
    KITTENS_UNROLL
    for (int i = 0; i < down; ++i) {
        KITTENS_UNROLL
        for (int j = 0; j < across; ++j) {
            part x;
            if constexpr (down * across == 1) copy(x, sums);
            else copy(x, subtile<pm, pn>(sums, i, j));
            finish_piece(c, x, e, {at.b, at.d, at.r * down + i, at.c * across + j});
        }
    }
}
#endif

}  // namespace kernels::inline KITTENS_NS
