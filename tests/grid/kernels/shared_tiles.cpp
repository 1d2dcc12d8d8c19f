// SPDX-License-Identifier: Apache-2.0
// Copies, maps and reductions of shared tiles.
#include "kernel.hpp"

namespace grid::inline KITTENS_NS {

/// Number 0: 0 copy, 1 map (both into matrix 1), 2 row sums, 3 row maxima (row g of matrix 2), 4 column sums, 5 column
/// minima, each subgroup of its own band of rows (row `subgroup` of matrix 2).
template <class T, int M, int N>
struct shared_tile : kernel {
    using tile = st<T, M, N>;
    static constexpr int slm_bytes = 2 * slm_bytes_for<tile> + slm_bytes_for<sv<T, M>> + slm_bytes_for<sv<T, 4 * N>>;
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        shared_allocator memory(sg);
        const tile from = memory.template allocate<tile>(), to = memory.template allocate<tile>();
        const auto rows = memory.template allocate<sv<T, M>>();
        const auto cols = memory.template allocate<sv<T, 4 * N>>();
        const coord<tile> at{sg.group(1), sg.group(0)};
        const int op = g.number[0];
        with_group(sg, [&](const auto& all) {
            constexpr int count = std::remove_cvref_t<decltype(all)>::subgroups;
            all.load(from, matrix<const T>(g, 0), at);
            sync(sg);
            if (op == 0) all.copy(to, from);
            else if (op == 1) all.template bin_map<base_ops::mul>(to, from, from);
            else if constexpr (M % (16 * count) == 0) {
                const auto band = subtile<M / count, N>(from, sg.id(), 0);
                const auto band_rows = subvec<M / count>(rows, sg.id());
                const auto band_cols = subvec<N>(cols, sg.id());
                switch (op) {
                    case 2: row_sum(band_rows, band); break;
                    case 3: row_max(band_rows, band); break;
                    case 4: col_sum(band_cols, band); break;
                    default: col_min(band_cols, band);
                }
            }
            sync(sg);
            if (op < 2) all.store(matrix<T>(g, 1), to, at);
            else if (op < 4) all.store(matrix<T>(g, 2), rows, coord<sv<T, M>>{sg.group(0), sg.group(1)});
            else store(matrix<T>(g, 2), subvec<N>(cols, sg.id()), coord<sv<T, N>>{sg.group(1) * count + sg.id(), sg.group(0)});
        });
    }
#endif
};

}  // namespace grid::inline KITTENS_NS

#define GRID_SHARED_TILE(M, N, NAME, T) KITTENS_KERNEL(grid_shared_tile_##NAME##_##M##x##N, grid::shared_tile<grid::T, M, N>)
GRID_SIZES(GRID_SHARED_TILE, bf16, bf16)
