// SPDX-License-Identifier: Apache-2.0
// Barriers as meetings of subgroups: the workgroup's, whole or split, and those of some of its subgroups.
#include <algorithm>

#include <fmt/format.h>

#include "emulated/state.hpp"

namespace kittens::emulated {

namespace {

void join(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
    for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

/// "1, 2, 5, 6, ...": at most four of those that `is` holds for, and how many there are.
template <class Is> std::pair<std::string, int> list_of(const std::vector<subgroup_state>& all, Is is) {
    std::string text;
    int n = 0;
    for (const subgroup_state& sg : all)
        if (is(sg) && n++ < 4) text += fmt::format("{}{}", text.empty() ? "" : ", ", sg.index);
    if (n > 4) text += ", ...";
    return {text, n};
}

std::string members(int first, int count) {
    return count == 1 ? fmt::format("subgroup {}", first) : fmt::format("subgroups {} to {}", first, first + count - 1);
}

}  // namespace

void machine::arrive(subgroup_state& sg, int semantics) {
    auto& clock = barrier_clock_[sg.arrivals % 2];
    const bool first = std::none_of(subgroups.begin(), subgroups.end(),
                                    [&](const subgroup_state& o) { return &o != &sg && o.arrivals > sg.arrivals; });
    if (first) std::fill(clock.begin(), clock.end(), 0);
    if ((semantics & 0x100) != 0) {
        join(clock, sg.clock);
        ++sg.clock[static_cast<std::size_t>(sg.index)];
    }
    ++sg.arrivals;
}

void machine::finish_wait(subgroup_state& sg) {
    const std::uint32_t phase = sg.waits;
    if (std::any_of(subgroups.begin(), subgroups.end(), [&](const subgroup_state& o) { return o.arrivals <= phase; }))
        return;
    if ((sg.barrier_semantics & 0x100) != 0) join(sg.clock, barrier_clock_[phase % 2]);
    ++sg.waits;
    sg.now = subgroup_state::status::runnable;
    for (lane_state& lane : sg.lanes) lane.now = lane_state::status::ready;
}

bool machine::barrier(subgroup_state& sg) {
    const lane_state& lane = sg.lanes.front();
    const auto kind = static_cast<barrier_kind>(lane.pending.uniform[0]);
    if (lane.pending.uniform[1] != 2) return true;  // a subgroup barrier is the meeting itself
    const bool pending = sg.arrivals > sg.waits;
    if (kind != barrier_kind::arrive) ++out->count.barriers;
    if (kind == barrier_kind::wait ? !pending : pending) {
        report(fault_kind::split_barrier_misuse, lane, lane.pending.code,
               kind == barrier_kind::wait ? "waits at a split barrier without having arrived"
                                          : "arrives again before the wait of the arrive before it",
               true);
        abandon();
    }
    if (kind != barrier_kind::wait) arrive(sg, lane.pending.uniform[2]);
    if (kind == barrier_kind::arrive) return true;
    sg.barrier_semantics = lane.pending.uniform[2];
    sg.now = subgroup_state::status::at_barrier;
    finish_wait(sg);
    return sg.now == subgroup_state::status::runnable;
}

void machine::make_named_barrier(lane_state& lane, int id, int first, int count, const void* code) {
    named_barrier_state& b = named_[static_cast<std::size_t>(id)];
    const auto bad = [&](std::string message) {
        report(fault_kind::named_barrier_misuse, lane, code, std::move(message), true, fmt::format("named barrier {}", id).c_str());
    };
    if (b.count != 0 && (b.first != first || b.count != count)) {
        bad(fmt::format("is made for {}, and is that of {} already: each set of subgroups needs a number of its own",
                        members(first, count), members(b.first, b.count)));
    } else if ((lane.named >> id & 1U) != 0) {
        bad("is made twice by one subgroup: make it once, before the loops, and pass it on");
    }
    lane.named |= 1U << id;
    if (b.count == 0) b.first = first, b.count = count;
}

bool machine::named_barrier(subgroup_state& sg) {
    const lane_state& lane = sg.lanes.front();
    const int id = lane.pending.uniform[0], first = lane.pending.uniform[1], count = lane.pending.uniform[2];
    named_barrier_state& b = named_[static_cast<std::size_t>(id)];
    if (b.first != first || b.count != count) abandon();  // has been reported when it was made
    if (sg.index < first || sg.index >= first + count) {
        report(fault_kind::named_barrier_misuse, lane, lane.pending.code,
               fmt::format("is that of {}, and subgroup {} waits at it", members(first, count), sg.index), true);
        abandon();
    }
    ++out->count.barriers;
    sg.barrier_semantics = lane.pending.uniform[3];
    sg.named_round = b.rounds;
    auto& clock = b.clock[b.rounds % 2];
    if (b.arrived == 0) clock.assign(subgroups.size(), 0);
    if ((sg.barrier_semantics & 0x100) != 0) {
        join(clock, sg.clock);
        ++sg.clock[static_cast<std::size_t>(sg.index)];
    }
    if (++b.arrived == count) {
        b.arrived = 0;
        ++b.rounds;
    }
    sg.now = subgroup_state::status::at_named_barrier;
    finish_named_wait(sg);
    return sg.now == subgroup_state::status::runnable;
}

void machine::finish_named_wait(subgroup_state& sg) {
    const named_barrier_state& b = named_[static_cast<std::size_t>(sg.lanes.front().pending.uniform[0])];
    if (b.rounds <= sg.named_round) return;
    if ((sg.barrier_semantics & 0x100) != 0) join(sg.clock, b.clock[sg.named_round % 2]);
    sg.now = subgroup_state::status::runnable;
    for (lane_state& lane : sg.lanes) lane.now = lane_state::status::ready;
}

void machine::report_missed_barrier() {
    using status = subgroup_state::status;
    // Where some wait at a named barrier and others at the workgroup's, the former is the one that was forgotten elsewhere.
    auto waits = std::find_if(subgroups.begin(), subgroups.end(), [](const auto& sg) { return sg.now == status::at_named_barrier; });
    std::string what;
    if (waits != subgroups.end()) {
        const auto& uniform = waits->lanes.front().pending.uniform;
        const int first = uniform[1], count = uniform[2], existing = static_cast<int>(subgroups.size());
        const auto [who, n] = list_of(subgroups, [&](const subgroup_state& sg) {
            const bool waits_here = sg.now == status::at_named_barrier && sg.lanes.front().pending.uniform[0] == uniform[0];
            return sg.index >= first && sg.index < first + count && !waits_here;
        });
        what = first + count > existing
                   ? fmt::format("waits at the barrier of {}, but the workgroup has {} subgroups", members(first, count), existing)
                   : fmt::format("waits at the barrier of {}, which {} of these never reach ({}): all of them must pass it equally often",
                                 members(first, count), n, who);
    } else {
        waits = std::find_if(subgroups.begin(), subgroups.end(), [](const auto& sg) { return sg.now == status::at_barrier; });
        const auto [who, n] = list_of(subgroups, [&](const subgroup_state& sg) { return sg.arrivals < waits->waits + 1; });
        what = fmt::format("waits at a workgroup barrier that {} of {} subgroups never reach ({}): every subgroup must pass the same barriers",
                           n, subgroups.size(), who);
    }
    report(fault_kind::barrier_not_reached, waits->lanes.front(), waits->lanes.front().pending.code, std::move(what), true);
    abandon();
}

}  // namespace kittens::emulated
