// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding of queries and keys in one launch: halved convention (element i of a head is rotated with element
// i + r / 2, r being how many elements of a head are rotated) or interleaved (2 i with 2 i + 1).
//
// Both are out = x * cosines + partner * sines, where a row of the tables holds a whole head: cosines twice, sines with the
// sign of their place, 1 and 0 where nothing is rotated (rotary_tables makes them). A product of two 16-bit numbers is exact in
// single precision, so a result is the exact sum rounded to single precision and then to the element type.
#pragma once

#include <kittens/kittens.hpp>
#include <kittens/ops/wide.hpp>

namespace kernels {

using kittens::dtype;

/// Where an element's partner is: beside it (interleaved), or r / 2 elements away with r / 2 below 128, or 128 away.
enum class rotary_partner : int { beside, near, far };

struct rotary_policy {
    dtype type = dtype::bf16;
    rotary_partner partner = rotary_partner::near;
    int subgroups = 8;  ///< that share a token's heads
    int tokens = 1;     ///< that a workgroup takes, one after the other
    bool in_place = false;  ///< elements and tables are read where they lie each time: they are in a cache
};

#if defined(KITTENS_TARGET_CPU)
constexpr rotary_policy default_rotary(dtype type, rotary_partner partner) { return {type, partner, 1, 8, true}; }
#else
constexpr rotary_policy default_rotary(dtype type, rotary_partner partner) { return {type, partner}; }
#endif

}  // namespace kernels

namespace kernels::inline KITTENS_NS {

using namespace kittens;

template <rotary_policy P>
struct rotary {
    using element = type_of<P.type>;
    /// A vector is a head of 128 or 256 elements, or two of 64.
    static constexpr int length = P.partner == rotary_partner::far ? 256 : 128;
    using vec = rv<float, length, vector_layout::wide>;

    struct globals {
        gl<const element, 1, 1, -1, -1, access::plain> q, k;  ///< tokens x (heads * head dimension)
        gl<element, 1, 1, -1, -1, access::plain> q_out, k_out;
        gl<const element, 1, 1, -1, -1, access::plain> cosines, sines;  ///< positions x (head dimension, or two heads of 64)
        gl<const int32, 1, 1, 1, -1, access::plain> positions;          ///< of each token, if has_positions
        int has_positions;
        int has_keys;
        int first_position, sequence;  ///< otherwise token t has position first_position + t % sequence
        int rotated;                   ///< elements of a head that are rotated
        int head_dim;
        store_policy stores;
    };

    static constexpr kernel_traits traits{.grf = 128};

    static launch_shape geometry(const globals& g) { return {.groups = {ceil_div(g.q.rows(), P.tokens), 1, 1}, .subgroups = P.subgroups}; }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const int first = sg.group(0) * P.tokens;
        const int last = first + P.tokens < g.q.rows() ? first + P.tokens : g.q.rows();
        const int q_parts = ceil_div(g.q.cols(), length), parts = q_parts + (g.has_keys ? ceil_div(g.k.cols(), length) : 0);
        const int per_head = g.head_dim > length ? g.head_dim / length : 1;
        for (int t = first; t < last; ++t) {
            const int position = position_of(g, t);
            vec cosines, sines;
            const bool in_place = P.in_place && g.rotated == g.head_dim;
            if (per_head == 1 && !in_place) load_tables(g, position, 0, cosines, sines);
            for (int p = sg.id(); p < parts; p += P.subgroups) {
                const bool key = p >= q_parts;
                const int part = key ? p - q_parts : p, place = part % per_head;
                if constexpr (P.in_place) {
                    if (in_place) {
                        if (key) rotate_in_place(g, g.k, g.k_out, t, part, {position, place});
                        else rotate_in_place(g, g.q, g.q_out, t, part, {position, place});
                        continue;
                    }
                }
                if (per_head > 1) load_tables(g, position, place, cosines, sines);
                if (key) rotate(g, g.k, g.k_out, t, part, place * length, cosines, sines);
                else rotate(g, g.q, g.q_out, t, part, place * length, cosines, sines);
            }
        }
        finish_stores(g.stores);
    }

  private:
    static KITTENS_INLINE int position_of(const globals& g, int t) {
        if (!g.has_positions) return g.first_position + t % g.sequence;
        rv<int32, 16> some;
        load(some, g.positions, {0, t / 16});
        apply(some, some, [=](int i, int x) { return i == t % 16 ? x : 0; });
        return kittens::sum(some);
    }

    static KITTENS_INLINE void load_tables(const globals& g, int position, int place, vec& cosines, vec& sines) {
        map_with(cosines, [](auto v) { return v; }, in_memory<vec>(g.cosines, {position, place}));
        map_with(sines, [](auto v) { return v; }, in_memory<vec>(g.sines, {position, place}));
    }

    /// Part p of a token's heads, all of which is rotated.
    template <class In, class Out>
    static KITTENS_INLINE void rotate_in_place(const globals& g, const In& in, const Out& out, int t, int p, coord<vec> table) {
        constexpr int fixed = P.partner == rotary_partner::beside ? 1 : P.partner == rotary_partner::far ? 128 : 0;
        const auto x = in_memory<vec>(in, {t, p});
        store_with<vec>(out, {t, p}, g.stores, [](auto a, auto b, auto c, auto s) { return a * c + b * s; }, x.asking_for(in, {t + 1, p}),
                        x.with_blocks_swapped(fixed ? fixed : g.rotated / 2), in_memory<vec>(g.cosines, table), in_memory<vec>(g.sines, table));
    }

    /// Part p of a token's heads, which starts at element `first` of its head.
    template <class In, class Out>
    static KITTENS_INLINE void rotate(const globals& g, const In& in, const Out& out, int t, int p, int first, const vec& cosines, const vec& sines) {
        vec x, partner;
        map_with(x, [](auto v) { return v; }, in_memory<vec>(in, {t, p}).asking_for(in, {t + 1, p}));
        if constexpr (P.partner == rotary_partner::beside) swap_blocks<1>(partner, x);
        else if constexpr (P.partner == rotary_partner::far) swap_blocks<128>(partner, x);
        else swap_blocks(partner, x, g.rotated / 2);
        if (g.rotated < g.head_dim) {
            // What is not rotated must not meet its partner, which may be infinite.
            const int dim = g.head_dim, rotated = g.rotated;
            apply(partner, partner, [=](int i, float v) { return (first + i) % dim < rotated ? v : 0.0f; });
        }
        store_with<vec>(out, {t, p}, g.stores, [](auto a, auto b, auto c, auto s) { return a * c + b * s; }, x, partner, cosines, sines);
    }
#endif
};

/// The globals of a rotary kernel do not depend on more than its element type.
template <dtype T> using rotary_globals = typename rotary<default_rotary(T, rotary_partner::near)>::globals;

}  // namespace kernels::inline KITTENS_NS
