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

}  // namespace kittens::inline KITTENS_NS
#endif
