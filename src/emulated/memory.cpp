// SPDX-License-Identifier: Apache-2.0
// Plain and atomic accesses of one lane: bounds, alignment, races, counts.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "emulated/state.hpp"

namespace kittens::emulated {

namespace {

// Where a faulty access goes instead.
void* scratch() {
    alignas(64) static thread_local unsigned char place[64];
    std::memset(place, 0, sizeof place);
    return place;
}

slm_accessor accessor(const lane_state& lane) {
    return {&lane.subgroup->clock, lane.subgroup->round, static_cast<std::uint16_t>(lane.subgroup->index),
            static_cast<std::uint8_t>(lane.index)};
}

bool check_slm(machine& m, const lane_state& lane, const void* p, std::size_t bytes, bool write, bool atomic,
               const char* what, const void* code) {
    const slm_finding f = m.slm.access(p, bytes, write, atomic, accessor(lane));
    switch (f.problem) {
    case slm_problem::none: return true;
    case slm_problem::out_of_bounds: {
        const std::string where =
            m.slm.contains(p) ? fmt::format("at byte {}", f.offset) : std::string("outside of SLM");
        m.report(
            fault_kind::slm_out_of_bounds, lane, code,
            fmt::format("{} of {} bytes {}, but the workgroup has {} bytes of SLM", what, bytes, where, m.slm.used()),
            false, what);
        return false;
    }
    case slm_problem::uninitialized:
        m.report(fault_kind::slm_uninitialized, lane, code,
                 fmt::format("reads SLM byte {}, which nobody has written in this workgroup", f.offset), false, what);
        return true;
    case slm_problem::race: {
        const bool same = f.other_subgroup == lane.subgroup->index;
        m.report(fault_kind::slm_race, lane, code,
                 fmt::format("{} SLM byte {} that {} lane {} {} with nothing in between that orders the two: put a {}",
                             write ? "writes" : "reads", f.offset,
                             same ? std::string("the same subgroup's") : fmt::format("subgroup {}", f.other_subgroup),
                             f.other_lane, f.other_wrote ? "wrote" : "read",
                             same ? "subgroup barrier between them"
                                  : "workgroup barrier with local memory semantics between them"),
                 false, what);
        return true;
    }
    }
    return true;
}

bool check_global(machine& m, const lane_state& lane, const void* p, std::size_t bytes, const char* what,
                  const void* code) {
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    if (!m.current->options.check_allocations || in_allocation(at, bytes)) return true;
    m.report(fault_kind::out_of_allocation, lane, code,
             fmt::format("{} of {} bytes lies in no allocation: {}", what, bytes, nearest_allocation(at)), false, what);
    return false;
}

bool check_alignment(machine& m, const lane_state& lane, const void* p, std::size_t bytes, const char* what,
                     const void* code) {
    const std::size_t alignment = std::min<std::size_t>(bytes, 16);
    if (reinterpret_cast<std::uintptr_t>(p) % alignment == 0) return true;
    m.report(fault_kind::misaligned_access, lane, code,
             fmt::format("{} of {} bytes at an address that is not a multiple of {}", what, bytes, alignment), false,
             what);
    return false;
}

void join(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
    if (into.size() < from.size()) into.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

}  // namespace

void* access(access_kind kind, const void* p, std::size_t bytes) {
    lane_state& lane = machine::lane();
    machine& m = machine::local();
    const void* code = __builtin_return_address(0);
    void* const place = const_cast<void*>(p);
    counters& c = m.out->count;
    const bool write = kind == access_kind::global_store || kind == access_kind::local_store;
    if (kind == access_kind::local_load || kind == access_kind::local_store) {
        const char* what = write ? "SLM store" : "SLM load";
        (write ? c.slm_stores : c.slm_loads) += 1;
        (write ? c.slm_store_bytes : c.slm_load_bytes) += bytes;
        const bool fine =
            check_slm(m, lane, p, bytes, write, false, what, code) && check_alignment(m, lane, p, bytes, what, code);
        return fine ? place : scratch();
    }
    const char* what = write ? "global store" : "global load";
    (write ? c.global_stores : c.global_loads) += 1;
    (write ? c.global_store_bytes : c.global_load_bytes) += bytes;
    if (!check_global(m, lane, p, bytes, what, code) || !check_alignment(m, lane, p, bytes, what, code))
        return scratch();
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    const segment s{at, at + bytes};
    if (write) m.memory_traffic.store(&s, 1);
    else m.memory_traffic.load(&s, 1, lane.subgroup->index, lane.subgroup->steps, -1);
    return place;
}

void prefetch_line(const void* p, std::size_t bytes) {
    lane_state& lane = machine::lane();
    machine& m = machine::local();
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    if (m.current->options.check_allocations && !in_allocation(at, bytes)) return;  // a prefetch of nothing is allowed
    m.out->count.prefetched_bytes += bytes;
    prefetch_event e;
    e.from = m.origin_of(lane, __builtin_return_address(0));
    e.step = lane.subgroup->steps;
    const segment s{at, at + bytes};
    m.memory_traffic.prefetch(&s, 1, e);
}

void* atomic(const void* p, std::size_t bytes, int, int semantics, bool loads, bool stores) {
    lane_state& lane = machine::lane();
    machine& m = machine::local();
    const void* code = __builtin_return_address(0);
    ++m.out->count.atomics;
    const char* what = !stores ? "atomic load" : !loads ? "atomic store" : "atomic update";
    if (loads) {
        ++lane.polls;
        m.give_way(lane);
    }
    const bool local = m.slm.contains(p);
    const bool fine = (local ? check_slm(m, lane, p, bytes, stores, true, what, code)
                             : check_global(m, lane, p, bytes, what, code)) &&
                      check_alignment(m, lane, p, bytes, what, code);
    if (!fine) return scratch();

    subgroup_state& sg = *lane.subgroup;
    auto& clock = m.atomic_clocks[p];
    if (loads) {
        if ((semantics & 0xA) != 0) join(sg.clock, clock);
        else join(sg.pending_acquire, clock);
    }
    if (stores) {
        if ((semantics & 0xC) != 0) {
            join(clock, sg.clock);
            ++sg.clock[static_cast<std::size_t>(sg.index)];
        } else {
            join(clock, sg.released);
        }
    }
    return const_cast<void*>(p);
}

void fence(int, int semantics) {
    lane_state& lane = machine::lane();
    subgroup_state& sg = *lane.subgroup;
    if (lane.index == 0) ++machine::local().out->count.fences;
    if ((semantics & 0x1C) != 0) {
        sg.released = sg.clock;
        ++sg.clock[static_cast<std::size_t>(sg.index)];
    }
    if ((semantics & 0x1A) != 0) join(sg.clock, sg.pending_acquire);
}

void* slm_base() {
    machine::lane();
    return machine::local().slm.base();
}

void* slm(const void* key, std::size_t bytes) {
    lane_state& lane = machine::lane();
    machine& m = machine::local();
    if (void* p = m.slm.allocate(key, bytes)) return p;
    m.report(fault_kind::slm_out_of_bounds, lane, __builtin_return_address(0),
             fmt::format("{} bytes of SLM more than the {} already used exceed the {} that a workgroup has", bytes,
                         m.slm.used(), m.slm.capacity()),
             false, "SLM allocation");
    throw std::length_error("no SLM left");
}

}  // namespace kittens::emulated
