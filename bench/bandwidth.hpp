// SPDX-License-Identifier: Apache-2.0
// What the machine's memory gives: plain loops over the memory of a problem, which take part in the rounds like a peer.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace kittens::bench {

/// A few threads that do a piece of work each, together.
class thread_team;

struct memory_span {
    void* data = nullptr;
    std::size_t bytes = 0;
};

/// Reads all of some memory and writes all of some other with `threads` threads, 64 bytes or 32 at a time; what is
/// written is what was read last. Streaming stores go past the caches, others through them.
class memory_traffic {
public:
    explicit memory_traffic(int threads);
    ~memory_traffic();

    void run(std::span<const memory_span> read, std::span<const memory_span> write, bool streaming);

private:
    std::unique_ptr<thread_team> team_;
};

/// Bytes of the largest cache of the first processor; 32 MiB where the system does not tell.
std::size_t largest_cache();

}  // namespace kittens::bench
