// SPDX-License-Identifier: Apache-2.0
// Fibers of one thread, switched to and from by their owner. Stacks are kept for reuse.
#pragma once

#include <cstddef>
#include <vector>

namespace kittens::emulated {

/// A set of fibers that one owner thread resumes. A suspended fiber may be abandoned: starting another in its slot
/// reuses the stack, and nothing of the old one is unwound.
class fiber_set {
public:
    fiber_set() = default;
    ~fiber_set();
    fiber_set(const fiber_set&) = delete;
    fiber_set& operator=(const fiber_set&) = delete;

    /// Makes slots 0 .. count - 1 usable. Throws std::bad_alloc.
    void reserve(int count);
    /// Prepares slot i to run body(argument) at its next resume.
    void start(int i, void (*body)(void*), void* argument);
    /// Runs slot i until it yields or ends; true while it has not ended.
    bool resume(int i);
    /// Called by a running fiber: back to the owner, until the next resume.
    void yield();

private:
    struct slot {
        void* stack = nullptr;  // lowest usable address
        void* context = nullptr;
        void (*body)(void*) = nullptr;
        void* argument = nullptr;
        bool ended = true;
        void* sanitizer = nullptr;  // fake stack (ASan) or fiber (TSan)
    };
    static void trampoline(void* set);
    void switch_to_owner(bool last);

    std::vector<slot> slots_;
    std::vector<void*> regions_;
    std::vector<std::size_t> region_bytes_;
    int running_ = -1;
    void* owner_ = nullptr;
    [[maybe_unused]] void* owner_sanitizer_ = nullptr;
    [[maybe_unused]] const void* owner_stack_ = nullptr;
    [[maybe_unused]] std::size_t owner_stack_bytes_ = 0;
};

}  // namespace kittens::emulated
