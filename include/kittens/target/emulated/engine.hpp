// SPDX-License-Identifier: Apache-2.0
//
// The emulator: runs a kernel of target `emulated`, every lane as a fiber, with the instructions answered by the model.
// A workgroup runs on the calling thread; the runtime drives several workgroups from several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <kittens/model/block_shape.hpp>
#include <kittens/target/emulated/report.hpp>

namespace kittens::emulated {

struct options {
    /// Whose block shapes and matrix kinds exist. `any` accepts the union over devices.
    model::device device = model::device::any;
    /// Lanes of a subgroup; anything but 16 makes matrix and 2-D block instructions a fault.
    int subgroup_size = 16;
    /// Work-items of a workgroup, when that is not subgroups x subgroup_size: the last subgroup is then not full.
    int work_items = 0;
    /// Subgroups run in turn between barriers: 0 in ascending order, otherwise in an order shuffled from this seed.
    std::uint64_t schedule_seed = 0;
    /// SLM that a workgroup may have, bytes.
    std::size_t slm_capacity = 128 * 1024;
    /// Global accesses must lie in a registered allocation.
    bool check_allocations = true;
    /// Report prefetches that are redundant, unused or of the wrong block.
    bool check_prefetch = true;
    /// A prefetch is redundant when the line was touched within this many bytes of traffic (the L1 of an Xe core).
    std::size_t cache_bytes = 512 * 1024;
    /// Polls of an atomic by one lane, with no other lane of the workgroup advancing, before no_progress is reported.
    std::uint64_t poll_limit = 1U << 22;
};

/// One launch of a kernel.
struct launch {
    std::string kernel;
    int groups[3] = {1, 1, 1};
    int subgroups = 1;
    std::size_t slm_bytes = 0;
    const void* args = nullptr;
    /// Called once per lane, on the lane's fiber. `context` is the workgroup's SLM (slm_bytes bytes, 64-byte aligned), or
    /// nullptr without SLM.
    void (*entry)(const void* args, void* context) = nullptr;
    emulated::options options{};
};

/// Runs workgroups [first, last) of the launch, counted with dimension 0 fastest, on this thread. May be called for disjoint
/// ranges from several threads; the reports are then merged. A fault does not throw: it is in the report, and the
/// workgroup goes on where the model can (bad surfaces read zero), or is given up (divergence, barriers).
/// Throws std::invalid_argument for a launch that makes no sense (no entry, no lanes, SLM beyond slm_capacity).
launch_report run(const launch& l, long first, long last);
/// All workgroups.
launch_report run(const launch& l);

/// Makes [p, p + bytes) known as an allocation that kernels may access. Thread-safe. `name` appears in messages.
void register_allocation(const void* p, std::size_t bytes, std::string name = {});
/// Forgets the allocation that starts at p.
void unregister_allocation(const void* p);

/// register_allocation for a scope.
class scoped_allocation {
public:
    scoped_allocation(const void* p, std::size_t bytes, std::string name = {}) : p_(p) {
        register_allocation(p, bytes, static_cast<std::string&&>(name));
    }
    ~scoped_allocation() { unregister_allocation(p_); }
    scoped_allocation(const scoped_allocation&) = delete;
    scoped_allocation& operator=(const scoped_allocation&) = delete;

private:
    const void* p_;
};

}  // namespace kittens::emulated
