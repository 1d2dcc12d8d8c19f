// SPDX-License-Identifier: Apache-2.0
// Faults of the lowering that a test can switch on, to see that the grid notices them. They exist only in builds with
// KITTENS_MUTANTS (tests/grid); everywhere else `mutated` is a constant, and nothing of them is left in the code.
#pragma once

namespace kittens {

enum class mutant : int {
    none,
    // The six root causes of the first port to Intel GPUs, as its paper's table 8 has them.
    shared_half_filled,     ///< tile from shared memory: only four of a lane's eight packed elements are written
    row_sum_in_lane,        ///< a row reduction never leaves the lane
    vector_first_word,      ///< vectors: only the first element of a lane is worked on
    scattered_a_operand,    ///< the A operand reaches the matrix instruction element by element, out of order
    load_not_converted,     ///< a load of another element type keeps the memory's bits
    row_map_lane_overflow,  ///< per-row values come from twice the lane index
    // Others.
    wrong_vnni_half,            ///< the two rows of a packed pair change places
    transpose_distance,         ///< a stage of the transposition's butterfly exchanges with the wrong lane
    reduction_distance,         ///< a stage of the row reduction's butterfly exchanges with the wrong lane
    next_block_column,          ///< a block load starts one column block further
    no_load_edge,               ///< loads outside the tensor are not masked
    no_store_edge,              ///< stores outside the tensor are not masked
    dropped_k_step,             ///< the last step of a product's inner dimension is left out
    truncating_conversion,      ///< float to bf16 cuts off instead of rounding
    wrapping_conversion,        ///< conversions to 8-bit integers wrap instead of saturating
    mask_from_base_tile,        ///< masks count rows from the base tile, not from the tile
    transpose_load_row,         ///< a transposed load takes its second block from the wrong memory column
    last_rows_not_stored,       ///< the last eight rows of a tile are not stored
    group_stride,               ///< subgroups that share work skip a row
    half_register_forgotten,    ///< the half-full last register of a vector is left out of reductions
    wide_lane_order,            ///< a wide vector's neighbouring lanes change places
    paired_columns_swapped,     ///< column results of 8-bit or per-column values of two blocks change places
    barrier_missing,            ///< a workgroup barrier does nothing
    prefetch_region_shifted,    ///< a shared-out prefetch goes to the next column block
    part_of_first_column,       ///< sub-tiles always come from the first column
    count
};

#if defined(KITTENS_MUTANTS)
/// The fault that is switched on, for all launches.
inline mutant active_mutant = mutant::none;
inline bool mutated(mutant m) { return active_mutant == m; }
#else
constexpr bool mutated(mutant) { return false; }
#endif

}  // namespace kittens
