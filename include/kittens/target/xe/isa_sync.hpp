// SPDX-License-Identifier: Apache-2.0
//
// kittens::isa, synchronisation and the hooks that give the emulator names. Included by isa.hpp.
#pragma once

// These come first: the other parts of isa.hpp need them.
namespace kittens::isa {

/// Which memory a barrier or fence orders.
enum class memory { none = 0, local = 0x100, global = 0x200, all = 0x300 };
/// Who takes part in an atomic operation or fence.
enum class scope { system = 0, device = 1, workgroup = 2, subgroup = 3 };
/// Ordering of an atomic operation or fence.
enum class order { relaxed = 0, acquire = 2, release = 4, acq_rel = 8 };

}  // namespace kittens::isa

#include <kittens/target/xe/isa.hpp>

namespace kittens::isa {

namespace detail {
constexpr int barrier_semantics(memory m) { return m == memory::none ? 0 : (int)m | 0x10; }
}  // namespace detail

#if KITTENS_ISA_DEVICE

/// Workgroup barrier: all work-items arrive before any continues; orders the named memory. Collective over the workgroup.
template <memory M = memory::local> KITTENS_ISA KITTENS_CONVERGENT void barrier() {
    __spirv_ControlBarrier(2, 2, detail::barrier_semantics(M));
}
/// Subgroup barrier: orders memory between the lanes of one subgroup.
template <memory M = memory::local> KITTENS_ISA KITTENS_CONVERGENT void subgroup_barrier() {
    __spirv_ControlBarrier(3, 3, detail::barrier_semantics(M));
}
/// First half of a split barrier: releases this work-item's writes. Every arrive is followed by one wait.
template <memory M = memory::local> KITTENS_ISA KITTENS_CONVERGENT void split_arrive() {
#if !defined(KITTENS_XE_SOFTWARE)
    __spirv_ControlBarrierArriveINTEL(2, 2, detail::barrier_semantics(M));
#endif
}
/// Second half: returns when all work-items of the workgroup have arrived.
template <memory M = memory::local> KITTENS_ISA KITTENS_CONVERGENT void split_wait() {
#if !defined(KITTENS_XE_SOFTWARE)
    __spirv_ControlBarrierWaitINTEL(2, 2, detail::barrier_semantics(M));
#else
    __spirv_ControlBarrier(2, 2, detail::barrier_semantics(M));
#endif
}
/// Memory fence without waiting.
template <memory M = memory::all, scope S = scope::workgroup, order O = order::acq_rel>
KITTENS_ISA KITTENS_CONVERGENT void fence() {
    __spirv_MemoryBarrier((int)S, (int)M | (int)O);
}

/// A hardware barrier for subgroups [First, First + Count) of the workgroup. Made once, in straight code, by every subgroup: the
/// compiler gives each place that makes one a barrier of its own.
template <int Id, int First, int Count> struct named_barrier {
    KITTENS_ISA named_barrier() : handle(_Z18named_barrier_initi(Count)) {}
    KITTENS_LOCAL __namedBarrier* handle;
};
/// Waits for the barrier's subgroups; orders local and global memory between them. Intel's compiler orders one of the two itself.
template <int Id, int First, int Count> KITTENS_ISA KITTENS_CONVERGENT void wait_named(const named_barrier<Id, First, Count>& b) {
    fence<memory::global>();
    _Z24work_group_named_barrierPU3AS314__namedBarrierj(b.handle, 1);
}

/// Marks one step of the kernel's main loop. Counters are reported per step; costs nothing on a device.
KITTENS_ISA void mark_step() {}
/// Says that `bytes` at `p`, private tile storage, hold no value yet. Costs nothing on a device.
KITTENS_ISA void undefined(void*, int) {}
/// Says that `bytes` at `p` hold values now, whatever their bits.
KITTENS_ISA void defined(const void*, int) {}
/// Reports elements of tile storage that were never written. `elem` is the element size in bytes.
KITTENS_ISA void require_defined(const void*, int, int) {}

/// Names the tile operation that is running, for reports. Tile operations open one; strings must be literals.
struct operation_scope {
    KITTENS_ISA operation_scope(const char*, const char*) {}
    KITTENS_ISA operation_scope(const char*, const char*, int, int, int, int) {}
    operation_scope(const operation_scope&) = delete;
    operation_scope& operator=(const operation_scope&) = delete;
};

#else

template <memory M = memory::local> KITTENS_ISA void barrier(KITTENS_AT_ALONE) {
    emulated::barrier(emulated::barrier_kind::full, 2, detail::barrier_semantics(M), at);
}
template <memory M = memory::local> KITTENS_ISA void subgroup_barrier(KITTENS_AT_ALONE) {
    emulated::barrier(emulated::barrier_kind::full, 3, detail::barrier_semantics(M), at);
}
template <memory M = memory::local> KITTENS_ISA void split_arrive(KITTENS_AT_ALONE) {
    emulated::barrier(emulated::barrier_kind::arrive, 2, detail::barrier_semantics(M), at);
}
template <memory M = memory::local> KITTENS_ISA void split_wait(KITTENS_AT_ALONE) {
    emulated::barrier(emulated::barrier_kind::wait, 2, detail::barrier_semantics(M), at);
}
template <memory M = memory::all, scope S = scope::workgroup, order O = order::acq_rel> KITTENS_ISA void fence() {
    emulated::fence((int)S, (int)M | (int)O);
}
template <int Id, int First, int Count> struct named_barrier {
    KITTENS_ISA named_barrier() { emulated::make_named_barrier(Id, First, Count); }
};
template <int Id, int First, int Count> KITTENS_ISA void wait_named(const named_barrier<Id, First, Count>&, KITTENS_AT_ALONE) {
    emulated::named_barrier(Id, First, Count, detail::barrier_semantics(memory::all), at);
}
KITTENS_ISA void mark_step() { emulated::mark_step(); }
KITTENS_ISA void undefined(void* p, int bytes) { emulated::undefined(p, bytes); }
KITTENS_ISA void defined(const void* p, int bytes) { emulated::defined(p, bytes); }
KITTENS_ISA void require_defined(const void* p, int bytes, int elem) { emulated::require_defined(p, bytes, elem); }
using emulated::operation_scope;

#endif

}  // namespace kittens::isa
