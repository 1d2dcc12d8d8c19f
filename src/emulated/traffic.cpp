// SPDX-License-Identifier: Apache-2.0
#include "emulated/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace kittens::emulated {

namespace {

constexpr std::uintptr_t line_bytes = 64;
// Prefetches of one line count as repeats when they are this many main-loop steps apart or less.
constexpr int repeat_window = 8;

std::uint64_t mask(std::uintptr_t from, std::uintptr_t to) {
    const std::uint64_t high = to == line_bytes ? ~0ULL : (1ULL << to) - 1ULL;
    return high & ~((1ULL << from) - 1ULL);
}

template <class F> void each_line(const segment* s, std::size_t n, F f) {
    for (std::size_t i = 0; i < n; ++i) {
        for (std::uintptr_t a = s[i].begin; a < s[i].end;) {
            const std::uintptr_t number = a / line_bytes;
            const std::uintptr_t end = std::min(s[i].end, (number + 1) * line_bytes);
            f(number, mask(a % line_bytes, end - number * line_bytes));
            a = end;
        }
    }
}

}  // namespace

void traffic::reset(std::size_t cache_bytes) {
    cache_bytes_ = cache_bytes;
    if (lines_.empty()) lines_.resize(1024);
    else std::fill(lines_.begin(), lines_.end(), line{});
    used_ = 0;
    events_.clear();
    surfaces_.clear();
    clocks_.clear();
    order_ = 0;
    stepped_ = false;
}

int traffic::surface(const void* base) {
    for (std::size_t i = 0; i < surfaces_.size(); ++i)
        if (surfaces_[i] == base) return static_cast<int>(i);
    surfaces_.push_back(base);
    return static_cast<int>(surfaces_.size()) - 1;
}

traffic::line& traffic::at(std::uintptr_t number) {
    if (used_ * 2 >= lines_.size()) grow();
    const std::size_t m = lines_.size() - 1;
    std::size_t i = (number * 0x9E3779B97F4A7C15ULL >> 20) & m;
    while (lines_[i].address != 0 && lines_[i].address != number + 1) i = (i + 1) & m;
    if (lines_[i].address == 0) {
        lines_[i].address = number + 1;
        ++used_;
    }
    return lines_[i];
}

void traffic::grow() {
    std::vector<line> old(lines_.size() * 2);
    old.swap(lines_);
    used_ = 0;
    for (const line& l : old)
        if (l.address != 0) at(l.address - 1) = l;
}

void traffic::load(const segment* s, std::size_t n, int subgroup, int step, int surface) {
    if (clocks_.size() <= static_cast<std::size_t>(subgroup)) clocks_.resize(static_cast<std::size_t>(subgroup) + 1);
    std::uint64_t& clock = clocks_[static_cast<std::size_t>(subgroup)];
    ++order_;
    stepped_ = stepped_ || step > 0;
    each_line(s, n, [&](std::uintptr_t number, std::uint64_t m) {
        line& l = at(number);
        l.last_load_order = order_;
        if (l.loaded == 0) l.first_load_step = l.last_load_step = step;
        l.first_load_step = std::min(l.first_load_step, step);
        l.last_load_step = std::max(l.last_load_step, step);
        l.loaded |= m;
        if (surface >= 0) l.surface = surface;
        clock += line_bytes;
    });
}

void traffic::store(const segment* s, std::size_t n) {
    each_line(s, n, [&](std::uintptr_t number, std::uint64_t m) { at(number).stored |= m; });
}

void traffic::prefetch(const segment* s, std::size_t n, prefetch_event event) {
    const int subgroup = event.from.subgroup;
    if (clocks_.size() <= static_cast<std::size_t>(subgroup)) clocks_.resize(static_cast<std::size_t>(subgroup) + 1);
    std::uint64_t& clock = clocks_[static_cast<std::size_t>(subgroup)];
    const int id = static_cast<int>(events_.size());
    event.order = ++order_;
    stepped_ = stepped_ || event.step > 0;
    each_line(s, n, [&](std::uintptr_t number, std::uint64_t m) {
        line& l = at(number);
        event.empty = false;
        const bool asked = (m & ~l.prefetched) == 0 && l.events[0] >= 0;
        const bool near = std::abs(event.step - l.last_step) <= repeat_window &&
                          (l.last_subgroup != subgroup || clock - l.clock < cache_bytes_);
        if (!asked || !near) {
            event.redundant = false;
            if (!near) {
                settle(l);
                l.events = {-1, -1, -1, -1};
            }
            const auto place = std::find(l.events.begin(), l.events.end(), -1);
            if (place != l.events.end()) *place = id;
            else event.used = true;  // more parts than are tracked: give it the benefit of the doubt
        }
        l.prefetched |= m;
        l.last_step = event.step;
        l.last_subgroup = subgroup;
        l.clock = clock;
        if (event.surface >= 0) l.surface = event.surface;
        clock += line_bytes;
    });
    events_.push_back(event);
}

// The line's prefetches were of use if it was loaded at their step or later.
void traffic::settle(const line& l) {
    if (l.loaded == 0) return;
    for (const int id : l.events) {
        if (id < 0) break;
        prefetch_event& e = events_[static_cast<std::size_t>(id)];
        if (l.last_load_step >= e.step) e.used = true;
    }
}

std::vector<traffic::verdict> traffic::finish(counters& count) {
    // Last step at which, and last instruction by which, a surface was loaded from a line that nothing had prefetched.
    std::vector<int> cold(surfaces_.size(), -1);
    std::vector<std::uint64_t> cold_order(surfaces_.size(), 0);
    for (const line& l : lines_) {
        if (l.address == 0) continue;
        count.distinct_load_bytes += static_cast<std::uint64_t>(__builtin_popcountll(l.loaded));
        count.distinct_prefetch_bytes += static_cast<std::uint64_t>(__builtin_popcountll(l.prefetched));
        count.distinct_store_bytes += static_cast<std::uint64_t>(__builtin_popcountll(l.stored));
        if (l.loaded == 0) continue;
        if (l.events[0] >= 0) {
            settle(l);
        } else if (l.surface >= 0) {
            int& c = cold[static_cast<std::size_t>(l.surface)];
            c = std::max(c, l.last_load_step);
            std::uint64_t& o = cold_order[static_cast<std::size_t>(l.surface)];
            o = std::max(o, l.last_load_order);
        }
    }
    std::vector<verdict> out;
    const auto add = [&](fault_kind kind, const prefetch_event& e) {
        for (verdict& v : out) {
            if (v.kind == kind && v.event->from.code == e.from.code && v.event->from.operation == e.from.operation &&
                v.event->from.tile == e.from.tile) {
                ++v.times;
                return;
            }
        }
        out.push_back({kind, &e});
    };
    for (const prefetch_event& e : events_) {
        if (e.empty) continue;
        if (e.redundant) add(fault_kind::redundant_prefetch, e);
        else if (!e.used) {
            const auto surface = static_cast<std::size_t>(e.surface);
            const bool cold_later = e.surface >= 0 && (stepped_ ? cold[surface] > e.step : cold_order[surface] > e.order);
            add(cold_later ? fault_kind::wrong_prefetch : fault_kind::unused_prefetch, e);
        }
    }
    return out;
}

}  // namespace kittens::emulated
