// SPDX-License-Identifier: Apache-2.0
// Stacks for kernel code on the cpu target.
#pragma once

#include <boost/context/stack_context.hpp>

#include <cstddef>

namespace kittens::detail {

/// Register tiles of the cpu target are local arrays, and policies may make them large. Only touched pages cost memory.
inline constexpr std::size_t kernel_stack_bytes = std::size_t{64} << 20;

/// A stack allocator for Boost.Context: lazily committed pages above a guard page.
class fiber_stack_allocator {
public:
    /// `index` numbers the stacks of one thread: their tops are moved apart, else equal frames of different subgroups
    /// would all compete for the same cache sets.
    explicit fiber_stack_allocator(std::size_t index) : shift_((index % 16) * (4096 + 256)) {}

    /// Throws memory_error where the address space is exhausted.
    boost::context::stack_context allocate();
    void deallocate(boost::context::stack_context& stack) noexcept;

private:
    std::size_t shift_;
};

}  // namespace kittens::detail
