// SPDX-License-Identifier: Apache-2.0
// Attention from a host program: what is asked for, checked, as kernels' names and globals.
#pragma once

#include "globals.hpp"
#include "merge.hpp"
#include "policies.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
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
    /// "default"; "rows8" (dimension 128), for few queries; a cpu device has "keys256" and "keys1024" too, steps of so many keys.
    std::string policy = "default";

    /// Few queries (1 to 16) for each sequence, which stand at its end: the heads that share a key head share a tile, so that the cache
    /// is read once. `keys` is the most that a sequence has.
    bool decode = false;
    /// Decoding: keys of each sequence; empty: all have `keys`. Device memory that the host can read, and so is the next.
    std::span<const int32> lengths;
    /// Decoding from a cache in pages: k and v are {page, head, position in the page, dim}, `pages` of them with `page_size` positions
    /// each, and page i of sequence n is page_table[n * ceil(keys / page_size) + i].
    std::span<const int32> page_table;
    int pages = 0, page_size = 0;

    /// Parts that the keys are cut into, each with workers of its own; 0: as many as keep `threads` at work when decoding, else 1.
    int splits = 0;
    /// Device memory, aligned to 64 bytes, of attention_workspace() bytes.
    std::span<std::byte> workspace{};
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

template <class Globals> attention_launch launch_of(const std::string& kernel, const Globals& g) {
    attention_launch launch{kernel, std::vector<std::byte>(sizeof g)};
    std::memcpy(launch.globals.data(), static_cast<const void*>(&g), sizeof g);
    return launch;
}

/// Parts of the keys: what is asked for, or what keeps the workers busy.
inline int attention_parts(const attention_request& r) {
    if (r.splits > 0) return r.splits;
    if (!r.decode) return 1;
    const int groups = r.batch * r.key_heads, most_useful = std::max(1, r.keys / 256);
    if (r.threads > 0) return groups % r.threads == 0 || groups >= 8 * r.threads ? 1 : std::min(most_useful, std::min(256, kittens::ceil_div(4 * r.threads, groups)));
    return std::clamp(1024 / groups, 1, std::min(most_useful, 256));  // a GPU
}

/// What the kernels hand on to each other: places in the workspace, in bytes from its beginning.
struct attention_room {
    std::size_t part_o = 0, part_lse = 0, gathered = 0, bytes = 0;
    bool partial, gathers;

    explicit attention_room(const attention_request& r) {
        const std::size_t rows = std::size_t(r.query_starts.empty() ? r.batch : 1) * r.heads * r.queries;
        const bool one = r.queries == 1 || r.heads == r.key_heads;
        const auto packed = [&](const attention_tensor& t) { return one || t.head_stride == r.queries * t.row_stride; };
        gathers = r.decode && !packed(r.q);
        // One part may write to o where it is laid out as a tile's rows are.
        partial = attention_parts(r) > 1 || (r.decode && !packed(r.o));
        const auto take = [&](std::size_t n) { return std::exchange(bytes, bytes + (n + 63) / 64 * 64); };
        if (partial) {
            part_o = take(rows * attention_parts(r) * r.dim * sizeof(float));
            part_lse = take(rows * attention_parts(r) * sizeof(float));
        }
        if (gathers) gathered = take(rows * r.dim * 2);
    }
};

/// Sets what is particular to decoding, and checks it.
template <class G> void make_decode_globals(const attention_request& r, G& g) {
    g.positions = r.queries;
    g.heads_per_key_head = 1;
    g.queries = r.heads / r.key_heads * r.queries;
    if (!r.lengths.empty()) {
        if (r.lengths.size() != std::size_t(r.batch)) attention_refuse("lengths must have one entry for each of the " + std::to_string(r.batch) + " sequences, not " + std::to_string(r.lengths.size()));
        for (const int32 n : r.lengths) attention_range("each of lengths", n, 1, r.keys);
        g.lengths = {r.lengths.data(), 1, 1, 1, r.batch};
    }
    if (r.page_table.empty()) return;
    const int columns = kittens::ceil_div(r.keys, r.page_size);
    if (r.page_table.size() != std::size_t(r.batch) * columns)
        attention_refuse("page_table must have " + std::to_string(columns) + " entries for each of the " + std::to_string(r.batch) + " sequences, not " + std::to_string(r.page_table.size()) + " in all");
    for (int n = 0; n < r.batch; ++n)
        for (int i = 0, used = kittens::ceil_div(r.lengths.empty() ? r.keys : r.lengths[n], r.page_size); i < used; ++i)
            if (const int32 page = r.page_table[std::size_t(n) * columns + i]; page < 0 || page >= r.pages)
                attention_refuse("page_table must hold pages from 0 to " + std::to_string(r.pages - 1) + ": page " + std::to_string(i) + " of sequence " + std::to_string(n) + " is " + std::to_string(page));
    g.pages = {r.page_table.data(), 1, 1, r.batch, columns};
    g.page_keys = r.page_size;
}

template <dtype T, int Dim>
std::vector<attention_launch> make_attention_launches(const attention_request& r) {
    using G = attention_globals<T, Dim>;
    using E = typename G::element;
    G g;
    const bool packed = !r.query_starts.empty(), paged = !r.page_table.empty();
    const int entries = packed ? 1 : r.batch;
    const attention_room room(r);
    if (room.bytes > r.workspace.size() || reinterpret_cast<std::uintptr_t>(r.workspace.data()) % 64)
        attention_refuse("the workspace must have " + std::to_string(room.bytes) + " bytes, at a multiple of 64, not " + std::to_string(r.workspace.size()));
    const auto place_in_workspace = [&]<class P>(std::size_t at, P*) { return reinterpret_cast<P*>(r.workspace.data() + at); };
    std::vector<attention_launch> launches;
    const auto tensor = [&](auto& to, const char* name, const attention_tensor& t, int all, int heads, int length) {
        using layout_t = std::remove_reference_t<decltype(to)>;
        using element = typename layout_t::element;
        if (!t.data) attention_refuse(std::string(name) + " must not be null");
        try {
            to = layout_t(static_cast<element*>(const_cast<void*>(t.data)), all, heads, length, Dim, int(t.row_stride), t.head_stride, t.batch_stride);
        } catch (const std::invalid_argument& e) {
            attention_refuse(std::string(name) + ": " + e.what());
        }
        if (packed && t.row_stride * std::int64_t(sizeof(E)) % 64)
            attention_refuse(std::string(name) + ": sequences must start at multiples of 64 bytes: the row stride must be a multiple of " + std::to_string(64 / sizeof(E)));
    };
    if (r.decode) {
        // The heads of a group as the rows of a matrix.
        const int group = r.heads / r.key_heads, rows = group * r.queries;
        const auto by_key_head = [&](attention_tensor t) {
            if (r.queries == 1) t.row_stride = t.head_stride;
            t.head_stride *= group;
            return t;
        };
        attention_tensor q = r.q;
        if (room.gathers) {
            gather_globals<T> copy;
            gl<const E, -1, -1, -1, Dim> from;
            tensor(from, "q", r.q, entries, r.heads, r.queries);
            copy.from = {from.ptr, entries, r.heads, r.queries, Dim, from.row_stride, from.depth_stride, from.batch_stride};
            copy.to = {place_in_workspace(room.gathered, static_cast<E*>(nullptr)), entries, r.heads, r.queries, Dim};
            launches.push_back(launch_of(std::string("attention_gather_") + kittens::name_of(T), copy));
            q = attention_tensor::bhnd(copy.to.ptr, r.heads, r.queries, Dim);
        }
        tensor(g.q, "q", by_key_head(q), entries, r.key_heads, rows);
        if (!room.partial) tensor(g.o, "o", by_key_head(r.o), entries, r.key_heads, rows);
        tensor(g.k, "k", r.k, paged ? r.pages : entries, r.key_heads, paged ? r.page_size : r.keys);
        tensor(g.v, "v", r.v, paged ? r.pages : entries, r.key_heads, paged ? r.page_size : r.keys);
    } else {
        tensor(g.q, "q", r.q, entries, r.heads, r.queries);
        tensor(g.k, "k", r.k, entries, r.key_heads, r.keys);
        tensor(g.v, "v", r.v, entries, r.key_heads, r.keys);
        tensor(g.o, "o", r.o, entries, r.heads, r.queries);
    }
    const int tile_heads = r.decode ? r.key_heads : r.heads, tile_rows = int(std::int64_t(r.heads) * r.queries / tile_heads);
    if (r.lse) g.lse = {r.lse, entries, tile_heads, 1, tile_rows};
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
    if (r.decode) make_decode_globals(r, g);
    merge_globals<T> merge;
    if (room.partial) {
        g.splits = merge.parts = attention_parts(r);
        float* const part_o = place_in_workspace(room.part_o, static_cast<float*>(nullptr));
        float* const part_lse = place_in_workspace(room.part_lse, static_cast<float*>(nullptr));
        g.part_o = {part_o, entries * g.splits, tile_heads, tile_rows, Dim};
        g.part_lse = {part_lse, entries * g.splits, tile_heads, 1, tile_rows};
        // Where the heads of the output are rows of one matrix, they are merged as such.
        const bool rows_alike = std::int64_t(r.heads) * r.queries <= 1 << 24 && (r.queries == 1 || r.o.head_stride == r.queries * r.o.row_stride);
        const int merge_heads = rows_alike ? 1 : r.heads, merge_rows = rows_alike ? r.heads * r.queries : r.queries;
        gl<E, -1, -1, -1, Dim> o;
        tensor(o, "o", {r.o.data, r.o.batch_stride, r.o.head_stride, r.queries == 1 ? r.o.head_stride : r.o.row_stride}, entries, merge_heads, merge_rows);
        merge.o = {o.ptr, entries, merge_heads, merge_rows, Dim, o.row_stride, o.depth_stride, o.batch_stride};
        merge.part_o = {part_o, entries * g.splits, merge_heads, merge_rows, Dim};
        merge.part_lse = {part_lse, entries * g.splits, merge_heads, 1, merge_rows};
        if (r.lse) merge.lse = {r.lse, entries, merge_heads, 1, merge_rows};
    }
    // Whole heads to a thread where there are enough of them: each then packs its own keys and values once. Otherwise about four
    // pieces to a thread; a block is of about 256 queries.
    const std::int64_t heads = std::int64_t(r.batch) * r.heads, blocks = kittens::ceil_div(g.queries, 256);
    const std::int64_t threads = r.threads > 0 ? r.threads : 64;
    const bool whole = heads >= threads && (heads % threads == 0 || heads >= 4 * threads);
    g.blocks_per_group = int(whole ? most_blocks : std::clamp<std::int64_t>(blocks * heads / (4 * threads), 1, most_blocks));

    launches.push_back(launch_of(std::string("attention_") + kittens::name_of(T) + "_" + std::to_string(Dim) + (r.decode ? "_decode" : r.policy != "default" && Dim == 128 ? "_" + r.policy : ""), g));
    if (room.partial) launches.push_back(launch_of(std::string("attention_merge_") + kittens::name_of(T), merge));
    return launches;
}

inline void check_decode(const attention_request& r) {
    if (!r.decode) {
        if (!r.lengths.empty()) attention_refuse("lengths are for decoding; use query_starts and key_starts");
        if (!r.page_table.empty()) attention_refuse("page_table is for decoding");
        return;
    }
    attention_range("the number of queries when decoding", r.queries, 1, 16);
    if (r.query_offset || r.key_offset) attention_refuse("the query offset and the key offset must be 0 when decoding: the queries stand at the end of their sequence");
    if (!r.query_starts.empty()) attention_refuse("query_starts and key_starts must be empty when decoding; use lengths");
    if (r.mask.data) attention_refuse("a mask cannot be combined with decoding");
    if (r.policy != "default") attention_refuse("the policy must be default when decoding");
    if (r.page_table.empty()) return;
    attention_range("the number of pages", r.pages, 1, 1 << 24);
    if (r.page_size < decode_page_unit || r.page_size % decode_page_unit)
        attention_refuse("the page size must be a positive multiple of " + std::to_string(decode_page_unit) + ", not " + std::to_string(r.page_size));
}

inline void check_attention(const attention_request& r) {
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
    if (r.policy != "default" && r.policy != "rows8" && r.policy != "keys256" && r.policy != "keys1024")
        attention_refuse("the policy must be default, rows8, keys256 or keys1024, not " + r.policy);
    attention_range("the number of splits", r.splits, 0, 256);
    check_decode(r);
}

}  // namespace detail

/// Bytes of workspace that a request needs: for parts of the output, and for queries that have to be gathered. Throws as
/// prepare_attention does; pointers may still be null.
inline std::size_t attention_workspace(const attention_request& r) {
    detail::check_attention(r);
    return detail::attention_room(r).bytes;
}

/// Kernels to run one after the other. Throws std::invalid_argument with the argument's name and its legal values where the request
/// makes no sense.
inline std::vector<attention_launch> prepare_attention(const attention_request& r) {
    detail::check_attention(r);
    const auto of_type = [&]<dtype T>() {
        switch (r.dim) {
        case 64: return detail::make_attention_launches<T, 64>(r);
        case 96: return detail::make_attention_launches<T, 96>(r);
        case 256: return detail::make_attention_launches<T, 256>(r);
        default: return detail::make_attention_launches<T, 128>(r);
        }
    };
    return r.type == dtype::f16 ? of_type.template operator()<dtype::f16>() : of_type.template operator()<dtype::bf16>();
}

}  // namespace kernels::inline KITTENS_NS
