// SPDX-License-Identifier: Apache-2.0
// The subgroup of the xe target: 16 lanes that run a kernel together.
#pragma once

#include <kittens/base/target.hpp>
#include <kittens/target/xe/isa.hpp>
#include <kittens/target/xe/mutants.hpp>

namespace kittens::inline KITTENS_NS {

/// Handle of the calling subgroup. All members but `lane` are uniform in the subgroup.
class subgroup {
  public:
    constexpr subgroup() = default;
    constexpr explicit subgroup(KITTENS_LOCAL char* slm) : slm_(slm) {}

    /// Index in the workgroup, and how many subgroups the workgroup has.
    KITTENS_INLINE int id() const { return isa::subgroup_id(); }
    KITTENS_INLINE int count() const { return isa::num_subgroups(); }
    /// Workgroup index and grid size along an axis: 0, 1 or 2.
    KITTENS_INLINE int group(int axis) const { return axis == 0 ? isa::group_id<0>() : axis == 1 ? isa::group_id<1>() : isa::group_id<2>(); }
    KITTENS_INLINE int groups(int axis) const { return axis == 0 ? isa::num_groups<0>() : axis == 1 ? isa::num_groups<1>() : isa::num_groups<2>(); }
    /// The workgroup's shared local memory.
    KITTENS_INLINE KITTENS_LOCAL char* slm() const { return slm_; }

    /// Lane of this work-item, 0 to 15. Code that uses it runs on xe and emulated only.
    KITTENS_INLINE int lane() const { return isa::lane(); }

    KITTENS_INLINE void barrier() const {
        if (!mutated(mutant::barrier_missing)) isa::barrier<isa::memory::all>();
    }
    KITTENS_INLINE void barrier_arrive() const { isa::split_arrive<isa::memory::all>(); }
    KITTENS_INLINE void barrier_wait() const { isa::split_wait<isa::memory::all>(); }

    template <int Id, int First, int Count> using named_barrier_handle = isa::named_barrier<Id, First, Count>;
    template <int Id, int First, int Count> KITTENS_INLINE void barrier_named(const isa::named_barrier<Id, First, Count>& b) const {
        isa::wait_named(b);
    }

  private:
    KITTENS_LOCAL char* slm_ = nullptr;
};

}  // namespace kittens::inline KITTENS_NS
