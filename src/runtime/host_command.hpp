// SPDX-License-Identifier: Apache-2.0
// Commands of host queues and the threads that execute them.
//
// A command is a number of equal pieces (workgroups, blocks of a copy), in one contiguous share for each participant: it
// claims pieces of its own share first, then helps with the others'. Participants are the pool's threads, a thread that
// waits for the command, and the queue's own thread where the pool is busy elsewhere: every active command has at least
// one, so queues make progress side by side whatever their kernels do.
#pragma once

#include "backend.hpp"

#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace kittens::detail {

class host_core;
class host_worker;

class host_command : public event_state, public std::enable_shared_from_this<host_command> {
public:
    host_command(std::shared_ptr<host_core> core, std::uint64_t pieces, bool caller_waits);

    void wait() override;
    bool done() const override { return done_.load(std::memory_order_acquire); }
    std::optional<double> seconds() const override;

    /// Takes a place among the participants; false where there is nothing left to claim, or enough of them.
    bool join();
    /// Claims and executes pieces until none is left. Once per successful join.
    void participate(host_worker& worker);

    /// The next pieces to execute; false where there are none.
    bool claim(std::uint64_t& first, std::uint64_t& last);
    /// Keeps the first error and gives up what nobody has claimed.
    void fail(std::exception_ptr error);
    bool failed() const { return failed_.load(std::memory_order_relaxed); }

    std::uint64_t pieces() const { return pieces_; }
    bool caller_waits() const { return caller_waits_; }
    int participants() const { return participants_.load(std::memory_order_relaxed); }

protected:
    /// Executes pieces claimed with `claim` until there are none and returns how many it claimed.
    virtual std::uint64_t execute(host_worker& worker) = 0;
    /// Runs on one thread, after all pieces and before anyone learns that the command is complete.
    virtual void finish() {}

private:
    friend class host_core;
    bool unclaimed() const;
    void complete_pieces(std::uint64_t count);

    std::shared_ptr<host_core> core_;
    const std::uint64_t pieces_, chunk_;
    const int max_participants_;
    const bool caller_waits_;
    std::chrono::steady_clock::time_point started_{}, ended_{};
    std::mutex error_lock_;
    std::exception_ptr error_;
    std::atomic<bool> failed_{false}, done_{false};
    std::atomic<int> participants_{0};
    // A participant goes through a share of neighbouring pieces, since those use the same data (a packed panel, a head's
    // keys), and helps with the others' shares when its own is empty.
    struct alignas(64) share {
        std::atomic<std::uint64_t> next{0};
        std::uint64_t end = 0;
    };
    const std::unique_ptr<share[]> shares_;
    alignas(64) std::atomic<std::uint64_t> finished_{0};
};

using command_ptr = std::shared_ptr<host_command>;

/// The commands of one queue, in order; the first is active. Outlives its queue while events refer to it.
class host_core : public std::enable_shared_from_this<host_core> {
public:
    void submit(command_ptr command);
    /// Works on the queue's commands, or sleeps, until `command` is complete.
    void help_until(const host_command& command);
    void wait_all();
    /// The error that stops later commands, if no wait has thrown it yet; it then no longer does.
    void deliver(const std::exception_ptr& error);
    std::exception_ptr take_failure();
    void complete(host_command& command);
    /// Ends the queue's own thread. All commands must be complete.
    void stop();

private:
    command_ptr front();
    void activate_front();
    void call_driver();
    void drive();

    std::mutex lock_;
    std::deque<command_ptr> pending_;
    std::exception_ptr failure_;
    std::atomic<int> progress_{0};
    std::atomic<int> driver_calls_{0};
    std::atomic<bool> stopping_{false};
    std::thread driver_;
};

/// The process's worker threads: one less than host_threads(), since the thread that waits works too.
class host_pool {
public:
    static host_pool& instance();

    int threads() const { return threads_; }
    /// Offers a command to the workers. False where none is sure to take it soon.
    bool publish(const command_ptr& command);
    void retire(const host_command& command);

private:
    host_pool();
    /// `index`: 1 for the first of the pool's threads, 0 being the thread that waits.
    void work(int index);
    command_ptr take();

    const int threads_;
    std::mutex lock_;
    std::vector<command_ptr> active_;
    int busy_ = 0;
    std::atomic<int> generation_{0};
    std::atomic<int> sleeping_{0};
};

/// A copy of the caller's globals, which may be gone when the kernel runs.
class argument_block {
public:
    argument_block(const void* args, std::size_t bytes) : data_(operator new(bytes ? bytes : 1, alignment)) {
        if (bytes) std::memcpy(data_, args, bytes);
    }
    ~argument_block() { operator delete(data_, alignment); }
    argument_block(const argument_block&) = delete;
    argument_block& operator=(const argument_block&) = delete;
    const void* data() const { return data_; }

private:
    static constexpr std::align_val_t alignment{64};
    void* data_;
};

inline std::uint64_t workgroups_of(const launch_shape& shape) {
    std::uint64_t n = 1;
    for (const int g : shape.groups) n *= static_cast<std::uint64_t>(g);
    return n;
}

/// How long an idle thread looks for work before it sleeps: long enough to cover the gap between launches of a loop.
inline constexpr std::chrono::microseconds idle_spin{100};

inline void cpu_relax() { __builtin_ia32_pause(); }

}  // namespace kittens::detail
