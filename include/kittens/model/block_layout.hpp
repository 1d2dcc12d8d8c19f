// SPDX-License-Identifier: Apache-2.0
//
// Where 2-D block instructions put data: (lane, component, sub-element) to (block, row, column) and back.
//
// One rule, from the extension text, covers every shape. A block is a sequence of register units in row-major order, dealt
// to the 16 lanes in turn; unit u goes to lane u % 16, component u / 16. All components of block 0 come first, then block 1.
//   plain load, store   a unit is as many neighbouring columns as make a full row 16 units wide, at most 4 bytes; a row of
//                       fewer than 16 elements leaves room for the next row in the same component
//   transform           a unit is 4 / elem consecutive rows of one column (VNNI), lowest row in the lowest bits
//   transpose           a unit is one element, and the block is dealt column by column
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
constexpr int component_bytes(block_op op, const block_shape& s) {
    return s.elem * elements_per_component(op, s);
}

/// Components of one block in each lane.
constexpr int components_per_block(block_op op, const block_shape& s) {
    const int units = s.width * s.height / elements_per_component(op, s);
    return (units + subgroup_lanes - 1) / subgroup_lanes;
}

/// Components of the operation in each lane: the length of the per-lane array.
constexpr int components(block_op op, const block_shape& s) {
    return components_per_block(op, s) * s.count;
}

/// Element held by (lane, component, sub). `row` is `height` or more where the lane holds nothing, which happens when a
/// block does not fill its last component.
constexpr block_index element_at(block_op op, const block_shape& s, int lane, int component, int sub) {
    const int per_block = components_per_block(op, s);
    const int block = component / per_block;
    const int unit = (component % per_block) * subgroup_lanes + lane;
    if (op == block_op::transpose) return {block, unit % s.height, unit / s.height};
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

} // namespace kittens::model
