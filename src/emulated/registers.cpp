// SPDX-License-Identifier: Apache-2.0
// Registers that were never written. Tile storage is filled with a pattern and its address range remembered when a tile
// comes into being; an operand that still shows the pattern is reported. The range is dropped when an instruction of the
// model writes the storage, so data that happens to equal the pattern is no fault.
#include <algorithm>
#include <cstring>

#include "emulated/state.hpp"

namespace kittens::emulated {

bool looks_undefined16(std::uint16_t v) { return v == undefined_pattern || v == undefined_quiet; }

bool looks_undefined32(std::uint32_t v) {
    const auto low = static_cast<std::uint16_t>(v);
    return looks_undefined16(static_cast<std::uint16_t>(v >> 16)) && (low == undefined_pattern || low == 0);
}

void mark_defined(lane_state& lane, const void* p, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(p);
    const auto end = begin + bytes;
    for (std::size_t i = 0; i < lane.undefined.size();) {
        lane_state::range& r = lane.undefined[i];
        if (r.end <= begin || r.begin >= end) {
            ++i;
        } else if (r.begin < begin && r.end > end) {
            const lane_state::range tail{end, r.end};
            r.end = begin;
            lane.undefined.push_back(tail);
            ++i;
        } else if (r.begin < begin) {
            r.end = begin;
            ++i;
        } else if (r.end > end) {
            r.begin = end;
            ++i;
        } else {
            r = lane.undefined.back();
            lane.undefined.pop_back();
        }
    }
}

bool marked_undefined(const lane_state& lane, const void* p, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(p);
    return std::any_of(lane.undefined.begin(), lane.undefined.end(),
                       [&](const lane_state::range& r) { return r.begin <= begin && begin + bytes <= r.end; });
}

void undefined(void* p, int bytes) {
    lane_state& lane = machine::lane();
    auto* to = static_cast<unsigned char*>(p);
    int i = 0;
    for (; i + 2 <= bytes; i += 2) std::memcpy(to + i, &undefined_pattern, 2);
    if (i < bytes) to[i] = static_cast<unsigned char>(undefined_pattern & 0xFF);
    mark_defined(lane, p, static_cast<std::size_t>(bytes));
    const auto begin = reinterpret_cast<std::uintptr_t>(p);
    lane.undefined.push_back({begin, begin + static_cast<std::uintptr_t>(bytes)});
}

void defined(const void* p, int bytes) { mark_defined(machine::lane(), p, static_cast<std::size_t>(bytes)); }

void require_defined(const void* p, int bytes, int elem) {
    lane_state& lane = machine::lane();
    const auto* from = static_cast<const unsigned char*>(p);
    const int unit = elem < 2 ? 2 : elem > 4 ? 4 : elem;
    if (elem == 1) {
        // Two bytes show the pattern too easily: only storage that shows nothing else counts.
        for (int i = 0; i + 2 <= bytes; i += 2)
            if (std::memcmp(from + i, &undefined_pattern, 2) != 0) return;
    }
    for (int i = 0; i + unit <= bytes; i += unit) {
        bool bad = false;
        if (unit == 2) {
            std::uint16_t v;
            std::memcpy(&v, from + i, 2);
            bad = looks_undefined16(v);
        } else {
            std::uint32_t v;
            std::memcpy(&v, from + i, 4);
            bad = looks_undefined32(v);
        }
        if (bad && marked_undefined(lane, from + i, static_cast<std::size_t>(unit))) {
            machine::local().report(fault_kind::uninitialized_register, lane, __builtin_return_address(0),
                                    "reads a tile register that was never written: element " +
                                        std::to_string(i / elem) + " of the lane; load or zero the tile first");
            return;
        }
    }
}

}  // namespace kittens::emulated
