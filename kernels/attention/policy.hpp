// SPDX-License-Identifier: Apache-2.0
// What attention leaves open: tile shapes, how the softmax keeps its reference, types. A policy is a template argument.
#pragma once

#include <kittens/kittens.hpp>

namespace kernels {

using kittens::dtype;

/// When the weights' reference follows the largest score of a row.
enum class rescaling : int {
    always,  ///< at every step
    lazy,    ///< when a score exceeds it by 2^8: weights grow up to 256 meanwhile, which costs neither range nor accuracy
};

struct attention_policy {
    dtype in = dtype::bf16;
    int dim = 128;         ///< head dimension
    int rows = 16;         ///< queries of a tile
    int tiles = 1;         ///< query tiles that a subgroup takes through the keys together
    int keys = 32;         ///< keys of a step
    int page_keys = keys;  ///< decoding: the same where pages hold no multiple of `keys`
    int depth_step = 32;   ///< part of the head dimension that a step of the first product takes
    int out_cols = 32;     ///< width of an output accumulator: above it the output is split
    int workers = 8;       ///< subgroups per workgroup
    bool preload = true;   ///< queries stay in registers; else each step loads them, from the first-level cache
    bool prefetch = true;  ///< warm the next step's keys and values
    bool decode = false;   ///< rows are heads that share a key head, with few queries each; the cache may be in pages
    bool persistent = false;  ///< a subgroup may take several blocks of queries one after the other
    rescaling rescale = rescaling::always;
    int grf = 256;
};

/// The same with steps that end where any page does.
constexpr attention_policy by_pages(attention_policy p) {
    p.keys = p.page_keys;
    return p;
}

}  // namespace kernels
