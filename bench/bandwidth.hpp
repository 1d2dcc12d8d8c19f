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

/// In which order, and with which stores.
enum class traffic_way {
    through_caches,  ///< one stream of reads and one of writes in a thread, by blocks of 4 KiB
    past_caches,     ///< the same with streaming stores
    many_streams,    ///< several streams, line by line, since prefetchers stop at the pages of each: eight of reads alone, with requests ahead, or four of both with streaming stores
};

/// Reads all of some memory and writes all of some other with `threads` threads, 64 bytes or 32 at a time; what is
/// written is what was read last.
class memory_traffic {
public:
    explicit memory_traffic(int threads);
    ~memory_traffic();

    void run(std::span<const memory_span> read, std::span<const memory_span> write, traffic_way way);

private:
    std::unique_ptr<thread_team> team_;
};

/// Bytes of the largest cache of the first processor; 32 MiB where the system does not tell.
std::size_t largest_cache();

}  // namespace kittens::bench
