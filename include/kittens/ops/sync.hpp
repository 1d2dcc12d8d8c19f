// SPDX-License-Identifier: Apache-2.0
// The subgroup that runs a kernel, its place in the launch, and barriers.
#pragma once

#include <kittens/base/target.hpp>

#if defined(KITTENS_TARGET_CPU)
#include <kittens/target/cpu/subgroup.hpp>
#elif KITTENS_XE_LOWERING
#include <kittens/target/xe/subgroup.hpp>
#else
namespace kittens::inline KITTENS_NS {
/// Named by kernels' signatures; exists only where a target runs them.
class subgroup;
}  // namespace kittens::inline KITTENS_NS
#endif

#if KITTENS_HAS_TILE_OPS
namespace kittens::inline KITTENS_NS {

/// Workgroup barrier: returns when every subgroup of the workgroup has called it; SLM and global memory written
/// before are visible after.
KITTENS_INLINE void sync(const subgroup& sg) { sg.barrier(); }

/// Split barrier: `arrive` announces, `wait` returns when all subgroups have arrived. Between the two a subgroup may
/// do work that needs nothing from the others.
KITTENS_INLINE void arrive(const subgroup& sg) { sg.barrier_arrive(); }
KITTENS_INLINE void wait(const subgroup& sg) { sg.barrier_wait(); }

/// A barrier of subgroups [First, First + Count) of the workgroup, number Id of 31; the others go on meanwhile. Every subgroup
/// makes it, once, at the start of the kernel: `const named_barrier<0, 0, 4> producers(sg);`.
template <int Id, int First, int Count>
class named_barrier {
    static_assert(Id >= 0 && Id <= 30, "named_barrier: the number (first parameter) must be from 0 to 30");
    static_assert(First >= 0 && Count >= 1 && First + Count <= 64, "named_barrier: the subgroups, from the first (second parameter) on as many as the third says, must be one or more of subgroups 0 to 63");

  public:
    explicit KITTENS_INLINE named_barrier(const subgroup& sg) : sg_(sg) {}
    named_barrier(const named_barrier&) = delete;

    KITTENS_INLINE void wait() const { sg_.barrier_named(handle_); }

  private:
    const subgroup& sg_;
    subgroup::named_barrier_handle<Id, First, Count> handle_;
};

/// Barrier of some subgroups: returns when all that it is made for have called it; what they wrote before to SLM and global
/// memory is visible to them after. A subgroup that it is not made for must not call it.
template <int Id, int First, int Count> KITTENS_INLINE void sync(const named_barrier<Id, First, Count>& b) { b.wait(); }

namespace lower {
/// Barriers of groups [I, End) of N subgroups.
template <int N, int I, int End, int FirstId> struct barrier_list {
    explicit KITTENS_INLINE barrier_list(const subgroup& sg) : own(sg), next(sg) {}
    KITTENS_INLINE void wait(int group) const {
        if (group == I) own.wait();
        else next.wait(group);
    }
    named_barrier<FirstId + I, I * N, N> own;
    barrier_list<N, I + 1, End, FirstId> next;
};
template <int N, int End, int FirstId> struct barrier_list<N, End, End, FirstId> {
    explicit KITTENS_INLINE barrier_list(const subgroup&) {}
    KITTENS_INLINE void wait(int) const {}
};
}  // namespace lower

/// A named barrier for each of the first Groups groups of N neighbouring subgroups, numbers FirstId and following; made as one,
/// waited at by `group<N>::sync`.
template <int N, int Groups, int FirstId = 0>
class group_barriers {
    static_assert(N >= 1 && Groups >= 1 && N * Groups <= 64, "group_barriers: groups (second parameter) of so many subgroups each (first parameter) must be one or more, and at most 64 subgroups together");
    static_assert(FirstId >= 0 && FirstId + Groups <= 31, "group_barriers: the numbers, from the first (third parameter) on, must be from 0 to 30");

  public:
    static constexpr int subgroups = N, groups = Groups;
    explicit KITTENS_INLINE group_barriers(const subgroup& sg) : all_(sg) {}
    group_barriers(const group_barriers&) = delete;

    KITTENS_INLINE void wait(int group) const { all_.wait(group); }

  private:
    lower::barrier_list<N, 0, Groups, FirstId> all_;
};

}  // namespace kittens::inline KITTENS_NS
#endif
