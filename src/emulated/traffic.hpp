// SPDX-License-Identifier: Apache-2.0
// Which bytes of global memory a workgroup touched, by cache line, and whether its prefetches were good for anything.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <kittens/target/emulated/engine.hpp>
#include <kittens/target/emulated/lane.hpp>

namespace kittens::emulated {

/// Where an instruction was issued: enough to make a fault of it later.
struct origin {
    const char* operation = nullptr;  // nullptr: no operation_scope was open
    const char* tile = nullptr;
    std::array<int, 4> coordinate{};
    bool has_coordinate = false;
    int subgroup = 0;
    int lane = -1;
    const void* code = nullptr;
};

/// One prefetch instruction.
struct prefetch_event {
    origin from;
    int surface = -1;
    int x = 0, y = 0;
    int step = 0;
    std::uint64_t order = 0;  // among the workgroup's loads and prefetches
    model::block_shape shape{};
    bool redundant = true;  // every byte had been asked for before
    bool empty = true;      // no byte inside the surface
    bool used = false;      // some line was loaded at or after the event's step
};

/// A contiguous run of bytes in one row of a block.
struct segment {
    std::uintptr_t begin, end;
};

class traffic {
public:
    /// Forgets the previous workgroup.
    void reset(std::size_t cache_bytes);
    /// Index of a surface, by base address.
    int surface(const void* base);

    void load(const segment* s, std::size_t n, int subgroup, int step, int surface);
    void store(const segment* s, std::size_t n);
    void prefetch(const segment* s, std::size_t n, prefetch_event event);

    /// Verdict on the events, and the distinct bytes, into `count`.
    struct verdict {
        fault_kind kind;
        const prefetch_event* event;
        std::uint64_t times = 1;
    };
    std::vector<verdict> finish(counters& count);

private:
    struct line {
        std::uintptr_t address = 0;  // line number + 1; 0 is empty
        std::uint64_t loaded = 0, prefetched = 0, stored = 0;
        std::array<int, 4> events{-1, -1, -1, -1};  // prefetches of its parts
        int first_load_step = 0, last_load_step = 0;
        std::uint64_t last_load_order = 0;
        int last_step = 0;       // of the last prefetch
        int last_subgroup = -1;  // of the last prefetch
        int surface = -1;
        std::uint64_t clock = 0;  // traffic of last_subgroup when it prefetched
    };
    line& at(std::uintptr_t number);
    void settle(const line& l);
    void grow();

    std::vector<line> lines_;
    std::size_t used_ = 0;
    std::vector<prefetch_event> events_;
    std::vector<const void*> surfaces_;
    std::vector<std::uint64_t> clocks_;  // bytes that each subgroup has moved
    std::size_t cache_bytes_ = 0;
    std::uint64_t order_ = 0;
    bool stepped_ = false;  // whether the kernel marks its steps
};

}  // namespace kittens::emulated
