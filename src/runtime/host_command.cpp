// SPDX-License-Identifier: Apache-2.0
#include "host_command.hpp"

#include "host_worker.hpp"

#include <kittens/runtime/cpu_isa.hpp>

#include <pthread.h>
#include <algorithm>

namespace kittens::detail {

namespace {

using clock = std::chrono::steady_clock;

/// The share that this thread claims from first: always the same, so that the next launch of a kernel finds in this
/// processor's caches what the last one left there. 0 for threads outside the pool.
thread_local int own_share = 0;

/// Spins until `ready()`, at most for idle_spin.
template <class Ready> bool spin_until(Ready ready) {
    const auto deadline = clock::now() + idle_spin;
    do {
        for (int i = 0; i < 64; ++i) {
            if (ready()) return true;
            cpu_relax();
        }
    } while (clock::now() < deadline);
    return false;
}

}  // namespace

host_command::host_command(std::shared_ptr<host_core> core, std::uint64_t pieces, bool caller_waits)
    : core_(std::move(core)),
      pieces_(pieces),
      // Several pieces at a time where there are very many, so that the counter is not what they wait for.
      chunk_(std::clamp<std::uint64_t>(pieces / (std::uint64_t(host_pool::instance().threads()) * 32), 1, 64)),
      max_participants_(static_cast<int>(
          std::min<std::uint64_t>(pieces, static_cast<std::uint64_t>(host_pool::instance().threads())))),
      caller_waits_(caller_waits),
      shares_(std::make_unique<share[]>(static_cast<std::size_t>(max_participants_))) {
    const auto n = static_cast<std::uint64_t>(max_participants_);
    for (std::uint64_t i = 0; i < n; ++i) {
        shares_[i].next.store(pieces * i / n, std::memory_order_relaxed);
        shares_[i].end = pieces * (i + 1) / n;
    }
}

bool host_command::join() {
    int n = participants_.load(std::memory_order_relaxed);
    do {
        if (n >= max_participants_ || !unclaimed()) return false;
    } while (!participants_.compare_exchange_weak(n, n + 1, std::memory_order_acq_rel));
    return true;
}

bool host_command::unclaimed() const {
    for (int i = 0; i < max_participants_; ++i)
        if (shares_[static_cast<std::size_t>(i)].next.load(std::memory_order_relaxed) < shares_[static_cast<std::size_t>(i)].end) return true;
    return false;
}

void host_command::participate(host_worker& worker) {
    const std::uint64_t count = execute(worker);
    participants_.fetch_sub(1, std::memory_order_relaxed);
    complete_pieces(count);
}

bool host_command::claim(std::uint64_t& first, std::uint64_t& last) {
    for (int i = 0; i < max_participants_; ++i) {
        share& s = shares_[static_cast<std::size_t>((own_share + i) % max_participants_)];
        if (s.next.load(std::memory_order_relaxed) >= s.end) continue;
        first = s.next.fetch_add(chunk_, std::memory_order_relaxed);
        if (first >= s.end) continue;
        last = std::min(first + chunk_, s.end);
        return true;
    }
    return false;
}

void host_command::fail(std::exception_ptr error) {
    {
        const std::lock_guard guard(error_lock_);
        if (!error_) error_ = std::move(error);
    }
    failed_.store(true, std::memory_order_release);
    std::uint64_t given_up = 0;
    for (int i = 0; i < max_participants_; ++i) {
        share& s = shares_[static_cast<std::size_t>(i)];
        const std::uint64_t next = s.next.exchange(s.end, std::memory_order_relaxed);
        if (next < s.end) given_up += s.end - next;
    }
    // The caller has claimed pieces that it has not reported yet, so this cannot be what completes the command.
    if (given_up) finished_.fetch_add(given_up, std::memory_order_acq_rel);
}

void host_command::complete_pieces(std::uint64_t count) {
    if (count && finished_.fetch_add(count, std::memory_order_acq_rel) + count == pieces_) core_->complete(*this);
}

void host_command::wait() {
    if (!done()) core_->help_until(*this);
    if (!failed()) return;
    core_->deliver(error_);
    std::rethrow_exception(error_);
}

std::optional<double> host_command::seconds() const {
    if (!done()) return std::nullopt;
    return std::chrono::duration<double>(ended_ - started_).count();
}

command_ptr host_core::front() {
    const std::lock_guard guard(lock_);
    return pending_.empty() ? nullptr : pending_.front();
}

void host_core::submit(command_ptr command) {
    {
        const std::lock_guard guard(lock_);
        pending_.push_back(std::move(command));
        if (pending_.size() == 1) activate_front();
    }
    progress_.fetch_add(1);
    progress_.notify_all();
}

/// Starts the first command; those that stand behind a failed one end at once. The lock is held.
void host_core::activate_front() {
    while (!pending_.empty()) {
        host_command& command = *pending_.front();
        command.started_ = command.ended_ = clock::now();
        if (!failure_) {
            // A single piece that its caller is about to execute needs nobody else.
            const bool alone = command.caller_waits() && command.pieces() == 1;
            if (!alone && !host_pool::instance().publish(pending_.front()) && !command.caller_waits()) call_driver();
            return;
        }
        command.error_ = failure_;
        command.failed_.store(true, std::memory_order_relaxed);
        command.done_.store(true, std::memory_order_release);
        pending_.pop_front();
    }
}

void host_core::complete(host_command& command) {
    const command_ptr alive = command.shared_from_this();
    host_pool::instance().retire(command);
    command.ended_ = clock::now();
    try {
        command.finish();
    } catch (...) {
        command.fail(std::current_exception());
    }
    {
        const std::lock_guard guard(lock_);
        if (command.failed()) failure_ = command.error_;
        command.done_.store(true, std::memory_order_release);
        pending_.pop_front();
        activate_front();
    }
    progress_.fetch_add(1);
    progress_.notify_all();
}

void host_core::help_until(const host_command& command) {
    host_worker& worker = host_worker::of_this_thread();
    if (worker.in_kernel())
        throw launch_error("wait was called inside a kernel", "wait for events and queues on the host only");
    while (!command.done()) {
        const int seen = progress_.load();
        if (const command_ptr active = front(); active && active->join()) {
            active->participate(worker);
            continue;
        }
        if (spin_until([&] { return command.done() || progress_.load(std::memory_order_relaxed) != seen; })) continue;
        progress_.wait(seen);
    }
}

void host_core::wait_all() {
    command_ptr last;
    {
        const std::lock_guard guard(lock_);
        if (!pending_.empty()) last = pending_.back();
    }
    if (last) help_until(*last);
}

void host_core::deliver(const std::exception_ptr& error) {
    const std::lock_guard guard(lock_);
    if (failure_ == error) failure_ = nullptr;
}

std::exception_ptr host_core::take_failure() {
    const std::lock_guard guard(lock_);
    return std::exchange(failure_, nullptr);
}

/// The lock is held.
void host_core::call_driver() {
    if (!driver_.joinable()) driver_ = std::thread([this] { drive(); });
    driver_calls_.fetch_add(1);
    driver_calls_.notify_one();
}

void host_core::drive() {
    pthread_setname_np(pthread_self(), "kittens-queue");
    host_worker& worker = host_worker::of_this_thread();
    for (int seen = 0; !stopping_.load();) {
        driver_calls_.wait(seen);
        seen = driver_calls_.load();
        if (const command_ptr active = front(); active && active->join()) active->participate(worker);
    }
}

void host_core::stop() {
    if (!driver_.joinable()) return;
    stopping_.store(true);
    driver_calls_.fetch_add(1);
    driver_calls_.notify_one();
    driver_.join();
}

host_pool& host_pool::instance() {
    // Never destroyed: its threads sleep until the process ends, whatever static destructors still do.
    static host_pool& pool = *new host_pool;
    return pool;
}

host_pool::host_pool() : threads_(host_threads()) {
    for (int i = 1; i < threads_; ++i) std::thread([this, i] { work(i); }).detach();
}

bool host_pool::publish(const command_ptr& command) {
    bool sure = false;
    {
        const std::lock_guard guard(lock_);
        const auto unserved =
            std::count_if(active_.begin(), active_.end(), [](const command_ptr& c) { return c->participants() == 0; });
        sure = threads_ - 1 - busy_ > unserved;
        active_.push_back(command);
    }
    generation_.fetch_add(1);
    if (const int asleep = sleeping_.load()) {
        const std::uint64_t useful = command->pieces() - (command->caller_waits() ? 1 : 0);
        if (useful >= static_cast<std::uint64_t>(asleep)) {
            generation_.notify_all();
        } else {
            for (std::uint64_t i = 0; i < useful; ++i) generation_.notify_one();
        }
    }
    return sure;
}

void host_pool::retire(const host_command& command) {
    const std::lock_guard guard(lock_);
    std::erase_if(active_, [&](const command_ptr& c) { return c.get() == &command; });
}

/// The command with the fewest participants first: it may have none but this thread.
command_ptr host_pool::take() {
    const std::lock_guard guard(lock_);
    host_command* best = nullptr;
    for (const command_ptr& c : active_)
        if (!best || c->participants() < best->participants()) best = c.get();
    if (best && best->join()) return ++busy_, best->shared_from_this();
    for (const command_ptr& c : active_)
        if (c->join()) return ++busy_, c;
    return nullptr;
}

void host_pool::work(int index) {
    own_share = index;
    pthread_setname_np(pthread_self(), "kittens-worker");
    host_worker& worker = host_worker::of_this_thread();
    for (;;) {
        const int seen = generation_.load();
        if (command_ptr command = take()) {
            command->participate(worker);
            const std::lock_guard guard(lock_);
            --busy_;
            continue;
        }
        if (spin_until([&] { return generation_.load(std::memory_order_relaxed) != seen; })) continue;
        sleeping_.fetch_add(1);
        generation_.wait(seen);
        sleeping_.fetch_sub(1);
    }
}

}  // namespace kittens::detail
