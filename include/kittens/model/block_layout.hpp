// SPDX-License-Identifier: Apache-2.0
//
// Where 2-D block instructions put data: (lane, component, sub-element) to (block, row, column) and back.
//
// The rule of SPV_INTEL_2d_block_io, "Mapping Block Data to Invocations": take the block as it is (load, store), with 4 / elem
// rows of a column packed into one 32-bit value (transform, lowest row in the lowest bits), or transposed. Then deal its rows
// to the 16 lanes: a row of 16 gives every lane one value; of a shorter row, 16 / width rows are dealt together; of a longer
// row every lane gets width / 16 neighbours. All values of block 0 come first, then block 1. Neighbours of a plain load or
// store share one component (1-byte width 32, 2-byte width 32); those of a transposed row are separate components.
#pragma once

#include <kittens/model/block_shape.hpp>

namespace kittens::model {

/// Position of an element inside an operation: block, row of the block, column of the block.
struct block_index {
    int block, row, column;
    constexpr bool operator==(const block_index&) const = default;
};

/// Neighbouring columns in one component.
constexpr int columns_per_component(block_op op, const block_shape& s) {
    if (op == block_op::transform || op == block_op::transpose) return 1;
    return s.width > subgroup_lanes ? s.width / subgroup_lanes : 1;
}

/// Rows in one component.
constexpr int rows_per_component(block_op op, const block_shape& s) {
    return op == block_op::transform ? 4 / s.elem : 1;
}

/// Elements in one component.
constexpr int elements_per_component(block_op op, const block_shape& s) {
    return columns_per_component(op, s) * rows_per_component(op, s);
}

/// Bytes of one component, which is the element size of the per-lane array.
constexpr int component_bytes(block_op op, const block_shape& s) { return s.elem * elements_per_component(op, s); }

/// Components of one block in each lane.
constexpr int components_per_block(block_op op, const block_shape& s) {
    const int units = s.width * s.height / elements_per_component(op, s);
    return (units + subgroup_lanes - 1) / subgroup_lanes;
}

/// Components of the operation in each lane: the length of the per-lane array.
constexpr int components(block_op op, const block_shape& s) { return components_per_block(op, s) * s.count; }

/// Element held by (lane, component, sub). `row` is `height` or more (`column` is `width` or more for a transpose) where the
/// lane holds nothing, which happens when a block does not fill its last component; such places read zero.
constexpr block_index element_at(block_op op, const block_shape& s, int lane, int component, int sub) {
    const int per_block = components_per_block(op, s);
    const int block = component / per_block;
    const int unit = (component % per_block) * subgroup_lanes + lane;
    if (op == block_op::transpose) {
        const int per_lane = s.height > subgroup_lanes ? s.height / subgroup_lanes : 1;
        if (per_lane == 1) return {block, unit % s.height, unit / s.height};
        const int inner = component % per_block;
        return {block, lane * per_lane + inner % per_lane, inner / per_lane};
    }
    if (op == block_op::transform) {
        return {block, unit / s.width * rows_per_component(op, s) + sub, unit % s.width};
    }
    const int per_row = s.width / columns_per_component(op, s);
    return {block, unit / per_row, unit % per_row * columns_per_component(op, s) + sub};
}

/// Slot of one element, the inverse of element_at.
struct block_slot {
    int lane, component, sub;
    constexpr bool operator==(const block_slot&) const = default;
};

constexpr block_slot slot_of(block_op op, const block_shape& s, block_index e) {
    int unit = 0;
    int sub = 0;
    if (op == block_op::transpose) {
        const int per_lane = s.height > subgroup_lanes ? s.height / subgroup_lanes : 1;
        if (per_lane > 1) {
            return {e.row / per_lane, e.block * components_per_block(op, s) + e.column * per_lane + e.row % per_lane,
                    0};
        }
        unit = e.column * s.height + e.row;
    } else if (op == block_op::transform) {
        unit = e.row / rows_per_component(op, s) * s.width + e.column;
        sub = e.row % rows_per_component(op, s);
    } else {
        const int per_row = s.width / columns_per_component(op, s);
        unit = e.row * per_row + e.column / columns_per_component(op, s);
        sub = e.column % columns_per_component(op, s);
    }
    return {unit % subgroup_lanes, e.block * components_per_block(op, s) + unit / subgroup_lanes, sub};
}

}  // namespace kittens::model
