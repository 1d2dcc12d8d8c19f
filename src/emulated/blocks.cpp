// SPDX-License-Identifier: Apache-2.0
// The 2-D block instructions, executed for a whole subgroup.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "emulated/state.hpp"

namespace kittens::emulated {

namespace {

using model::block_op;
using model::block_shape;

// Every element of a shape: where it is in the block operation and where in the registers.
struct element_place {
    std::int16_t column;  // over all blocks
    std::int16_t row;
    std::uint16_t offset;  // byte in the lane's register array
    std::uint8_t lane;
};
struct layout {
    block_op op{};
    block_shape shape{};
    std::vector<element_place> elements;
};

const layout& layout_of(block_op op, const block_shape& s) {
    thread_local std::vector<layout> known;
    for (const layout& l : known)
        if (l.op == op && l.shape == s) return l;
    layout l{op, s, {}};
    for (int b = 0; b < s.count; ++b) {
        for (int r = 0; r < s.height; ++r) {
            for (int c = 0; c < s.width; ++c) {
                const model::block_slot at = model::slot_of(op, s, {b, r, c});
                l.elements.push_back(
                    {static_cast<std::int16_t>(b * s.width + c), static_cast<std::int16_t>(r),
                     static_cast<std::uint16_t>(at.component * model::component_bytes(op, s) + at.sub * s.elem),
                     static_cast<std::uint8_t>(at.lane)});
            }
        }
    }
    known.push_back(std::move(l));
    return known.back();
}

struct call {
    block_op op;
    block_shape shape;
    std::uintptr_t base;
    int width, height, x, y, pitch;

    explicit call(const request& r)
        : op(static_cast<block_op>(r.uniform[0])),
          shape{r.uniform[1], r.uniform[2], r.uniform[3], r.uniform[4]},
          base(reinterpret_cast<std::uintptr_t>(r.base)),
          width(r.uniform[5]),
          height(r.uniform[6]),
          x(r.uniform[7]),
          y(r.uniform[8]),
          pitch(r.uniform[9]) {}

    std::uintptr_t address(int column, int row) const {
        return base + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(row) * pitch +
                                                  static_cast<std::intptr_t>(column) * shape.elem);
    }
};

fault_kind kind_of(model::surface_error e) {
    switch (e) {
    case model::surface_error::base_misaligned: return fault_kind::surface_misaligned;
    case model::surface_error::width_range:
    case model::surface_error::width_multiple: return fault_kind::surface_width;
    case model::surface_error::height_range: return fault_kind::surface_height;
    case model::surface_error::x_multiple: return fault_kind::block_coordinate;
    default: return fault_kind::surface_pitch;
    }
}

// Reports what is wrong with the instruction itself; false when there is no meaning to give it.
bool check_call(machine& m, const subgroup_state& sg, const call& c) {
    const lane_state& lane = sg.lanes.front();
    const void* code = lane.pending.code;
    if (sg.lanes.size() != static_cast<std::size_t>(model::subgroup_lanes) ||
        m.current->options.subgroup_size != model::subgroup_lanes) {
        m.report(
            fault_kind::wrong_subgroup_size, lane, code,
            fmt::format(
                "needs a full subgroup of 16 lanes and runs in one of {} (subgroup size {}): request subgroup size "
                "16 and make the workgroup a multiple of it",
                sg.lanes.size(), m.current->options.subgroup_size),
            true);
        return false;
    }
    if (!model::legal(c.op, c.shape, m.current->options.device)) {
        m.report(
            fault_kind::illegal_block, lane, code,
            fmt::format("no {} has {}-byte elements, width {}, height {}, count {}; legal are {}", model::name(c.op),
                        c.shape.elem, c.shape.width, c.shape.height, c.shape.count, model::legal_shapes(c.op)),
            true);
        return false;
    }
    if (c.op == block_op::transpose && c.shape.height == 32) {
        m.report(fault_kind::illegal_block, lane, code,
                 "height 32 of a transposing load is ordered differently by the compiler and by the specification: use "
                 "height 16",
                 true);
    }
    const model::surface_error e = model::check_surface(c.base, c.width, c.height, c.pitch, c.shape.elem);
    if (e != model::surface_error::none) {
        m.report(kind_of(e), lane, code,
                 fmt::format(
                     "{} (base {:#x}, width {} bytes, height {}, pitch {} bytes): pad the tensor or use the plain path",
                     model::message(e), c.base, c.width, c.height, c.pitch),
                 true);
    }
    if (model::check_x(c.x, c.shape.elem) != model::surface_error::none) {
        m.report(fault_kind::block_coordinate, lane, code,
                 fmt::format("{} (x {}, {}-byte elements)", model::message(model::surface_error::x_multiple), c.x,
                             c.shape.elem),
                 true);
    }
    return true;
}

// Rows of the block inside the surface, as byte ranges, and whether the kernel may touch them.
struct rows {
    segment in[32];
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    bool allowed = true;
};

rows inside(machine& m, const subgroup_state& sg, const call& c) {
    rows r;
    const int first = std::max(c.x, 0);
    const int last = std::min(c.x + c.shape.width * c.shape.count, c.width / std::max(c.shape.elem, 1));
    if (first >= last) return r;
    for (int row = std::max(c.y, 0); row < std::min(c.y + c.shape.height, c.height); ++row) {
        const segment s{c.address(first, row), c.address(last, row)};
        r.in[r.count++] = s;
        r.bytes += s.end - s.begin;
        if (!m.current->options.check_allocations || !r.allowed || in_allocation(s.begin, s.end - s.begin)) continue;
        r.allowed = false;
        if (c.op == block_op::prefetch) continue;  // a prefetch of nothing is allowed
        const bool starts_inside = in_allocation(s.begin, 1);
        m.report(fault_kind::out_of_allocation, sg.lanes.front(), sg.lanes.front().pending.code,
                 fmt::format("{} reaches outside of the allocation in row {} (columns {} to {}): {}; the surface "
                             "claims {} rows of {} "
                             "bytes with pitch {}",
                             model::name(c.op), row, first, last - 1,
                             nearest_allocation(starts_inside ? s.end : s.begin), c.height, c.width, c.pitch),
                 true);
    }
    return r;
}

void count(machine& m, const call& c, std::uint64_t bytes) {
    auto& blocks = m.out->count.blocks;
    const auto it = std::find_if(blocks.begin(), blocks.end(),
                                 [&](const block_count& b) { return b.op == c.op && b.shape == c.shape; });
    if (it == blocks.end()) blocks.push_back({c.op, c.shape, 1, bytes});
    else ++it->count, it->bytes += bytes;
    if (c.op == block_op::prefetch) m.out->count.prefetched_bytes += bytes;
}

// Bytes show the pattern by accident: there only a source that shows nothing else, and is still marked, counts.
bool source_undefined(const lane_state& lane, const unsigned char* p, int bytes, const block_shape& s) {
    if (s.elem > 1) {
        if (bytes == 2) {
            std::uint16_t v;
            std::memcpy(&v, p, 2);
            return looks_undefined16(v);
        }
        std::uint32_t v;
        std::memcpy(&v, p, 4);
        return looks_undefined32(v);
    }
    const auto* all = static_cast<const unsigned char*>(lane.pending.r);
    const std::size_t size = static_cast<std::size_t>(model::components(block_op::store, s) * bytes);
    for (std::size_t i = 0; i + 2 <= size; i += 2)
        if (std::memcmp(all + i, &undefined_pattern, 2) != 0) return false;
    return size >= 8 && marked_undefined(lane, all, size);
}

void check_source(machine& m, const subgroup_state& sg, const call& c) {
    const int bytes = model::component_bytes(c.op, c.shape);
    for (const lane_state& lane : sg.lanes) {
        const auto* p = static_cast<const unsigned char*>(lane.pending.r);
        for (int i = 0; i < model::components(c.op, c.shape); ++i, p += bytes) {
            if (!source_undefined(lane, p, bytes, c.shape)) continue;
            const model::block_index e = model::element_at(c.op, c.shape, lane.index, i, 0);
            m.report(fault_kind::uninitialized_register, lane, lane.pending.code,
                     fmt::format("stores a register that was never written, to row {}, column {} of the surface: load "
                                 "or zero the tile first",
                                 c.y + e.row, c.x + e.column));
            return;
        }
    }
}

}  // namespace

void execute_block(machine& m, subgroup_state& sg) {
    const call c(sg.lanes.front().pending);
    if (!check_call(m, sg, c)) m.abandon();
    const rows r = inside(m, sg, c);
    count(m, c, r.bytes);

    const int step = sg.steps;
    if (c.op == block_op::prefetch) {
        if (!r.allowed) return;
        prefetch_event e;
        e.from = m.origin_of(sg.lanes.front(), sg.lanes.front().pending.code);
        e.surface = m.memory_traffic.surface(reinterpret_cast<const void*>(c.base));
        e.x = c.x;
        e.y = c.y;
        e.step = step;
        e.shape = c.shape;
        m.memory_traffic.prefetch(r.in, r.count, e);
        return;
    }

    const layout& l = layout_of(c.op, c.shape);
    const std::size_t elem = static_cast<std::size_t>(c.shape.elem);
    if (c.op == block_op::store) {
        check_source(m, sg, c);
        if (!r.allowed) return;
        m.memory_traffic.store(r.in, r.count);
        for (const element_place& p : l.elements) {
            const int column = c.x + p.column;
            const int row = c.y + p.row;
            if (!model::in_bounds(column, row, c.shape.elem, c.width, c.height)) continue;
            const auto* from = static_cast<const unsigned char*>(sg.lanes[p.lane].pending.r) + p.offset;
            std::memcpy(reinterpret_cast<void*>(c.address(column, row)), from, elem);
        }
        return;
    }

    const std::size_t register_bytes =
        static_cast<std::size_t>(model::components(c.op, c.shape) * model::component_bytes(c.op, c.shape));
    for (lane_state& lane : sg.lanes) {
        std::memset(lane.pending.r, 0, register_bytes);  // padding and out-of-bounds elements read zero
        mark_defined(lane, lane.pending.r, register_bytes);
    }
    if (!r.allowed) return;
    m.memory_traffic.load(r.in, r.count, sg.index, step,
                          m.memory_traffic.surface(reinterpret_cast<const void*>(c.base)));
    for (const element_place& p : l.elements) {
        const int column = c.x + p.column;
        const int row = c.y + p.row;
        if (!model::in_bounds(column, row, c.shape.elem, c.width, c.height)) continue;
        auto* to = static_cast<unsigned char*>(sg.lanes[p.lane].pending.r) + p.offset;
        std::memcpy(to, reinterpret_cast<const void*>(c.address(column, row)), elem);
    }
}

}  // namespace kittens::emulated
