// SPDX-License-Identifier: Apache-2.0
//
// kittens::isa, lanes: ids, shuffles, reductions, votes. Included by isa.hpp.
#pragma once

#include <kittens/target/xe/isa.hpp>

namespace kittens::isa {

// ---- ids -----------------------------------------------------------------------------------------------------------------------

#if KITTENS_ISA_DEVICE && KITTENS_DPCPP
KITTENS_ISA int lane() { return (int)__spirv_BuiltInSubgroupLocalInvocationId(); }
KITTENS_ISA int subgroup_id() { return (int)__spirv_BuiltInSubgroupId(); }
KITTENS_ISA int num_subgroups() { return (int)__spirv_BuiltInNumSubgroups(); }
template <int D> KITTENS_ISA int group_id() { return (int)__spirv_BuiltInWorkgroupId(D); }
template <int D> KITTENS_ISA int num_groups() { return (int)__spirv_BuiltInNumWorkgroups(D); }
#elif KITTENS_ISA_DEVICE
/// Lane of this work-item in its subgroup, 0 to 15.
KITTENS_ISA int lane() { return (int)__builtin_spirv_subgroup_local_invocation_id(); }
/// Subgroup in its workgroup.
KITTENS_ISA int subgroup_id() { return (int)__builtin_spirv_subgroup_id(); }
/// Subgroups of the workgroup.
KITTENS_ISA int num_subgroups() { return (int)__builtin_spirv_num_subgroups(); }
// The ids have 64 bits. OpUConvert by name, since clang 22 loses the truncation before a shift (`id << 6` then shifts the
// 64-bit value, which is no valid SPIR-V).
/// Workgroup index in dimension D (0 to 2).
template <int D> KITTENS_ISA int group_id() { return (int)__spirv_UConvert_Ruint(__builtin_spirv_workgroup_id(D)); }
/// Workgroups of the grid in dimension D.
template <int D> KITTENS_ISA int num_groups() { return (int)__spirv_UConvert_Ruint(__builtin_spirv_num_workgroups(D)); }
#else
KITTENS_ISA int lane() { return emulated::lane(); }
KITTENS_ISA int subgroup_id() { return emulated::subgroup_id(); }
KITTENS_ISA int num_subgroups() { return emulated::num_subgroups(); }
template <int D> KITTENS_ISA int group_id() { return emulated::group_id(D); }
template <int D> KITTENS_ISA int num_groups() { return emulated::num_groups(D); }
#endif

// ---- shuffles ------------------------------------------------------------------------------------------------------------------

namespace detail {

enum class shuffle_op { index, exclusive_or, up, down, broadcast };

#if KITTENS_ISA_DEVICE
template <shuffle_op Op, class T> KITTENS_ISA KITTENS_CONVERGENT T shuffle_word(T v, unsigned arg) {
    if constexpr (Op == shuffle_op::index) return __spirv_GroupNonUniformShuffle(3, v, arg);
    else if constexpr (Op == shuffle_op::exclusive_or) return __spirv_GroupNonUniformShuffleXor(3, v, arg);
    else if constexpr (Op == shuffle_op::up) return __spirv_GroupNonUniformShuffleUp(3, v, arg);
    else if constexpr (Op == shuffle_op::down) return __spirv_GroupNonUniformShuffleDown(3, v, arg);
    else return __spirv_GroupBroadcast(3, v, arg);
}

template <class T> inline constexpr bool same_as_float = false;
template <> inline constexpr bool same_as_float<float> = true;

template <shuffle_op Op, class T> KITTENS_ISA KITTENS_CONVERGENT T shuffle_any(T v, unsigned arg) {
    if constexpr (same_as_float<T>) {
        return shuffle_word<Op>(v, arg);
    } else if constexpr (sizeof(T) == 1) {
        return __builtin_bit_cast(T, (signed char)shuffle_word<Op>((int)__builtin_bit_cast(signed char, v), arg));
    } else if constexpr (sizeof(T) == 2) {
        return __builtin_bit_cast(T, shuffle_word<Op>(__builtin_bit_cast(short, v), arg));
    } else if constexpr (sizeof(T) == 4) {
        return __builtin_bit_cast(T, shuffle_word<Op>(__builtin_bit_cast(int, v), arg));
    } else {
        static_assert(sizeof(T) % 4 == 0, "kittens::isa::shuffle: the value must be 1, 2 or a multiple of 4 bytes");
        auto words = __builtin_bit_cast(xe_vec::vec<int, sizeof(T) / 4>, v);
#pragma unroll
        for (int i = 0; i < (int)(sizeof(T) / 4); ++i) words[i] = shuffle_word<Op>((int)words[i], arg);
        return __builtin_bit_cast(T, words);
    }
}
#else
template <shuffle_op Op, class T> KITTENS_ISA T shuffle_any(T v, unsigned arg, std::source_location at) {
    emulated::shuffle(static_cast<emulated::shuffle_op>(Op), &v, sizeof(T), arg, at);
    return v;
}
#endif

}  // namespace detail

/// Value of lane `lane`; a lane beyond the subgroup is an error. Collective, T trivially copyable.
template <class T> KITTENS_ISA KITTENS_CONVERGENT T shuffle(T v, int lane KITTENS_AT) {
    return detail::shuffle_any<detail::shuffle_op::index>(v, (unsigned)lane KITTENS_AT_VALUE);
}
/// Value of lane (own lane xor mask). Collective.
template <class T> KITTENS_ISA KITTENS_CONVERGENT T shuffle_xor(T v, int mask KITTENS_AT) {
    return detail::shuffle_any<detail::shuffle_op::exclusive_or>(v, (unsigned)mask KITTENS_AT_VALUE);
}
/// Value of lane (own lane - delta); undefined in the lowest `delta` lanes. Collective.
template <class T> KITTENS_ISA KITTENS_CONVERGENT T shuffle_up(T v, int delta KITTENS_AT) {
    return detail::shuffle_any<detail::shuffle_op::up>(v, (unsigned)delta KITTENS_AT_VALUE);
}
/// Value of lane (own lane + delta); undefined in the highest `delta` lanes. Collective.
template <class T> KITTENS_ISA KITTENS_CONVERGENT T shuffle_down(T v, int delta KITTENS_AT) {
    return detail::shuffle_any<detail::shuffle_op::down>(v, (unsigned)delta KITTENS_AT_VALUE);
}
/// Value of one lane in all; `lane` is uniform. Collective.
template <class T> KITTENS_ISA KITTENS_CONVERGENT T broadcast(T v, int lane KITTENS_AT) {
    return detail::shuffle_any<detail::shuffle_op::broadcast>(v, (unsigned)lane KITTENS_AT_VALUE);
}

// ---- reductions and votes ------------------------------------------------------------------------------------------------------
// The order of a floating-point sum is the implementation's; the emulator adds by xor butterfly (8, 4, 2, 1).

#if KITTENS_ISA_DEVICE
KITTENS_ISA KITTENS_CONVERGENT float reduce_add(float v) { return __spirv_GroupNonUniformFAdd(3, 0, v); }
KITTENS_ISA KITTENS_CONVERGENT float reduce_max(float v) { return __spirv_GroupNonUniformFMax(3, 0, v); }
KITTENS_ISA KITTENS_CONVERGENT float reduce_min(float v) { return __spirv_GroupNonUniformFMin(3, 0, v); }
KITTENS_ISA KITTENS_CONVERGENT int reduce_add(int v) { return __spirv_GroupNonUniformIAdd(3, 0, v); }
KITTENS_ISA KITTENS_CONVERGENT int reduce_max(int v) { return __spirv_GroupNonUniformSMax(3, 0, v); }
KITTENS_ISA KITTENS_CONVERGENT int reduce_min(int v) { return __spirv_GroupNonUniformSMin(3, 0, v); }
/// True in every lane when the predicate holds in all lanes (in any lane). Collective.
KITTENS_ISA KITTENS_CONVERGENT bool all(bool p) { return __spirv_GroupNonUniformAll(3, p); }
KITTENS_ISA KITTENS_CONVERGENT bool any(bool p) { return __spirv_GroupNonUniformAny(3, p); }
#else
KITTENS_ISA float reduce_add(float v KITTENS_AT) { return emulated::reduce(emulated::reduce_op::add, v, at); }
KITTENS_ISA float reduce_max(float v KITTENS_AT) { return emulated::reduce(emulated::reduce_op::max, v, at); }
KITTENS_ISA float reduce_min(float v KITTENS_AT) { return emulated::reduce(emulated::reduce_op::min, v, at); }
KITTENS_ISA int reduce_add(int v KITTENS_AT) { return emulated::reduce(emulated::reduce_op::add, v, at); }
KITTENS_ISA int reduce_max(int v KITTENS_AT) { return emulated::reduce(emulated::reduce_op::max, v, at); }
KITTENS_ISA int reduce_min(int v KITTENS_AT) { return emulated::reduce(emulated::reduce_op::min, v, at); }
KITTENS_ISA bool all(bool p KITTENS_AT) { return emulated::ballot(p, at) == 0xFFFFu; }
KITTENS_ISA bool any(bool p KITTENS_AT) { return emulated::ballot(p, at) != 0; }
#endif

}  // namespace kittens::isa
