// SPDX-License-Identifier: Apache-2.0
// Products of rows of one matrix with a few rows of another: what few-row products (GEMV) are made of, whose time goes into
// reading the one matrix once.
#pragma once

#include <kittens/ops/wide.hpp>

#if KITTENS_HAS_TILE_OPS

#if defined(KITTENS_TARGET_CPU)
#include <kittens/target/cpu/dot_products.hpp>
#else
#include <kittens/target/xe/dot_products.hpp>
#endif

namespace kittens::inline KITTENS_NS {

/// sums[m][r] += the sum over j of a(first + r, j) * b(m, j), in single precision, for as many rows r as a vector of sums has
/// elements; rows beyond a's or b's end add nothing. The columns are cut into chunks as long as Chunk, of which `part`,
/// part + parts, ... are added. a is expected to come from memory, once, and the M rows of b to stay in a cache.
template <ducks::rv::wide Chunk, ducks::rv::all V, int M, ducks::gl::all A, ducks::gl::all B>
KITTENS_INLINE void add_dot_products(V (&sums)[M], const A& a, int first, const B& b, int part, int parts) {
    static_assert(std::is_same_v<typename V::element, float>, "add_dot_products: the sums (first argument) must be float");
    static_assert(V::length % 8 == 0 && V::length <= 16, "add_dot_products: the sums (first argument) must be vectors of 8 or 16");
    static_assert(std::is_same_v<typename A::value_type, typename B::value_type> && sizeof(typename A::value_type) == 2, "add_dot_products: both matrices must have the same element type, bf16 or half");
    static_assert(A::is_read_only && B::is_read_only, "add_dot_products: both matrices must be gl<const T>: they are read in place");
    const lower::operation<Chunk> op("add_dot_products");
    lower::add_dot_products<Chunk>(sums, a, first, b, part, parts);
}

}  // namespace kittens::inline KITTENS_NS

#endif
