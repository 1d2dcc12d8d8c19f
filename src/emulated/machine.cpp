// SPDX-License-Identifier: Apache-2.0
// Scheduling: lanes as fibers, collectives as meetings of a subgroup's lanes, barriers as meetings of subgroups.
#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "emulated/state.hpp"

namespace kittens::emulated {

namespace {

thread_local lane_state* running_lane = nullptr;

}  // namespace

machine& machine::local() {
    thread_local machine m;
    return m;
}

lane_state& machine::lane() {
    if (running_lane == nullptr) {
        throw std::logic_error("kittens: an instruction of the emulated target was called outside of a launch");
    }
    return *running_lane;
}

origin machine::origin_of(const lane_state& lane, const void* code) const {
    origin o;
    o.subgroup = lane.subgroup->index;
    o.lane = lane.index;
    o.code = code;
    // The outermost scope is the operation that the kernel called.
    const operation_scope* s = lane.scope;
    while (s != nullptr && s->outer != nullptr) s = s->outer;
    if (s != nullptr) {
        o.operation = s->operation;
        o.tile = s->tile;
        o.has_coordinate = s->has_coordinate;
        std::copy_n(s->coordinate, 4, o.coordinate.begin());
        o.code = s->code;
    }
    return o;
}

void machine::report(fault_kind kind, const lane_state& lane, const void* code, std::string message,
                     bool whole_subgroup, const char* instruction) {
    const origin o = origin_of(lane, code);
    fault f;
    f.kind = kind;
    f.kernel = current->kernel;
    f.operation = o.operation != nullptr ? o.operation : instruction != nullptr ? instruction : describe(lane.pending);
    f.tile = o.tile != nullptr ? o.tile : "";
    f.has_coordinate = o.has_coordinate;
    f.coordinate = o.coordinate;
    f.workgroup = group;
    f.subgroup = o.subgroup;
    f.lane = whole_subgroup ? -1 : o.lane;
    f.message = std::move(message);
    f.code = o.code;
    out->add(std::move(f));
}

void machine::lane_body(void* p) {
    auto& lane = *static_cast<lane_state*>(p);
    machine& m = local();
    try {
        m.current->entry(m.current->args, m.slm.base());
    } catch (const std::exception& e) {
        m.report(fault_kind::kernel_exception, lane, nullptr, std::string("an exception left the kernel: ") + e.what(),
                 false, "kernel");
    } catch (...) {
        m.report(fault_kind::kernel_exception, lane, nullptr, "an exception left the kernel", false, "kernel");
    }
    lane.now = lane_state::status::ended;
}

void machine::rendezvous(lane_state& lane) {
    lane.now = lane_state::status::blocked;
    fibers_.yield();
}

void machine::give_way(lane_state& lane) {
    lane.now = lane_state::status::yielded;
    fibers_.yield();
}

void machine::prepare(long index) {
    group[0] = static_cast<int>(index % current->groups[0]);
    group[1] = static_cast<int>(index / current->groups[0] % current->groups[1]);
    group[2] = static_cast<int>(index / current->groups[0] / current->groups[1]);

    const int width = current->options.subgroup_size;
    const int items = current->options.work_items > 0 ? current->options.work_items : current->subgroups * width;
    const int count = (items + width - 1) / width;
    subgroups.resize(static_cast<std::size_t>(count));
    fibers_.reserve(items);
    int fiber = 0;
    for (int s = 0; s < count; ++s) {
        subgroup_state& sg = subgroups[static_cast<std::size_t>(s)];
        sg.index = s;
        sg.now = subgroup_state::status::runnable;
        sg.steps = 0;
        sg.round = 1;
        sg.arrivals = sg.waits = 0;
        sg.clock.assign(static_cast<std::size_t>(count), 0);
        sg.clock[static_cast<std::size_t>(s)] = 1;
        sg.released.clear();
        sg.pending_acquire.assign(static_cast<std::size_t>(count), 0);
        sg.lanes.resize(static_cast<std::size_t>(std::min(width, items - s * width)));
        for (std::size_t l = 0; l < sg.lanes.size(); ++l) {
            lane_state& lane = sg.lanes[l];
            lane.index = static_cast<int>(l);
            lane.fiber = fiber++;
            lane.now = lane_state::status::ready;
            lane.scope = nullptr;
            lane.subgroup = &sg;
            lane.undefined.clear();
            lane.polls = 0;
            lane.named = 0;
        }
    }
    for (subgroup_state& sg : subgroups)
        for (lane_state& lane : sg.lanes) fibers_.start(lane.fiber, &machine::lane_body, &lane);

    order_.resize(subgroups.size());
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<int>(i);
    if (current->options.schedule_seed != 0) {
        std::mt19937_64 random(current->options.schedule_seed + static_cast<std::uint64_t>(index));
        std::shuffle(order_.begin(), order_.end(), random);
    }
    for (auto& c : barrier_clock_) c.assign(subgroups.size(), 0);
    for (named_barrier_state& b : named_) b.first = b.count = b.arrived = 0, b.rounds = 0;
    slm.reset(current->slm_bytes, current->options.slm_capacity);
    memory_traffic.reset(current->options.cache_bytes);
    atomic_clocks.clear();
}

void machine::run(const launch& l, long first, long last, launch_report& report_to) {
    struct guard {
        machine& m;
        ~guard() { m.current = nullptr, m.out = nullptr, running_lane = nullptr; }
    } const reset{*this};
    current = &l;
    out = &report_to;
    for (long i = first; i < last; ++i) {
        prepare(i);
        try {
            run_workgroup();
            finish_workgroup();
        } catch (const workgroup_abandoned&) {
            // What the workgroup did until then is still counted; its prefetches cannot be judged.
            counters ignored;
            memory_traffic.finish(ignored);
        }
        counters& c = out->count;
        ++c.workgroups;
        c.subgroups += subgroups.size();
        c.slm_bytes = std::max<std::uint64_t>(c.slm_bytes, slm.used());
        int steps = 0;
        for (const subgroup_state& sg : subgroups) steps = std::max(steps, sg.steps);
        c.steps += static_cast<std::uint64_t>(steps);
    }
}

void machine::run_workgroup() {
    using status = subgroup_state::status;
    for (;;) {
        bool ran = false;
        bool polled_only = true;
        for (const int i : order_) {
            subgroup_state& sg = subgroups[static_cast<std::size_t>(i)];
            if (sg.now == status::at_barrier) finish_wait(sg);
            if (sg.now == status::at_named_barrier) finish_named_wait(sg);
            if (sg.now != status::runnable) continue;
            const std::uint64_t before = advances;
            run_subgroup(sg);
            polled_only = polled_only && before == advances;
            ran = true;
        }
        if (ran) {
            if (!polled_only) continue;
            // Only waiting loops ran. They may wait for another workgroup, but not for ever.
            std::this_thread::yield();
            for (subgroup_state& sg : subgroups) {
                for (lane_state& lane : sg.lanes) {
                    if (lane.now == lane_state::status::yielded && lane.polls > current->options.poll_limit) {
                        report(
                            fault_kind::no_progress, lane, nullptr,
                            fmt::format("waits for a value that did not come in {} polls, while no other lane of the "
                                        "workgroup advances: who stores it must run at the same time",
                                        lane.polls),
                            false, "atomic load");
                        abandon();
                    }
                }
            }
            continue;
        }
        const bool all_ended = std::all_of(subgroups.begin(), subgroups.end(),
                                           [](const subgroup_state& sg) { return sg.now == status::ended; });
        if (all_ended) return;
        report_missed_barrier();
    }
}

void machine::run_subgroup(subgroup_state& sg) {
    using status = lane_state::status;
    for (;;) {
        bool yielded = false;
        for (lane_state& lane : sg.lanes) {
            if (lane.now == status::ended || lane.now == status::blocked) continue;
            lane.now = status::ready;
            running_lane = &lane;
            fibers_.resume(lane.fiber);
            running_lane = nullptr;
            if (lane.now == status::yielded) yielded = true;
            else {
                ++advances;
                lane.polls = 0;
            }
        }
        if (yielded) return;  // the polling lanes' turn comes again after the other subgroups'

        const auto ended =
            std::count_if(sg.lanes.begin(), sg.lanes.end(), [](const lane_state& l) { return l.now == status::ended; });
        if (static_cast<std::size_t>(ended) == sg.lanes.size()) {
            sg.now = subgroup_state::status::ended;
            if (sg.arrivals > sg.waits) {
                report(fault_kind::split_barrier_misuse, sg.lanes.front(), nullptr,
                       "ends after a split barrier's arrive without its wait", true, "kernel");
            }
            return;
        }
        if (!lanes_meet(sg)) abandon();
        ++sg.round;
        const request::kind what = sg.lanes.front().pending.what;
        if (what == request::kind::barrier) {
            if (!barrier(sg)) return;
        } else if (what == request::kind::named_barrier) {
            if (!named_barrier(sg)) return;
        } else {
            execute(sg);
        }
        for (lane_state& lane : sg.lanes) lane.now = status::ready;
    }
}

namespace {

// How two lanes of a subgroup that stand at a collective differ.
enum class difference { none, operation, arguments, surface, place, scope };

bool same_text(const char* a, const char* b) {
    return a == b || (a != nullptr && b != nullptr && std::strcmp(a, b) == 0);
}

const operation_scope* outermost(const operation_scope* s) {
    while (s != nullptr && s->outer != nullptr) s = s->outer;
    return s;
}

difference compare(const lane_state& a, const lane_state& b) {
    if (a.now != b.now) return difference::operation;
    if (a.now == lane_state::status::ended) return difference::none;
    const request& p = a.pending;
    const request& q = b.pending;
    if (p.what != q.what || p.uniforms != q.uniforms) return difference::operation;
    if (p.base != q.base) return difference::surface;
    if (p.uniforms > 0 && p.what != request::kind::dpas && p.what != request::kind::block &&
        p.uniform[0] != q.uniform[0]) {
        return difference::operation;
    }
    if (!std::equal(p.uniform, p.uniform + p.uniforms, q.uniform)) return difference::arguments;
    if (p.at.file != nullptr && q.at.file != nullptr &&
        (p.at.line != q.at.line || p.at.column != q.at.column || !same_text(p.at.file, q.at.file))) {
        return difference::place;
    }
    const operation_scope* s = outermost(a.scope);
    const operation_scope* t = outermost(b.scope);
    if ((s == nullptr) != (t == nullptr)) return difference::scope;
    if (s != nullptr && (!same_text(s->operation, t->operation) || !same_text(s->tile, t->tile) ||
                         !std::equal(s->coordinate, s->coordinate + 4, t->coordinate))) {
        return difference::scope;
    }
    return difference::none;
}

std::string place_of(const lane_state& l, difference d) {
    if (l.now == lane_state::status::ended) return "has ended";
    std::string s = "is at " + describe(l.pending);
    if (d == difference::place) {
        std::string_view file = l.pending.at.file;
        file.remove_prefix(std::min(file.size(), file.rfind('/') + 1));
        s += fmt::format(" of {}:{}:{}", file, l.pending.at.line, l.pending.at.column);
    }
    if (d == difference::scope) {
        const operation_scope* o = outermost(l.scope);
        if (o == nullptr) return s + " outside of any tile operation";
        s += fmt::format(" in {} of {}", o->operation, o->tile);
        if (o->has_coordinate) {
            s += fmt::format(" at {{{}, {}, {}, {}}}", o->coordinate[0], o->coordinate[1], o->coordinate[2],
                             o->coordinate[3]);
        }
    }
    return s;
}

}  // namespace

// False when the lanes have not all come to the same instruction in the same way; that is then reported.
bool machine::lanes_meet(const subgroup_state& sg) {
    const lane_state& a = sg.lanes.front();
    difference d = difference::none;
    const lane_state* b = nullptr;   // the first lane that differs from the first
    const lane_state* at = nullptr;  // a lane that is at an operation, to name it
    for (const lane_state& l : sg.lanes) {
        if (l.now == lane_state::status::blocked && at == nullptr) at = &l;
        if (b != nullptr) continue;
        d = compare(a, l);
        if (d != difference::none) b = &l;
    }
    if (b == nullptr) return true;
    const char* what = "lanes of one subgroup are at different operations";
    if (d == difference::arguments) what = "lanes disagree on arguments that must be uniform";
    if (d == difference::surface) what = "lanes are on different surfaces";
    if (d == difference::place) what = "lanes of one subgroup have come to the same operation on different paths";
    if (d == difference::scope) what = "lanes of one subgroup are in different tile operations";
    report(
        fault_kind::divergent_collective, *at, at->pending.code,
        fmt::format("{}: lane {} {}, lane {} {}; collective operations belong outside of lane-dependent control flow "
                    "(also of ?: and short-circuit operators)",
                    what, a.index, place_of(a, d), b->index, place_of(*b, d)),
        true);
    return false;
}

void machine::execute(subgroup_state& sg) {
    switch (sg.lanes.front().pending.what) {
    case request::kind::dpas: return execute_dpas(*this, sg);
    case request::kind::block: return execute_block(*this, sg);
    case request::kind::shuffle: return execute_shuffle(*this, sg);
    case request::kind::reduce_float:
    case request::kind::reduce_int: return execute_reduce(*this, sg);
    case request::kind::ballot: return execute_ballot(*this, sg);
    case request::kind::barrier:
    case request::kind::named_barrier: return;
    }
}

void machine::finish_workgroup() {
    const auto verdicts = memory_traffic.finish(out->count);
    if (!current->options.check_prefetch) return;
    for (const traffic::verdict& v : verdicts) {
        const prefetch_event& e = *v.event;
        fault f;
        f.kind = v.kind;
        f.kernel = current->kernel;
        f.operation = e.from.operation != nullptr ? e.from.operation : model::name(model::block_op::prefetch);
        f.tile = e.from.tile != nullptr ? e.from.tile : "";
        f.has_coordinate = e.from.has_coordinate;
        f.coordinate = e.from.coordinate;
        f.workgroup = group;
        f.subgroup = e.from.subgroup;
        f.code = e.from.code;
        f.occurrences = v.times;
        const std::string block = e.surface < 0
                                      ? std::string("a line")
                                      : fmt::format("the block at column {}, row {} (step {})", e.x, e.y, e.step);
        if (v.kind == fault_kind::redundant_prefetch) {
            f.message = block + " had been prefetched already: let each subgroup prefetch its own part";
        } else if (v.kind == fault_kind::unused_prefetch) {
            f.message = block + " is never loaded by the workgroup";
        } else {
            f.message = block +
                        " is never loaded, while later loads of the same surface find nothing prefetched: the "
                        "prefetch names the wrong block";
        }
        out->add(std::move(f));
    }
}

launch_report run(const launch& l, long first, long last) {
    if (l.entry == nullptr) throw std::invalid_argument("emulated launch: no kernel entry");
    if (l.subgroups < 1 || l.groups[0] < 1 || l.groups[1] < 1 || l.groups[2] < 1 || l.options.subgroup_size < 1 ||
        l.options.subgroup_size > 64) {
        throw std::invalid_argument("emulated launch: groups, subgroups and subgroup size must be positive");
    }
    if (l.slm_bytes > l.options.slm_capacity) {
        throw std::invalid_argument(fmt::format("emulated launch: {} bytes of SLM exceed the workgroup's {}",
                                                l.slm_bytes, l.options.slm_capacity));
    }
    launch_report r;
    r.kernel = l.kernel;
    machine::local().run(l, first, last, r);
    return r;
}

launch_report run(const launch& l) { return run(l, 0, static_cast<long>(l.groups[0]) * l.groups[1] * l.groups[2]); }

}  // namespace kittens::emulated
