// SPDX-License-Identifier: Apache-2.0
// Which global memory kernels may touch.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "emulated/state.hpp"

namespace kittens::emulated {

namespace {

struct allocation {
    std::uintptr_t begin, end;
    std::string name;
};
using table = std::vector<allocation>;  // by address, disjoint

// Writers replace the whole table, so that running workgroups look up without a lock.
std::mutex writing;
std::shared_ptr<const table> published = std::make_shared<table>();
std::atomic<std::uint64_t> version{1};

const table& current_table() {
    thread_local std::shared_ptr<const table> mine;
    thread_local std::uint64_t mine_version = 0;
    const std::uint64_t now = version.load(std::memory_order_acquire);
    if (mine_version != now) {
        const std::lock_guard lock(writing);
        mine = published;
        mine_version = version.load(std::memory_order_relaxed);
    }
    return *mine;
}

template <class F> void change(F f) {
    const std::lock_guard lock(writing);
    auto next = std::make_shared<table>(*published);
    f(*next);
    published = std::move(next);
    version.fetch_add(1, std::memory_order_release);
}

}  // namespace

void register_allocation(const void* p, std::size_t bytes, std::string name) {
    const auto begin = reinterpret_cast<std::uintptr_t>(p);
    change([&](table& t) {
        std::erase_if(t, [&](const allocation& a) { return a.begin < begin + bytes && begin < a.end; });
        const auto at = std::lower_bound(t.begin(), t.end(), begin,
                                         [](const allocation& a, std::uintptr_t b) { return a.begin < b; });
        t.insert(at, {begin, begin + bytes, std::move(name)});
    });
}

void unregister_allocation(const void* p) {
    const auto begin = reinterpret_cast<std::uintptr_t>(p);
    change([&](table& t) { std::erase_if(t, [&](const allocation& a) { return a.begin == begin; }); });
}

bool in_allocation(std::uintptr_t p, std::size_t bytes) {
    const table& t = current_table();
    const auto after =
        std::upper_bound(t.begin(), t.end(), p, [](std::uintptr_t b, const allocation& a) { return b < a.begin; });
    if (after == t.begin()) return false;
    const allocation& a = *std::prev(after);
    return p >= a.begin && p < a.end && bytes <= a.end - p;
}

std::string nearest_allocation(std::uintptr_t p) {
    const table& t = current_table();
    if (t.empty()) return "no allocation is registered";
    const allocation* best = nullptr;
    std::uintptr_t distance = 0;
    for (const allocation& a : t) {
        const std::uintptr_t d = p < a.begin ? a.begin - p : p >= a.end ? p - a.end : 0;
        if (best == nullptr || d < distance) best = &a, distance = d;
    }
    const std::string what = fmt::format("allocation {}of {} bytes", best->name.empty() ? "" : "'" + best->name + "' ",
                                         best->end - best->begin);
    if (p < best->begin) return fmt::format("{} bytes before {}", distance, what);
    if (p >= best->end) return fmt::format("{} bytes past the end of {}", distance, what);
    return fmt::format("{} bytes before the end of {}", best->end - p, what);
}

}  // namespace kittens::emulated
