// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kittens/runtime/cpu_isa.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace kittens::tool {

/// Calls body(i) for i in [0, count) from all processors this process may use. The first exception is thrown here.
template <class Body>
void parallel_for(std::int64_t count, const Body& body) {
    std::atomic<std::int64_t> next{0};
    std::exception_ptr error;
    std::mutex error_mutex;
    const auto work = [&] {
        try {
            for (std::int64_t i = next++; i < count; i = next++) body(i);
        } catch (...) {
            next = count;
            const std::lock_guard lock(error_mutex);
            if (!error) error = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    for (std::int64_t t = 1; t < std::min<std::int64_t>(host_threads(), count); ++t) others.emplace_back(work);
    work();
    for (auto& thread : others) thread.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace kittens::tool
