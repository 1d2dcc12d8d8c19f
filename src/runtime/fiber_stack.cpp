// SPDX-License-Identifier: Apache-2.0
#include "fiber_stack.hpp"

#include <kittens/runtime/error.hpp>

#include <fmt/format.h>

#include <sys/mman.h>
#include <cerrno>
#include <cstring>

namespace kittens::detail {

namespace {
constexpr std::size_t guard_bytes = 4096;
}

boost::context::stack_context fiber_stack_allocator::allocate() {
    void* base = mmap(nullptr, kernel_stack_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base == MAP_FAILED)
        throw memory_error(
            fmt::format("cannot map a kernel stack of {} bytes: {}", kernel_stack_bytes, std::strerror(errno)),
            "raise the limit on address space (ulimit -v), or use fewer threads (KITTENS_NUM_THREADS)");
    mprotect(base, guard_bytes, PROT_NONE);
    // A huge page would be cleared for the first few bytes that a small kernel touches.
    madvise(base, kernel_stack_bytes, MADV_NOHUGEPAGE);
    boost::context::stack_context stack;
    stack.size = kernel_stack_bytes - shift_;
    stack.sp = static_cast<char*>(base) + stack.size;
    return stack;
}

void fiber_stack_allocator::deallocate(boost::context::stack_context& stack) noexcept {
    munmap(static_cast<char*>(stack.sp) - stack.size, kernel_stack_bytes);
}

}  // namespace kittens::detail
