// SPDX-License-Identifier: Apache-2.0
#include "host_worker.hpp"

#include "fiber_stack.hpp"

#include <kittens/runtime/error.hpp>

#include <fmt/format.h>
#include <boost/context/preallocated.hpp>

#include <immintrin.h>
#include <sys/mman.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KITTENS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define KITTENS_ASAN 1
#endif
#if defined(KITTENS_ASAN)
#include <sanitizer/common_interface_defs.h>
#endif

namespace kittens::detail {

namespace {

/// Unwinds a subgroup that waits at a barrier which will never be complete.
struct workgroup_aborted {};

/// A fiber starts with the floating-point modes of whoever made it, perhaps a kernel that flushes subnormals.
constexpr unsigned default_mxcsr = 0x1f80;

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::byte* map_pages(std::size_t bytes) {
    void* p = nullptr;
    if (posix_memalign(&p, bytes >= huge_page ? huge_page : 4096, bytes) != 0)
        throw memory_error(fmt::format("cannot allocate {} of memory for a worker thread", size_text(bytes)),
                           "use fewer threads (KITTENS_NUM_THREADS)");
    if (bytes >= huge_page) madvise(p, bytes, MADV_HUGEPAGE);
    return static_cast<std::byte*>(p);
}

void grow_scratch(worker_scratch& self, std::size_t bytes) {
    if (bytes <= self.bytes) return;
    bytes = (bytes + huge_page - 1) / huge_page * huge_page;
    std::free(self.data);
    self.data = nullptr;
    self.bytes = 0;
    self.data = map_pages(bytes);
    self.bytes = bytes;
}

/// Shared local memory starts undefined on a GPU. Poisoning it costs time, so only debug builds, and those who ask.
bool poison_slm() {
#if defined(NDEBUG)
    static const bool wanted = [] {
        const char* value = std::getenv("KITTENS_POISON_SLM");
        return value && std::string_view(value) == "1";
    }();
    return wanted;
#else
    return true;
#endif
}

}  // namespace

host_worker& host_worker::of_this_thread() {
    thread_local host_worker worker;
    return worker;
}

host_worker::host_worker() { scratch_.grow = grow_scratch; }

host_worker::~host_worker() {
    stopping_ = true;
    while (!spare_.empty()) {
        fiber_slot* last = spare_.back();
        spare_.pop_back();
        switch_to(*last);
    }
    std::free(scratch_.data);
    std::free(slm_);
}

std::uint64_t host_worker::run(const kernel_job& job) {
    job_ = &job;
    claimed_ = next_ = end_ = 0;
    count_ = started_ = ended_ = 0;
    const std::size_t slm = job.shape.slm_bytes;
    try {
        if (slm > slm_capacity_) {
            std::free(slm_);
            slm_ = nullptr;
            slm_capacity_ = 0;
            slm_ = map_pages(slm);
            slm_capacity_ = slm;
        }
        while (subgroups_.size() < static_cast<std::size_t>(job.shape.subgroups)) {
            auto s = std::make_unique<subgroup_state>();
            s->context.barrier = barrier_entry;
            s->context.arrive = arrive_entry;
            s->context.wait = wait_entry;
            s->context.named = named_entry;
            s->context.backend = this;
            subgroups_.push_back(std::move(s));
        }
        waiting_.resize(subgroups_.size());
        for (int i = 0; i < job.shape.subgroups; ++i) {
            auto& s = subgroups_[static_cast<std::size_t>(i)];
            std::copy_n(job.shape.groups, 3, s->context.groups);
            s->context.subgroups = job.shape.subgroups;
            s->context.slm = slm ? slm_ : nullptr;
            s->context.slm_bytes = slm;
            s->context.scratch = &scratch_;
        }
        if (scratch_.epoch != job.epoch) {
            scratch_.epoch = job.epoch;
            std::memset(scratch_.words, 0, sizeof scratch_.words);
        }
        switch_to(spare_fiber());
    } catch (...) {
        job.command.fail(std::current_exception());
    }
    job_ = nullptr;
    return claimed_;
}

/// The loop of every fiber. All of them share one state, so any of them can go on where another stopped.
void host_worker::drive() {
    while (!stopping_) {
        if (started_ < count_) {
            run_subgroup(started_++);
        } else if (subgroup_state* ready = next_ready()) {
            spare_.push_back(current_);
            switch_to(*ready->fiber);
        } else if (ended_ < count_) {
            fail(missing_barrier_text());
            abort_workgroup();
        } else if (!begin_workgroup()) {
            spare_.push_back(current_);
            switch_to(thread_);
        }
    }
}

bool host_worker::begin_workgroup() {
    if (next_ == end_) {
        if (!job_->command.claim(next_, end_)) {
            next_ = end_ = 0;
            return false;
        }
        claimed_ += end_ - next_;
    }
    const launch_shape& shape = job_->shape;
    const std::uint64_t linear = next_++;
    const std::uint64_t row = linear / static_cast<std::uint64_t>(shape.groups[0]);
    group_[0] = static_cast<int>(linear % static_cast<std::uint64_t>(shape.groups[0]));
    group_[1] = static_cast<int>(row % static_cast<std::uint64_t>(shape.groups[1]));
    group_[2] = static_cast<int>(row / static_cast<std::uint64_t>(shape.groups[1]));
    count_ = started_ = ended_ = arrivals_ = 0;
    phase_ = 0;
    aborting_ = false;
    waiting_head_ = waiting_count_ = 0;
    if (named_used_) {
        for (named_barrier& b : named_) b.count = 0, b.waiting.clear();
        released_.clear();
        named_used_ = false;
    }
    // Another thread's workgroup failed: what was claimed here counts as done.
    if (job_->command.failed()) return true;
    count_ = shape.subgroups;
    if (shape.slm_bytes && poison_slm()) std::memset(slm_, 0xff, shape.slm_bytes);
    return true;
}

void host_worker::run_subgroup(int index) {
    subgroup_state& self = *subgroups_[static_cast<std::size_t>(index)];
    std::copy_n(group_, 3, self.context.group);
    self.context.subgroup = index;
    self.fiber = current_;
    self.phase = 0;
    self.arrived = false;
    _mm_setcsr(default_mxcsr);
    try {
        job_->kernel.entry(job_->args, &self.context);
        if (self.arrived && !aborting_) {
            fail(fmt::format("subgroup {} ended between arrive and wait of a split barrier", index));
            abort_workgroup();
        }
    } catch (const workgroup_aborted&) {
        // Whoever aborted has said why.
    } catch (const std::exception& e) {
        fail(e.what());
        abort_workgroup();
    } catch (...) {
        fail("the kernel threw something that is no std::exception");
        abort_workgroup();
    }
    ++ended_;
}

void host_worker::fail(const std::string& what) {
    job_->command.fail(std::make_exception_ptr(
        kernel_error(job_->kernel.name, job_->kernel.target, {group_[0], group_[1], group_[2]}, what)));
}

/// Subgroups that wait are unwound, those that have not started never do.
void host_worker::abort_workgroup() noexcept {
    aborting_ = true;
    count_ = started_;
}

std::string host_worker::missing_barrier_text() const {
    for (std::size_t id = 0; named_used_ && id < named_.size(); ++id) {
        const named_barrier& b = named_[id];
        if (b.waiting.empty()) continue;
        const int last = b.first + b.count - 1;
        if (last >= count_)
            return fmt::format("named barrier {} is that of subgroups {} to {}, but the workgroup has {} subgroups", id, b.first, last, count_);
        return fmt::format("named barrier {} not reached by all of subgroups {} to {}: {} of {} wait (subgroup {}{})", id, b.first, last,
                           b.waiting.size(), b.count, b.waiting.front()->context.subgroup, b.waiting.size() > 1 ? ", ..." : "");
    }
    std::string who;
    for (std::size_t i = 0; i < std::min<std::size_t>(waiting_count_, 4); ++i)
        who += fmt::format("{}{}", i ? ", " : "", waiting_[(waiting_head_ + i) % waiting_.size()]->context.subgroup);
    if (waiting_count_ > 4) who += ", ...";
    return fmt::format("barrier not reached by all subgroups: {} of {} wait (subgroup {}), the others have ended",
                       waiting_count_, count_, who);
}

/// The subgroup that has waited longest goes first; later ones cannot be ready before it.
host_worker::subgroup_state* host_worker::next_ready() {
    if (aborting_ && named_used_)
        for (named_barrier& b : named_) {
            released_.insert(released_.end(), b.waiting.begin(), b.waiting.end());
            b.waiting.clear();
        }
    if (!released_.empty()) {
        subgroup_state* one = released_.back();
        released_.pop_back();
        return one;
    }
    if (waiting_count_ == 0) return nullptr;
    subgroup_state* first = waiting_[waiting_head_];
    if (first->phase > phase_ && !aborting_) return nullptr;
    waiting_head_ = (waiting_head_ + 1) % waiting_.size();
    --waiting_count_;
    return first;
}

void host_worker::arrive(subgroup_state& self) {
    if (aborting_) throw workgroup_aborted{};
    if (self.arrived) throw error("a barrier was reached between arrive and wait of a split barrier");
    self.arrived = true;
    ++self.phase;
    if (++arrivals_ == count_) {
        arrivals_ = 0;
        ++phase_;
    }
}

void host_worker::wait(subgroup_state& self) {
    if (aborting_) throw workgroup_aborted{};
    if (!self.arrived) throw error("wait of a split barrier without arrive");
    self.arrived = false;
    if (self.phase > phase_) {
        waiting_[(waiting_head_ + waiting_count_++) % waiting_.size()] = &self;
        sleep();
    }
}

void host_worker::sleep() {
    fiber_slot* const own = current_;
    if (started_ < count_) {
        switch_to(spare_fiber());
    } else {
        subgroup_state* ready = next_ready();
        if (!ready) {
            fail(missing_barrier_text());
            abort_workgroup();
            ready = next_ready();  // there is one: the caller itself waits
        }
        if (ready->fiber != own) switch_to(*ready->fiber);
    }
    if (aborting_) throw workgroup_aborted{};
}

void host_worker::wait_named(subgroup_state& self, int id, int first, int count) {
    if (aborting_) throw workgroup_aborted{};
    const int own = self.context.subgroup;
    if (id < 0 || id >= max_named_barriers) throw error(fmt::format("there is no named barrier {}; the numbers are 0 to {}", id, max_named_barriers - 1));
    named_barrier& b = named_[static_cast<std::size_t>(id)];
    named_used_ = true;
    if (b.count == 0) b.first = first, b.count = count;
    if (b.first != first || b.count != count)
        throw error(fmt::format("named barrier {} is that of subgroups {} to {}, and used for {} to {} as well: each set of subgroups needs a number of its own",
                                id, b.first, b.first + b.count - 1, first, first + count - 1));
    if (own < first || own >= first + count)
        throw error(fmt::format("named barrier {} is that of subgroups {} to {}, and subgroup {} waits at it", id, first, first + count - 1, own));
    if (static_cast<int>(b.waiting.size()) + 1 == count) {
        released_.insert(released_.end(), b.waiting.begin(), b.waiting.end());
        b.waiting.clear();
        return;
    }
    b.waiting.push_back(&self);
    sleep();
}

void host_worker::barrier_entry(host_context& context) {
    auto& worker = *static_cast<host_worker*>(context.backend);
    auto& self = *worker.subgroups_[static_cast<std::size_t>(context.subgroup)];
    worker.arrive(self);
    worker.wait(self);
}

void host_worker::arrive_entry(host_context& context) {
    auto& worker = *static_cast<host_worker*>(context.backend);
    worker.arrive(*worker.subgroups_[static_cast<std::size_t>(context.subgroup)]);
}

void host_worker::wait_entry(host_context& context) {
    auto& worker = *static_cast<host_worker*>(context.backend);
    worker.wait(*worker.subgroups_[static_cast<std::size_t>(context.subgroup)]);
}

void host_worker::named_entry(host_context& context, int id, int first, int count) {
    auto& worker = *static_cast<host_worker*>(context.backend);
    worker.wait_named(*worker.subgroups_[static_cast<std::size_t>(context.subgroup)], id, first, count);
}

host_worker::fiber_slot& host_worker::spare_fiber() {
    if (!spare_.empty()) {
        fiber_slot& slot = *spare_.back();
        spare_.pop_back();
        return slot;
    }
    auto slot = std::make_unique<fiber_slot>();
    fiber_stack_allocator allocator(fibers_.size());
    const boost::context::stack_context stack = allocator.allocate();
    slot->bottom = static_cast<const char*>(stack.sp) - stack.size;
    slot->bytes = stack.size;
    slot->handle = boost::context::fiber(std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack),
                                         allocator, [this](boost::context::fiber&& left) {
                                             after_switch();
                                             adopt(std::move(left));
                                             drive();
                                             before_switch(thread_, true);
                                             return std::move(thread_.handle);
                                         });
    fibers_.push_back(std::move(slot));
    return *fibers_.back();
}

/// Keeps the handle of the fiber that has just been left.
void host_worker::adopt(boost::context::fiber&& left) { previous_->handle = std::move(left); }

void host_worker::switch_to(fiber_slot& to) {
    before_switch(to, false);
    boost::context::fiber left = std::move(to.handle).resume();
    after_switch();
    adopt(std::move(left));
}

void host_worker::before_switch(fiber_slot& to, [[maybe_unused]] bool ends) {
    previous_ = current_;
    current_ = &to;
#if defined(KITTENS_ASAN)
    __sanitizer_start_switch_fiber(ends ? nullptr : &previous_->fake_stack, to.bottom, to.bytes);
#endif
}

void host_worker::after_switch() {
#if defined(KITTENS_ASAN)
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(current_->fake_stack, &bottom, &bytes);
    if (previous_ == &thread_) {
        thread_.bottom = bottom;
        thread_.bytes = bytes;
    }
#endif
}

}  // namespace kittens::detail
