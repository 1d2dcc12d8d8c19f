// SPDX-License-Identifier: Apache-2.0
// Rows of a table by their numbers: out[t] = table[ids[t]], bit for bit, for 16-bit elements of any kind and rows of any width.
// The kernel trusts its ids; check_ids is for whoever launches it.
#pragma once

#include <kittens/kittens.hpp>
#include <kittens/ops/element.hpp>
#include <kittens/ops/rows.hpp>

#if KITTENS_HOST_CODE
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#endif

namespace kernels {

struct embedding_policy {
    int chunk = 128;
    int subgroups = 8;  ///< that share a row
    int tokens = 1;     ///< that a workgroup takes, one after the other
};

#if defined(KITTENS_TARGET_CPU)
inline constexpr embedding_policy default_embedding{1 << 14, 1, 16};
#else
inline constexpr embedding_policy default_embedding{};
#endif

#if KITTENS_HOST_CODE
/// Throws std::invalid_argument, one line, where an id is not the number of a row.
template <class Id> void check_ids(const Id* ids, std::size_t count, std::int64_t rows) {
    for (std::size_t i = 0; i < count; ++i)
        if (ids[i] < 0 || static_cast<std::int64_t>(ids[i]) >= rows)
            throw std::invalid_argument("embedding: id " + std::to_string(ids[i]) + " (number " + std::to_string(i) + ") is not from 0 to " + std::to_string(rows - 1));
}
#endif

}  // namespace kernels

namespace kernels::inline KITTENS_NS {

using namespace kittens;

template <embedding_policy P>
struct embedding {
    using vec = rv<float, P.chunk, vector_layout::wide>;

    struct globals {
        gl<const bf16, 1, 1, -1, -1, access::plain> table;
        gl<const int32, 1, 1, 1, -1, access::plain> ids;
        gl<bf16, 1, 1, -1, -1, access::plain> out;
        int id_words;  ///< 1: ids have 32 bits; 2: 64, of which the lower half is read
        store_policy stores;
    };

    static constexpr kernel_traits traits{.grf = 128};

    static launch_shape geometry(const globals& g) {
        const int chunks = ceil_div(g.out.cols(), P.chunk);
        return {.groups = {ceil_div(g.out.rows(), P.tokens), 1, 1}, .subgroups = chunks < P.subgroups ? chunks : P.subgroups};
    }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int first = sg.group(0) * P.tokens;
        const int last = first + P.tokens < g.out.rows() ? first + P.tokens : g.out.rows();
        const int chunks = ceil_div(g.out.cols(), P.chunk);
        for (int t = first; t < last; ++t) {
            const int row = element_at(g.ids, 0, t * g.id_words);
            for (int c = sg.id(); c < chunks; c += sg.count()) move_wide<vec>(g.out, {t, c}, g.table, {row, c}, g.stores);
        }
        finish_stores(g.stores);
    }
#endif
};

using embedding_globals = typename embedding<default_embedding>::globals;

}  // namespace kernels::inline KITTENS_NS
