// SPDX-License-Identifier: Apache-2.0
// A subgroup of the cpu target: one thread. What is set up before a kernel's body runs and put back after it.
#pragma once

#include <kittens/base/host_context.hpp>
#include <kittens/base/target.hpp>
#include <kittens/target/cpu/intrinsics.hpp>

#include <cstdlib>
#include <cstring>
#include <new>

namespace kittens::inline KITTENS_NS {

namespace lower {

/// The scratch memory of the worker that runs the current subgroup.
inline thread_local worker_scratch* current_scratch = nullptr;

/// Scratch for subgroups run without a back end that has any: a thread's own, and nothing survives a subgroup in it.
struct own_scratch : worker_scratch {
    own_scratch() {
        grow = [](worker_scratch& self, std::size_t n) {
            std::free(self.data);
            n = (n + 4095) / 4096 * 4096;
            self.data = static_cast<std::byte*>(std::aligned_alloc(4096, n));
            self.bytes = self.data ? n : 0;
            if (!self.data) throw std::bad_alloc();
        };
    }
    own_scratch(const own_scratch&) = delete;
    ~own_scratch() { std::free(data); }

    static worker_scratch* for_new_subgroup() {
        static thread_local own_scratch mine;
        ++mine.epoch;
        std::memset(mine.words, 0, sizeof mine.words);
        return &mine;
    }
};

#if defined(KITTENS_CPU_AMX)
/// All eight tiles as 16 rows of 64 bytes. Other libraries release the configuration (oneDNN does), so it is loaded
/// whenever a subgroup starts or goes on after a barrier.
KITTENS_INLINE void load_tile_configuration() {
    struct alignas(64) configuration {
        unsigned char palette = 1, start_row = 0, reserved[14] = {};
        unsigned short row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
        unsigned char rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
    };
    static constexpr configuration all;
    asm volatile("ldtilecfg %0" : : "m"(all) : "memory");
}
#else
KITTENS_INLINE void load_tile_configuration() {}
#endif

}  // namespace lower

/// The subgroup that runs a kernel: its place in the workgroup and in the grid.
class subgroup {
  public:
    explicit subgroup(host_context* context) : context_(context) {}

    /// Index in the workgroup.
    int id() const { return context_->subgroup; }
    /// Subgroups in the workgroup.
    int count() const { return context_->subgroups; }
    /// The workgroup's index and the number of workgroups along an axis (0, 1 or 2).
    int group(int axis) const { return context_->group[axis]; }
    int groups(int axis) const { return context_->groups[axis]; }
    /// The workgroup's shared local memory.
    char* slm() const { return reinterpret_cast<char*>(context_->slm); }

    void barrier() const {
        if (context_->subgroups > 1 && context_->barrier) {
            context_->barrier(*context_);
            resume();
        }
    }
    void barrier_arrive() const {
        if (context_->subgroups > 1 && context_->arrive) context_->arrive(*context_);
    }
    void barrier_wait() const {
        if (context_->subgroups > 1 && context_->wait) {
            context_->wait(*context_);
            resume();
        }
    }

    template <int Id, int First, int Count> struct named_barrier_handle {};
    template <int Id, int First, int Count> void barrier_named(named_barrier_handle<Id, First, Count>) const {
        if (context_->named) {
            context_->named(*context_, Id, First, Count);
            resume();
        }
    }

  private:
    /// Other subgroups may have run on this thread meanwhile.
    void resume() const {
        if (context_->scratch) lower::current_scratch = context_->scratch;
        lower::load_tile_configuration();
    }

    host_context* context_;
};

/// Calls `body(subgroup)` for the subgroup that `context` (a host_context) describes. Subnormal floats count as zero
/// while it runs: arithmetic on them costs a hundred times as much, and the matrix instructions flush them anyway.
template <class F>
KITTENS_INLINE void run_subgroup(void* context, F&& body) {
    struct scope {
        unsigned saved = _mm_getcsr();
        scope() { _mm_setcsr(saved | 0x8040u); }
        ~scope() {
            _mm_setcsr(saved);
#if defined(KITTENS_CPU_AMX)
            asm volatile("tilerelease" ::: "memory");
#endif
        }
    };
    auto* host = static_cast<host_context*>(context);
    lower::current_scratch = host->scratch ? host->scratch : lower::own_scratch::for_new_subgroup();
    const scope state;
    lower::load_tile_configuration();
    body(subgroup(host));
}

}  // namespace kittens::inline KITTENS_NS
