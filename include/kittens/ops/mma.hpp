// SPDX-License-Identifier: Apache-2.0
// Matrix products. d = op(a) * op(b) + c; d and c may be the same tile. Sums are kept in c's element type:
// float for bf16, half, tf32 and fp8, int32 for int8 and uint8.
#pragma once

#include <kittens/ops/lowering.hpp>
#include <kittens/ops/scope.hpp>
#include <kittens/tile/rt.hpp>

#if KITTENS_HAS_TILE_OPS

namespace kittens::inline KITTENS_NS {

namespace lower {

template <class A, class B>
inline constexpr bool mma_pair =
    (std::is_same_v<A, B> && (std::is_same_v<A, bf16> || std::is_same_v<A, half> || std::is_same_v<A, tf32>)) ||
    ((std::is_same_v<A, int8> || std::is_same_v<A, uint8>) && (std::is_same_v<B, int8> || std::is_same_v<B, uint8>)) ||
    ((std::is_same_v<A, fp8e4m3> || std::is_same_v<A, fp8e5m2>) && (std::is_same_v<B, fp8e4m3> || std::is_same_v<B, fp8e5m2>));

template <class D, class A, class B, class C, int M, int N, int KA, int KB>
constexpr void check_mma() {
    static_assert(mma_pair<typename A::element, typename B::element>, "mma: a and b (second and third argument) must be both bf16, both half, both tf32, 8-bit integers, or 8-bit floats");
    static_assert(std::is_same_v<typename D::element, typename C::element>, "mma: d and c (first and fourth argument) must have the same element type");
    static_assert(std::is_same_v<typename C::element, type_of<accumulator_of(dtype_of<typename A::element>())>>, "mma: the accumulator must be float, or int32 for 8-bit integer operands");
    static_assert(KA == KB, "mma: a and b (second and third argument) disagree on the inner dimension K");
    static_assert(D::rows == M && D::cols == N && C::rows == M && C::cols == N, "mma: d and c (first and fourth argument) must be M x N where a is M x K and b is K x N (after transposition)");
    static_assert(D::tile_layout == layout::row && C::tile_layout == layout::row, "mma: accumulators (first and fourth argument) have row layout");
    static_assert(std::is_same_v<D, C>, "mma: d and c (first and fourth argument) must be tiles of the same type");
}

}  // namespace lower

/// How much of a product is needed, where that is less than the tiles hold. A hint: a target that computes in larger pieces
/// does more.
struct needed {
    int cols = 1 << 28;   ///< columns of d from here on are not needed: what they hold afterwards is undefined
    int depth = 1 << 28;  ///< columns of a from here on are zero, or rows of b are
    int rows = 1 << 28;   ///< like cols, rows of d
};

/// d = a * b + c. a: M x K row layout; b: K x N col layout.
template <ducks::rt::all D, ducks::rt::all A, ducks::rt::all B, ducks::rt::all C>
KITTENS_INLINE void mma_AB(D& d, const A& a, const B& b, const C& c) {
    static_assert(A::tile_layout == layout::row, "mma_AB: a (second argument) must have row layout");
    static_assert(B::tile_layout == layout::col, "mma_AB: b (third argument) must have col layout: fill it with load_transform");
    lower::check_mma<D, A, B, C, A::rows, B::cols, A::cols, B::rows>();
    const lower::operation<D> op("mma_AB");
    lower::mma_AB(d, a, b, c);
}
template <ducks::rt::all D, ducks::rt::all A, ducks::rt::all B, ducks::rt::all C>
KITTENS_INLINE void mma_AB(D& d, const A& a, const B& b, const C& c, needed part) {
    static_assert(A::tile_layout == layout::row, "mma_AB: a (second argument) must have row layout");
    static_assert(B::tile_layout == layout::col, "mma_AB: b (third argument) must have col layout: fill it with load_transform");
    lower::check_mma<D, A, B, C, A::rows, B::cols, A::cols, B::rows>();
    const lower::operation<D> op("mma_AB");
    if constexpr (requires { lower::mma_AB(d, a, b, c, part.cols, part.depth, part.rows); }) lower::mma_AB(d, a, b, c, part.cols, part.depth, part.rows);
    else lower::mma_AB(d, a, b, c);
}

/// d = a * b^T + c. a: M x K row layout; b: N x K row layout. On xe b is transposed in registers first; where b
/// comes from memory, `load_transpose` into a K x N col tile and `mma_AB` cost nothing extra.
template <ducks::rt::all D, ducks::rt::all A, ducks::rt::all B, ducks::rt::all C>
KITTENS_INLINE void mma_ABt(D& d, const A& a, const B& b, const C& c) {
    static_assert(A::tile_layout == layout::row, "mma_ABt: a (second argument) must have row layout");
    static_assert(B::tile_layout == layout::row, "mma_ABt: b (third argument) must have row layout");
    lower::check_mma<D, A, B, C, A::rows, B::rows, A::cols, B::cols>();
    const lower::operation<D> op("mma_ABt");
    lower::mma_ABt(d, a, b, c);
}

/// d = a^T * b + c. a: K x M col layout; b: K x N col layout.
template <ducks::rt::all D, ducks::rt::all A, ducks::rt::all B, ducks::rt::all C>
KITTENS_INLINE void mma_AtB(D& d, const A& a, const B& b, const C& c) {
    static_assert(A::tile_layout == layout::col, "mma_AtB: a (second argument) must have col layout");
    static_assert(B::tile_layout == layout::col, "mma_AtB: b (third argument) must have col layout");
    lower::check_mma<D, A, B, C, A::cols, B::cols, A::rows, B::rows>();
    const lower::operation<D> op("mma_AtB");
    lower::mma_AtB(d, a, b, c);
}

/// d = a^T * b^T + c. a: K x M col layout; b: N x K row layout.
template <ducks::rt::all D, ducks::rt::all A, ducks::rt::all B, ducks::rt::all C>
KITTENS_INLINE void mma_AtBt(D& d, const A& a, const B& b, const C& c) {
    static_assert(A::tile_layout == layout::col, "mma_AtBt: a (second argument) must have col layout");
    static_assert(B::tile_layout == layout::row, "mma_AtBt: b (third argument) must have row layout");
    lower::check_mma<D, A, B, C, A::cols, B::rows, A::rows, B::cols>();
    const lower::operation<D> op("mma_AtBt");
    lower::mma_AtBt(d, a, b, c);
}

}  // namespace kittens::inline KITTENS_NS

#endif
