// SPDX-License-Identifier: Apache-2.0
#include "emulated/fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/detail/fcontext.hpp>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KITTENS_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define KITTENS_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define KITTENS_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define KITTENS_TSAN 1
#endif

#if defined(KITTENS_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(KITTENS_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace kittens::emulated {

namespace {

namespace ctx = boost::context::detail;

// Unoptimised and sanitised kernel code has large frames; untouched pages cost only address space.
#if defined(KITTENS_ASAN) || defined(KITTENS_TSAN)
constexpr std::size_t stack_bytes = 2U << 20;
#else
constexpr std::size_t stack_bytes = 512U << 10;
#endif

}  // namespace

fiber_set::~fiber_set() {
#if defined(KITTENS_TSAN)
    for (slot& s : slots_)
        if (s.sanitizer) __tsan_destroy_fiber(s.sanitizer);
#endif
    for (std::size_t i = 0; i < regions_.size(); ++i) munmap(regions_[i], region_bytes_[i]);
}

void fiber_set::reserve(int count) {
    const auto have = slots_.size();
    if (static_cast<std::size_t>(count) <= have) return;
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t more = static_cast<std::size_t>(count) - have;
    const std::size_t bytes = more * (stack_bytes + page);
    void* region =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (region == MAP_FAILED) throw std::bad_alloc();
    regions_.push_back(region);
    region_bytes_.push_back(bytes);
    slots_.resize(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < more; ++i) {
        char* low = static_cast<char*>(region) + i * (stack_bytes + page);
        mprotect(low, page, PROT_NONE);  // an overflowing stack stops here instead of in its neighbour
        slots_[have + i].stack = low + page;
    }
}

void fiber_set::start(int i, void (*body)(void*), void* argument) {
    slot& s = slots_[static_cast<std::size_t>(i)];
    s.body = body;
    s.argument = argument;
    s.ended = false;
#if defined(KITTENS_ASAN)
    __asan_unpoison_memory_region(s.stack, stack_bytes);
    s.sanitizer = nullptr;
#endif
#if defined(KITTENS_TSAN)
    if (s.sanitizer) __tsan_destroy_fiber(s.sanitizer);
    s.sanitizer = __tsan_create_fiber(0);
#endif
    s.context = ctx::make_fcontext(static_cast<char*>(s.stack) + stack_bytes, stack_bytes, [](ctx::transfer_t t) {
        auto* set = static_cast<fiber_set*>(t.data);
        set->owner_ = t.fctx;
        trampoline(set);
    });
}

void fiber_set::trampoline(void* p) {
    auto* set = static_cast<fiber_set*>(p);
#if defined(KITTENS_ASAN)
    __sanitizer_finish_switch_fiber(nullptr, &set->owner_stack_, &set->owner_stack_bytes_);
#endif
    slot& s = set->slots_[static_cast<std::size_t>(set->running_)];
    s.body(s.argument);
    set->slots_[static_cast<std::size_t>(set->running_)].ended = true;
    set->switch_to_owner(true);
    __builtin_unreachable();
}

bool fiber_set::resume(int i) {
    running_ = i;
    slot& s = slots_[static_cast<std::size_t>(i)];
#if defined(KITTENS_ASAN)
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, s.stack, stack_bytes);
#endif
#if defined(KITTENS_TSAN)
    owner_sanitizer_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(s.sanitizer, 0);
#endif
    const ctx::transfer_t t = ctx::jump_fcontext(s.context, this);
    s.context = t.fctx;
#if defined(KITTENS_ASAN)
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
    return !s.ended;
}

void fiber_set::yield() { switch_to_owner(false); }

void fiber_set::switch_to_owner([[maybe_unused]] bool last) {
#if defined(KITTENS_ASAN)
    slot& s = slots_[static_cast<std::size_t>(running_)];
    __sanitizer_start_switch_fiber(last ? nullptr : &s.sanitizer, owner_stack_, owner_stack_bytes_);
#endif
#if defined(KITTENS_TSAN)
    __tsan_switch_to_fiber(owner_sanitizer_, 0);
#endif
    const ctx::transfer_t t = ctx::jump_fcontext(owner_, nullptr);
    owner_ = t.fctx;
#if defined(KITTENS_ASAN)
    __sanitizer_finish_switch_fiber(slots_[static_cast<std::size_t>(running_)].sanitizer, &owner_stack_,
                                    &owner_stack_bytes_);
#endif
}

}  // namespace kittens::emulated
