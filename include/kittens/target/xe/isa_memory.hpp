// SPDX-License-Identifier: Apache-2.0
//
// kittens::isa, plain memory and atomics. Included by isa.hpp.
// On a device these are ordinary accesses (a 16-byte one is one 128-bit message for 16 lanes); the emulator checks each
// against the registered allocations, the workgroup's SLM and the race rules, and counts it.
#pragma once

#include <kittens/target/xe/isa.hpp>
#include <kittens/target/xe/isa_sync.hpp>

namespace kittens::isa {

namespace detail {

// Integer of the access's size that may alias anything: C++ classes cannot be copied out of another address space.
template <int Bytes> struct raw;
template <> struct raw<1> {
    typedef unsigned char __attribute__((may_alias)) type;
};
template <> struct raw<2> {
    typedef unsigned short __attribute__((may_alias)) type;
};
template <> struct raw<4> {
    typedef unsigned __attribute__((may_alias)) type;
};
template <> struct raw<8> {
    typedef unsigned long __attribute__((may_alias)) type;
};
template <> struct raw<16> {
    typedef xe_vec::uint4 __attribute__((may_alias)) type;
};
template <> struct raw<32> {
    typedef xe_vec::uint8 __attribute__((may_alias)) type;
};

template <class T>
inline constexpr bool accessible =
    sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16 || sizeof(T) == 32;

}  // namespace detail

#if KITTENS_ISA_DEVICE
#define KITTENS_CHECK_ACCESS(KIND, P, T) ((void)0)
#else
#define KITTENS_CHECK_ACCESS(KIND, P, T) \
    P = static_cast<T*>(emulated::access(emulated::access_kind::KIND, P, sizeof(T)))
#endif

/// One lane's load of a scalar or vector of 1, 2, 4, 8, 16 or 32 bytes, naturally aligned (16 for 32).
template <class T> KITTENS_ISA T load_global(const KITTENS_GLOBAL T* p) {
    static_assert(detail::accessible<T>, "kittens::isa::load_global: the type must have 1, 2, 4, 8, 16 or 32 bytes");
    KITTENS_CHECK_ACCESS(global_load, p, const T);
    using raw = typename detail::raw<sizeof(T)>::type;
    raw v = *(const KITTENS_GLOBAL raw*)p;
    return __builtin_bit_cast(T, v);
}
/// One lane's store of a scalar or vector of 1, 2, 4, 8, 16 or 32 bytes.
template <class T> KITTENS_ISA void store_global(KITTENS_GLOBAL T* p, const T& v) {
    static_assert(detail::accessible<T>, "kittens::isa::store_global: the type must have 1, 2, 4, 8, 16 or 32 bytes");
    KITTENS_CHECK_ACCESS(global_store, p, T);
    using raw = typename detail::raw<sizeof(T)>::type;
    *(KITTENS_GLOBAL raw*)p = __builtin_bit_cast(raw, v);
}
/// One lane's load from SLM.
template <class T> KITTENS_ISA T load_local(const KITTENS_LOCAL T* p) {
    static_assert(detail::accessible<T>, "kittens::isa::load_local: the type must have 1, 2, 4, 8, 16 or 32 bytes");
    KITTENS_CHECK_ACCESS(local_load, p, const T);
    using raw = typename detail::raw<sizeof(T)>::type;
    raw v = *(const KITTENS_LOCAL raw*)p;
    return __builtin_bit_cast(T, v);
}
/// One lane's store to SLM.
template <class T> KITTENS_ISA void store_local(KITTENS_LOCAL T* p, const T& v) {
    static_assert(detail::accessible<T>, "kittens::isa::store_local: the type must have 1, 2, 4, 8, 16 or 32 bytes");
    KITTENS_CHECK_ACCESS(local_store, p, T);
    using raw = typename detail::raw<sizeof(T)>::type;
    *(KITTENS_LOCAL raw*)p = __builtin_bit_cast(raw, v);
}
#undef KITTENS_CHECK_ACCESS

/// One lane's prefetch of the 16 bytes at p into the cache. Does nothing where the device has no such message.
KITTENS_ISA void prefetch_global(const KITTENS_GLOBAL void* p) {
#if !KITTENS_ISA_DEVICE
    emulated::prefetch_line(p, 16);
#elif defined(KITTENS_XE_SOFTWARE)
    (void)p;
#else
    __builtin_IB_lsc_prefetch_global_uint4(p, 0, 4);
#endif
}

/// SLM of `Bytes` bytes, 64-byte aligned, the same for all work-items of a workgroup; different tags do not overlap.
template <int Bytes, class Tag = void> KITTENS_ISA KITTENS_LOCAL char* slm() {
#if KITTENS_ISA_DEVICE
    static KITTENS_LOCAL char storage[Bytes] __attribute__((aligned(64)));
    return storage;
#else
    static constexpr char key = 0;
    return static_cast<char*>(emulated::slm(&key, Bytes));
#endif
}

// ---- atomics -------------------------------------------------------------------------------------------------------------------
// T is int or long, or float where said; the pointer is to global memory or SLM.

namespace detail {
#if KITTENS_ISA_DEVICE
constexpr int space(const KITTENS_GLOBAL void*) { return 0x200; }
constexpr int space(const KITTENS_LOCAL void*) { return 0x100; }
#else
constexpr int space(const void*) { return 0x200; }
#endif
template <order O> constexpr int load_order() { return O == order::release ? 0 : O == order::acq_rel ? 2 : (int)O; }
}  // namespace detail

#define KITTENS_ATOMIC_SEM(p, o) ((o) == 0 ? 0 : ((o) | detail::space(p)))

/// Atomic load (also float). Polling costs a read-modify-write per lane on Xe: poll from one lane.
template <scope S = scope::device, order O = order::acquire, class P> KITTENS_ISA auto atomic_load(P* p) {
    return __spirv_AtomicLoad(p, (int)S, KITTENS_ATOMIC_SEM(p, (int)O));
}
/// Atomic store (also float).
template <scope S = scope::device, order O = order::release, class P, class T> KITTENS_ISA void atomic_store(P* p,
                                                                                                             T v) {
    __spirv_AtomicStore(p, (int)S, KITTENS_ATOMIC_SEM(p, (int)O), v);
}
/// Atomic exchange (also float); returns the old value.
template <scope S = scope::device, order O = order::acq_rel, class P, class T> KITTENS_ISA T atomic_exchange(P* p,
                                                                                                             T v) {
    return __spirv_AtomicExchange(p, (int)S, KITTENS_ATOMIC_SEM(p, (int)O), v);
}
/// Stores `desired` where `*p == expected`; returns the old value.
template <scope S = scope::device, order O = order::acq_rel, class P, class T>
KITTENS_ISA T atomic_compare_exchange(P* p, T expected, T desired) {
    return __spirv_AtomicCompareExchange(p, (int)S, KITTENS_ATOMIC_SEM(p, (int)O),
                                         KITTENS_ATOMIC_SEM(p, detail::load_order<O>()), desired, expected);
}
/// Atomic add (int, long, float); returns the old value.
template <scope S = scope::device, order O = order::relaxed, class P, class T> KITTENS_ISA T atomic_add(P* p, T v) {
    if constexpr (T(0.5) != T(0)) return __spirv_AtomicFAddEXT(p, (int)S, KITTENS_ATOMIC_SEM(p, (int)O), v);
    else return __spirv_AtomicIAdd(p, (int)S, KITTENS_ATOMIC_SEM(p, (int)O), v);
}
/// Atomic maximum (int, long, float); returns the old value.
template <scope S = scope::device, order O = order::relaxed, class P, class T> KITTENS_ISA T atomic_max(P* p, T v) {
    if constexpr (T(0.5) != T(0)) return __spirv_AtomicFMaxEXT(p, (int)S, KITTENS_ATOMIC_SEM(p, (int)O), v);
    else return __spirv_AtomicSMax(p, (int)S, KITTENS_ATOMIC_SEM(p, (int)O), v);
}
/// Atomic minimum (int, long, float); returns the old value.
template <scope S = scope::device, order O = order::relaxed, class P, class T> KITTENS_ISA T atomic_min(P* p, T v) {
    if constexpr (T(0.5) != T(0)) return __spirv_AtomicFMinEXT(p, (int)S, KITTENS_ATOMIC_SEM(p, (int)O), v);
    else return __spirv_AtomicSMin(p, (int)S, KITTENS_ATOMIC_SEM(p, (int)O), v);
}
#undef KITTENS_ATOMIC_SEM

}  // namespace kittens::isa
