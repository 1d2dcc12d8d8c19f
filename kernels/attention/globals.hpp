// SPDX-License-Identifier: Apache-2.0
// What attention's launcher passes. All policies of an element type and a head dimension share it.
#pragma once

#include <kittens/kittens.hpp>

namespace kernels::inline KITTENS_NS {

using namespace kittens;

/// Query i sees key j where i + diagonal - left <= j <= i + diagonal + right, and j is a key at all.
template <dtype T, int Dim>
struct attention_globals {
    using element = type_of<T>;
    /// {batch, head, position, Dim}, with any strides that 2-D block access allows.
    gl<const element, -1, -1, -1, Dim> q, k, v;
    gl<element, -1, -1, -1, Dim> o;
    /// Natural logarithm of the sum of exponentials, {batch, head, 1, query}; a null pointer: not wanted.
    gl<float, -1, -1, 1, -1, access::plain> lse;
    /// Added to the scaled scores, {batch, head, query, key}; a null pointer: none. A stride of 0 repeats it.
    gl<const element, -1, -1, -1, -1, access::plain> mask;
    /// Sequences of different lengths, packed one after the other along the positions of batch 0: sequence n is
    /// [starts[n], starts[n + 1]). Null pointers: one sequence per batch entry.
    gl<const int32, 1, 1, 1, -1, access::plain> query_starts, key_starts;
    int sequences = 1, heads_per_key_head = 1;
    int queries = 0, keys = 0;  ///< of the longest sequence
    float scale = 1;            ///< of the scores, positive
    float soft_cap = 0;         ///< c: a scaled score s becomes c tanh(s / c); 0: none
    int diagonal = 0, left = band::unlimited, right = band::unlimited;
    /// Adds keys - queries of each sequence to the diagonal: the last query then stands at the last key.
    int align_ends = 0;
    /// Blocks of queries that a subgroup of a persistent policy takes.
    int blocks_per_group = 1;

    /// Parts that the keys are cut into. Where part_o is there, o and lse are not written: part p of batch entry b leaves its output,
    /// divided by its own sum, {head, position, Dim}, and the binary logarithm of that sum, {head, 1, position}, in entry
    /// b * splits + p, and attention_merge makes one of them.
    int splits = 1;
    gl<float, -1, -1, -1, Dim> part_o;
    gl<float, -1, -1, 1, -1, access::plain> part_lse;

    /// Decoding: a head is a key head, and row r of it the query at place r % positions of its sequence's last `positions` keys.
    int positions = 1;
    /// Keys of each sequence; a null pointer: all have `keys`.
    gl<const int32, 1, 1, 1, -1, access::plain> lengths;
    /// Where the cache is in pages of `page_keys` keys: {sequence, page} is the entry of k and v that holds the page. A null pointer:
    /// sequence n is entry n.
    gl<const int32, 1, 1, -1, -1, access::plain> pages;
    int page_keys = 0;
};

}  // namespace kernels::inline KITTENS_NS
