// SPDX-License-Identifier: Apache-2.0
// What the host back end tells a subgroup of the cpu target about its place in the launch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kittens {

/// Barriers of some subgroups that a workgroup may have beside its own: what Intel GPUs have.
inline constexpr int max_named_barriers = 31;

/// Memory that one worker thread keeps between workgroups and launches: the cpu lowering holds packed operand
/// panels in it. `epoch` differs for every launch, so what was packed for an earlier one is not taken for valid.
struct worker_scratch {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::uint64_t epoch = 0;
    /// Makes `data` at least `bytes` long, 64-byte aligned (huge pages where possible); contents are lost.
    void (*grow)(worker_scratch& self, std::size_t bytes) = nullptr;
    /// For the lowering's own bookkeeping: zeroed when `epoch` changes.
    std::uint64_t words[62] = {};
};

/// Passed as the `context` of kernel_entry for the cpu target.
struct host_context {
    int group[3] = {0, 0, 0};
    int groups[3] = {1, 1, 1};
    int subgroup = 0;
    int subgroups = 1;
    std::byte* slm = nullptr;
    std::size_t slm_bytes = 0;
    worker_scratch* scratch = nullptr;
    /// Workgroup barrier: returns when every subgroup of the workgroup has called it.
    void (*barrier)(host_context& self) = nullptr;
    /// Split barrier: `arrive` does not block, `wait` returns when every subgroup has arrived.
    void (*arrive)(host_context& self) = nullptr;
    void (*wait)(host_context& self) = nullptr;
    /// Barrier number `id` (below max_named_barriers) of subgroups [first, first + count): returns when all of them have called it.
    void (*named)(host_context& self, int id, int first, int count) = nullptr;
    /// Private to the back end.
    void* backend = nullptr;
};

}  // namespace kittens
