// SPDX-License-Identifier: Apache-2.0
// Attention from a host program: what is asked for, checked, as a kernel's name and globals.
#pragma once

#include "globals.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace kernels::inline KITTENS_NS {

/// A tensor {batch, head, position, head dimension}; strides in elements, the head dimension is contiguous.
struct attention_tensor {
    const void* data = nullptr;
    std::int64_t batch_stride = 0, head_stride = 0, row_stride = 0;

    /// Packed {batch, head, position, dim}, and packed {batch, position, head, dim}.
    static attention_tensor bhnd(const void* p, int heads, int length, int dim) {
        return {p, std::int64_t(heads) * length * dim, std::int64_t(length) * dim, dim};
    }
    static attention_tensor bnhd(const void* p, int heads, int length, int dim) {
        return {p, std::int64_t(heads) * length * dim, dim, std::int64_t(heads) * dim};
    }
};

/// o = softmax(scale q k^T + mask) v. Queries' head h reads key head h / (heads / key_heads).
struct attention_request {
    dtype type = dtype::bf16;
    int dim = 128;
    int batch = 1, heads = 1, key_heads = 1, queries = 1, keys = 1;
    attention_tensor q, k, v, o;
    float* lse = nullptr;  ///< {batch, heads, queries}, natural logarithms; nullptr: not wanted
    attention_tensor mask; ///< {batch, heads, queries, keys} of the element type; a stride of 0 repeats it
    double scale = 0;      ///< of the scores; 0: 1 / sqrt(dim)
    double soft_cap = 0;   ///< 0: none
    /// Query i stands at position i + query_offset, key j at j + key_offset.
    bool causal = false;
    int query_offset = 0, key_offset = 0;
    int window = 0;        ///< a query sees this many positions, its own the last; 0: all
    /// Sequences of different lengths, packed along the positions of one batch entry: sequence n is [starts[n], starts[n + 1]).
    /// `batch` counts the sequences, `queries` and `keys` are the totals. Device memory that the host can read.
    std::span<const int32> query_starts, key_starts;
    bool align_ends = false;  ///< a sequence's last query stands at its last key
    bool rows8 = false;       ///< the policy for few queries
    int threads = 0;          ///< worker threads of a cpu device; 0: not known
};

/// A kernel, and its globals as bytes.
struct attention_launch {
    std::string kernel;
    std::vector<std::byte> globals;
};

namespace detail {

/// More blocks than any sequence has.
inline constexpr int most_blocks = 1 << 24;

inline void attention_refuse(const std::string& what) { throw std::invalid_argument("attention: " + what); }
inline void attention_range(const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least || value > most)
        attention_refuse(std::string(name) + " must be from " + std::to_string(least) + " to " + std::to_string(most) + ", not " + std::to_string(value));
}

/// Longest sequence; throws where the starts make no sense.
inline int attention_longest(const char* name, std::span<const int32> starts, int sequences, int total) {
    if (starts.size() != std::size_t(sequences) + 1)
        attention_refuse(std::string(name) + " must have " + std::to_string(sequences + 1) + " entries, one more than there are sequences, not " + std::to_string(starts.size()));
    if (starts.front() != 0 || starts.back() != total)
        attention_refuse(std::string(name) + " must begin with 0 and end with the total length " + std::to_string(total));
    int longest = 0;
    for (int n = 0; n < sequences; ++n) {
        if (starts[n + 1] <= starts[n]) attention_refuse(std::string(name) + " must increase: sequence " + std::to_string(n) + " is empty");
        longest = std::max(longest, starts[n + 1] - starts[n]);
    }
    return longest;
}

template <dtype T, int Dim>
attention_launch make_attention_launch(const attention_request& r) {
    using G = attention_globals<T, Dim>;
    using E = typename G::element;
    G g;
    const bool packed = !r.query_starts.empty();
    const int entries = packed ? 1 : r.batch;
    const auto tensor = [&](auto& to, const char* name, const attention_tensor& t, int heads, int length) {
        using layout_t = std::remove_reference_t<decltype(to)>;
        using element = typename layout_t::element;
        if (!t.data) attention_refuse(std::string(name) + " must not be null");
        try {
            to = layout_t(static_cast<element*>(const_cast<void*>(t.data)), entries, heads, length, Dim, int(t.row_stride), t.head_stride, t.batch_stride);
        } catch (const std::invalid_argument& e) {
            attention_refuse(std::string(name) + ": " + e.what());
        }
        if (packed && t.row_stride * std::int64_t(sizeof(E)) % 64)
            attention_refuse(std::string(name) + ": sequences must start at multiples of 64 bytes: the row stride must be a multiple of " + std::to_string(64 / sizeof(E)));
    };
    tensor(g.q, "q", r.q, r.heads, r.queries);
    tensor(g.k, "k", r.k, r.key_heads, r.keys);
    tensor(g.v, "v", r.v, r.key_heads, r.keys);
    tensor(g.o, "o", r.o, r.heads, r.queries);
    if (r.lse) g.lse = {r.lse, entries, r.heads, 1, r.queries, r.queries, r.queries, std::int64_t(r.heads) * r.queries};
    if (r.mask.data)
        g.mask = {static_cast<const E*>(r.mask.data), entries, r.heads, r.queries, r.keys, int(r.mask.row_stride), r.mask.head_stride, r.mask.batch_stride};
    g.sequences = r.batch;
    g.heads_per_key_head = r.heads / r.key_heads;
    g.queries = r.queries;
    g.keys = r.keys;
    if (packed) {
        g.queries = attention_longest("query_starts", r.query_starts, r.batch, r.queries);
        g.keys = attention_longest("key_starts", r.key_starts, r.batch, r.keys);
        const int n = r.batch + 1;
        g.query_starts = {r.query_starts.data(), 1, 1, 1, n};
        g.key_starts = {r.key_starts.data(), 1, 1, 1, n};
    }
    g.scale = r.scale > 0 ? float(r.scale) : float(1 / std::sqrt(double(Dim)));
    g.soft_cap = float(r.soft_cap);
    g.diagonal = r.query_offset - r.key_offset;
    if (r.causal) g.right = 0;
    if (r.window > 0) g.left = r.window - 1;
    g.align_ends = r.align_ends;
    // Whole heads to a thread where there are enough of them: each then packs its own keys and values once. Otherwise about four
    // pieces to a thread; a block is of about 256 queries.
    const std::int64_t heads = std::int64_t(r.batch) * r.heads, blocks = kittens::ceil_div(g.queries, 256);
    const std::int64_t threads = r.threads > 0 ? r.threads : 64;
    const bool whole = heads >= threads && (heads % threads == 0 || heads >= 4 * threads);
    g.blocks_per_group = int(whole ? most_blocks : std::clamp<std::int64_t>(blocks * heads / (4 * threads), 1, most_blocks));

    attention_launch launch;
    launch.kernel = std::string("attention_") + kittens::name_of(T) + "_" + std::to_string(Dim) + (r.rows8 && Dim == 128 ? "_rows8" : "");
    launch.globals.resize(sizeof g);
    std::memcpy(launch.globals.data(), static_cast<const void*>(&g), sizeof g);
    return launch;
}

}  // namespace detail

/// Throws std::invalid_argument with the argument's name and its legal values where the request makes no sense.
inline attention_launch prepare_attention(const attention_request& r) {
    using detail::attention_range, detail::attention_refuse;
    constexpr int most = 1 << 24;
    if (r.type != dtype::bf16 && r.type != dtype::f16) attention_refuse("the element type must be bf16 or fp16");
    if (r.dim != 64 && r.dim != 96 && r.dim != 128 && r.dim != 256) attention_refuse("the head dimension must be 64, 96, 128 or 256, not " + std::to_string(r.dim));
    attention_range("the batch", r.batch, 1, 65535);
    attention_range("the number of heads", r.heads, 1, 65535);
    attention_range("the number of key heads", r.key_heads, 1, r.heads);
    if (r.heads % r.key_heads) attention_refuse("the number of heads, " + std::to_string(r.heads) + ", must be a multiple of the number of key heads, not " + std::to_string(r.key_heads));
    attention_range("the number of queries", r.queries, 1, most);
    attention_range("the number of keys", r.keys, 1, most);
    if (!(r.scale >= 0) || std::isinf(r.scale)) attention_refuse("the scale must be positive and finite, or 0 for 1 / sqrt(head dimension)");
    if (!(r.soft_cap >= 0) || std::isinf(r.soft_cap)) attention_refuse("the soft cap must be positive and finite, or 0 for none");
    attention_range("the key offset", r.key_offset, 0, most);
    attention_range("the query offset", r.query_offset, 0, r.query_offset == 0 ? 0 : std::int64_t(r.key_offset) + r.keys - 1);
    attention_range("the window", r.window, 0, most);
    if (r.query_starts.empty() != r.key_starts.empty()) attention_refuse("query_starts and key_starts must both be given, or neither");
    if (r.mask.data && !r.query_starts.empty()) attention_refuse("a mask cannot be combined with packed sequences");

    const auto of_type = [&]<dtype T>() {
        switch (r.dim) {
        case 64: return detail::make_attention_launch<T, 64>(r);
        case 96: return detail::make_attention_launch<T, 96>(r);
        case 256: return detail::make_attention_launch<T, 256>(r);
        default: return detail::make_attention_launch<T, 128>(r);
        }
    };
    return r.type == dtype::f16 ? of_type.template operator()<dtype::f16>() : of_type.template operator()<dtype::bf16>();
}

}  // namespace kernels::inline KITTENS_NS
