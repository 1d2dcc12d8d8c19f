// SPDX-License-Identifier: Apache-2.0
// Executes workgroups of the cpu target on one thread.
//
// Kernel code runs on fibers with stacks of their own. A fiber takes subgroup after subgroup, and workgroup after
// workgroup, in one loop: a kernel without barriers costs one switch per launch. A subgroup that has to wait at a
// barrier leaves its fiber asleep, and another fiber goes on with the loop.
#pragma once

#include "host_command.hpp"

#include <kittens/base/host_context.hpp>
#include <kittens/base/launch.hpp>

#include <boost/context/fiber.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kittens::detail {

/// What a worker needs to know of a launch.
struct kernel_job {
    host_command& command;
    const kernel_record& kernel;
    const launch_shape& shape;
    const void* args;
    std::uint64_t epoch;
};

class host_worker {
public:
    /// The calling thread's own, made on first use.
    static host_worker& of_this_thread();

    host_worker();
    ~host_worker();
    host_worker(const host_worker&) = delete;
    host_worker& operator=(const host_worker&) = delete;

    /// Claims workgroups of `job` and runs them until there are none; returns how many were claimed. What kernels
    /// throw goes to job.command.fail.
    std::uint64_t run(const kernel_job& job);

    /// Whether this thread is inside a kernel.
    bool in_kernel() const noexcept { return job_ != nullptr; }

private:
    struct fiber_slot {
        boost::context::fiber handle;
        void* fake_stack = nullptr;  // AddressSanitizer's
        const void* bottom = nullptr;
        std::size_t bytes = 0;
    };
    struct subgroup_state {
        host_context context;
        fiber_slot* fiber = nullptr;
        std::uint64_t phase = 0;  ///< arrivals so far
        bool arrived = false;     ///< has arrived and not yet waited
    };

    static void barrier_entry(host_context& context);
    static void arrive_entry(host_context& context);
    static void wait_entry(host_context& context);
    static void named_entry(host_context& context, int id, int first, int count);

    void drive();
    bool begin_workgroup();
    void run_subgroup(int index);
    void arrive(subgroup_state& self);
    void wait(subgroup_state& self);
    void wait_named(subgroup_state& self, int id, int first, int count);
    /// Leaves the fiber of a subgroup that has been put among those that wait; returns when it may go on.
    void sleep();
    void fail(const std::string& what);
    void abort_workgroup() noexcept;
    std::string missing_barrier_text() const;
    subgroup_state* next_ready();

    fiber_slot& spare_fiber();
    void switch_to(fiber_slot& to);
    void adopt(boost::context::fiber&& left);
    void before_switch(fiber_slot& to, bool ends);
    void after_switch();

    const kernel_job* job_ = nullptr;
    std::uint64_t claimed_ = 0, next_ = 0, end_ = 0;
    int group_[3] = {0, 0, 0};

    // The current workgroup.
    std::vector<std::unique_ptr<subgroup_state>> subgroups_;
    int count_ = 0, started_ = 0, ended_ = 0, arrivals_ = 0;
    std::uint64_t phase_ = 0;  ///< barriers completed
    bool aborting_ = false;
    std::vector<subgroup_state*> waiting_;  ///< a ring: waiting_count_ from waiting_head_ on
    std::size_t waiting_head_ = 0, waiting_count_ = 0;
    struct named_barrier {
        int first = 0, count = 0;              ///< count 0: not used yet
        std::vector<subgroup_state*> waiting;  ///< all but the last that arrives
    };
    std::array<named_barrier, max_named_barriers> named_;
    bool named_used_ = false;              ///< in this workgroup
    std::vector<subgroup_state*> released_;  ///< from named barriers that are complete

    std::vector<std::unique_ptr<fiber_slot>> fibers_;
    std::vector<fiber_slot*> spare_;
    fiber_slot thread_;
    fiber_slot* current_ = &thread_;
    fiber_slot* previous_ = nullptr;
    bool stopping_ = false;

    worker_scratch scratch_;
    std::byte* slm_ = nullptr;
    std::size_t slm_capacity_ = 0;
};

}  // namespace kittens::detail
