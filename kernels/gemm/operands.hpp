// SPDX-License-Identifier: Apache-2.0
// Operands from memory: either layout, and who prefetches which part of the panels that a workgroup shares.
#pragma once

#include "policy.hpp"

namespace kernels::inline KITTENS_NS {

/// The part of an operand panel that a subgroup prefetches. `Rows` x `Cols` is a subgroup's tile as it lies in memory, `Sharers`
/// subgroups load that same tile and cut it into disjoint blocks, of which each takes `each`: so every byte of a
/// workgroup's panel belongs to one subgroup.
template <int Rows, int Cols, int Size, int Sharers, base_shape Wanted>
struct panel_parts {
    static constexpr int line = 64 / Size;  // elements: a prefetch message takes at most 64 bytes of a row
    static constexpr int width = Wanted.cols ? Wanted.cols : Cols < line ? Cols : line;
    static constexpr int across = Cols / width;
    /// As many rows as the subgroup's part has, at most 32.
    static constexpr int height = Wanted.rows ? Wanted.rows : [] {
        int h = Rows * across / Sharers;
        while (h > 32 || (h > 1 && Rows % h)) h /= 2;
        return h;
    }();
    static constexpr base_shape block{height, width};
    static_assert(width * Size == 64 || width * Size == 32,
                  "gemm: a prefetch block (prefetch_block_a, prefetch_block_b) must be 32 or 64 bytes wide");
    static_assert(height > 0 && height <= 32 && (height & (height - 1)) == 0 && Rows % (height ? height : 1) == 0 && Cols % width == 0,
                  "gemm: a prefetch block has 1, 2, 4, 8, 16 or 32 rows, and the operand's tile must divide into such blocks");
    static constexpr int count = height > 0 ? Rows / height * across : 1;
    static_assert(count % Sharers == 0, "gemm: cooperative prefetch: the blocks of an operand's tile must divide among the subgroups that "
                                        "share it (sg_cols for A, sg_rows for B): take smaller or larger blocks");
    static constexpr int each = count / Sharers;

    /// Where block `i` of sharer `who` begins. Neighbours take neighbouring rows of the same columns.
    static constexpr kittens::offset part(int who, int i) {
        const int at = i * Sharers + who, down = Rows / height;
        return {at % down * height, at / down * width};
    }
};

#if KITTENS_HAS_TILE_OPS
/// An operand that a GEMM streams along K: `Tile` is what products take, `S` how it is stored.
template <gemm_policy P, class Tile, stored S, int Sharers, base_shape Block>
struct operand {
    static constexpr bool transposed = S == stored::transposed, packed = S == stored::packed;
    static_assert(!packed || Tile::tile_layout == col, "gemm: only B (policy field b) may be stored packed");
    template <int Rows, int Cols> using lying = rt<typename Tile::element, Rows, Cols, row, fitted<typename Tile::element>(P.base, row, Rows, Cols)>;
    static constexpr int per_word = packed ? 4 / int(sizeof(typename Tile::element)) : 1;
    /// The tile as it lies in memory; only its type matters.
    using in_memory = std::conditional_t<transposed, lying<Tile::cols, Tile::rows>, std::conditional_t<packed, lying<Tile::rows / per_word, Tile::cols * per_word>, Tile>>;

    /// Tile (r, c) of the operand as it is multiplied, whichever way it is stored.
    template <class GL> static KITTENS_INLINE void fetch(Tile& to, const GL& from, int batch, int r, int c) {
        if constexpr (transposed) load_transpose(to, from, {batch, 0, r, c});
        else if constexpr (packed) load_packed(to, from, {batch, 0, r, c});
        else if constexpr (Tile::tile_layout == col && P.pack == packing::registers) {
            lying<Tile::rows, Tile::cols> plain;
            load(plain, from, {batch, 0, r, c});
            swap_layout(to, plain);
        }
        else if constexpr (Tile::tile_layout == col && sizeof(typename Tile::element) <= 2) load_transform(to, from, {batch, 0, r, c});
        else load(to, from, {batch, 0, r, c});
    }

    /// Prefetches tile (r, c): whole, where `whole`; in cooperative prefetch the part of sharer `who`.
    template <class GL> static KITTENS_INLINE void warm(const Tile& tile, const GL& from, int batch, int r, int c, int who, bool whole) {
        if constexpr (P.prefetch == prefetch_kind::none) return;
        else if constexpr (transposed) {
            in_memory shape;
            warm_in_memory(shape, from, batch, c, r, who, whole);
        } else if constexpr (packed) {
            in_memory shape;
            warm_in_memory(shape, from, batch, r, c, who, whole);
        } else warm_in_memory(tile, from, batch, r, c, who, whole);
    }

  private:
    template <class GL> static KITTENS_INLINE void warm_in_memory(const in_memory& tile, const GL& from, int batch, int r, int c, int who, bool whole) {
        if constexpr (P.prefetch == prefetch_kind::masked) {
            if (whole) prefetch_load(tile, from, {batch, 0, r, c});
        } else {
            using parts = panel_parts<in_memory::rows, in_memory::cols, sizeof(typename Tile::element), Sharers, Block>;
            KITTENS_UNROLL
            for (int i = 0; i < parts::each; ++i) prefetch_load_coop<parts::block>(tile, from, {batch, 0, r, c}, parts::part(who, i));
        }
    }
};
#endif

}  // namespace kernels::inline KITTENS_NS
