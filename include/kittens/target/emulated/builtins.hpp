// SPDX-License-Identifier: Apache-2.0
//
// The SPIR-V builtins of spirv.hpp, answered by the emulator, so that lane-level code that calls them directly is checked
// like the tile lowering. They are always inlined: no vector argument crosses a call boundary.
#pragma once

#include <kittens/model/numeric.hpp>
#include <kittens/target/emulated/lane.hpp>
#include <kittens/target/xe/spirv.hpp>

namespace kittens::emulated {

/// Kind for the operand bits and accumulator of a raw builtin call; reports a fault for bits that mean nothing.
model::dpas_kind dpas_kind_of(int k, int operands, model::element accumulator);

namespace detail {
template <class T> struct accumulator_element;
template <> struct accumulator_element<float> {
    static constexpr model::element value = model::element::f32;
};
template <> struct accumulator_element<int> {
    static constexpr model::element value = model::element::s32;
};
template <> struct accumulator_element<short> {
    static constexpr model::element value = model::element::bf16;
};
template <> struct accumulator_element<_Float16> {
    static constexpr model::element value = model::element::f16;
};
}  // namespace detail

}  // namespace kittens::emulated

// ---- matrix --------------------------------------------------------------------------------------------------------------------
#define KITTENS_DPAS(M, A, B, C, SCALAR)                                                                             \
    inline C __spirv_SubgroupMatrixMultiplyAccumulateINTEL(int k, A a, B b, C c, int operands) {                     \
        C r;                                                                                                         \
        ::kittens::emulated::dpas(::kittens::emulated::dpas_kind_of(                                                 \
                                      k, operands, ::kittens::emulated::detail::accumulator_element<SCALAR>::value), \
                                  M, &a, &b, &c, &r);                                                                \
        return r;                                                                                                    \
    }
#define KITTENS_DPAS_M(M, SHORT, INT, FLOAT, HALF, TF32)            \
    KITTENS_DPAS(M, SHORT, ::kittens::xe_vec::int8, FLOAT, float)   \
    KITTENS_DPAS(M, SHORT, ::kittens::xe_vec::int8, INT, int)       \
    KITTENS_DPAS(M, SHORT, ::kittens::xe_vec::int8, SHORT, short)   \
    KITTENS_DPAS(M, SHORT, ::kittens::xe_vec::int8, HALF, _Float16) \
    KITTENS_DPAS(M, TF32, ::kittens::xe_vec::float8, FLOAT, float)
KITTENS_DPAS_M(1, short, int, float, _Float16, float)
KITTENS_DPAS_M(2, ::kittens::xe_vec::short2, ::kittens::xe_vec::int2, ::kittens::xe_vec::float2,
               ::kittens::xe_vec::half2, float)
KITTENS_DPAS_M(4, ::kittens::xe_vec::short4, ::kittens::xe_vec::int4, ::kittens::xe_vec::float4,
               ::kittens::xe_vec::half4, ::kittens::xe_vec::float2)
KITTENS_DPAS_M(8, ::kittens::xe_vec::short8, ::kittens::xe_vec::int8, ::kittens::xe_vec::float8,
               ::kittens::xe_vec::half8, ::kittens::xe_vec::float4)
#undef KITTENS_DPAS_M
#undef KITTENS_DPAS

// ---- 2-D blocks ----------------------------------------------------------------------------------------------------------------
#define KITTENS_BLOCK_LOAD(NAME, OP)                                                                                  \
    inline void NAME(int elem, int width, int height, int count, const void* base, int surface_width,                 \
                     int surface_height, int pitch, ::kittens::xe_vec::int2 coord, void* dst) {                       \
        ::kittens::emulated::block(::kittens::model::block_op::OP, {elem, width, height, count}, base, surface_width, \
                                   surface_height, pitch, coord[0], coord[1], dst);                                   \
    }
KITTENS_BLOCK_LOAD(__spirv_Subgroup2DBlockLoadINTEL, load)
KITTENS_BLOCK_LOAD(__spirv_Subgroup2DBlockLoadTransformINTEL, transform)
KITTENS_BLOCK_LOAD(__spirv_Subgroup2DBlockLoadTransposeINTEL, transpose)
#undef KITTENS_BLOCK_LOAD
inline void __spirv_Subgroup2DBlockPrefetchINTEL(int elem, int width, int height, int count, const void* base,
                                                 int surface_width, int surface_height, int pitch,
                                                 ::kittens::xe_vec::int2 coord) {
    ::kittens::emulated::block(::kittens::model::block_op::prefetch, {elem, width, height, count}, base, surface_width,
                               surface_height, pitch, coord[0], coord[1], nullptr);
}
inline void __spirv_Subgroup2DBlockStoreINTEL(int elem, int width, int height, int count, void* src, void* base,
                                              int surface_width, int surface_height, int pitch,
                                              ::kittens::xe_vec::int2 coord) {
    ::kittens::emulated::block(::kittens::model::block_op::store, {elem, width, height, count}, base, surface_width,
                               surface_height, pitch, coord[0], coord[1], src);
}

// ---- lanes ---------------------------------------------------------------------------------------------------------------------
#define KITTENS_SHUFFLE(NAME, OP, T)                                                                    \
    inline T NAME(int, T value, unsigned argument) {                                                    \
        ::kittens::emulated::shuffle(::kittens::emulated::shuffle_op::OP, &value, sizeof(T), argument); \
        return value;                                                                                   \
    }
#define KITTENS_SHUFFLES(T)                                             \
    KITTENS_SHUFFLE(__spirv_GroupNonUniformShuffle, index, T)           \
    KITTENS_SHUFFLE(__spirv_GroupNonUniformShuffleXor, exclusive_or, T) \
    KITTENS_SHUFFLE(__spirv_GroupNonUniformShuffleUp, up, T)            \
    KITTENS_SHUFFLE(__spirv_GroupNonUniformShuffleDown, down, T)        \
    KITTENS_SHUFFLE(__spirv_GroupBroadcast, broadcast, T)
KITTENS_SHUFFLES(short)
KITTENS_SHUFFLES(int)
KITTENS_SHUFFLES(long)
KITTENS_SHUFFLES(float)
#undef KITTENS_SHUFFLES
#undef KITTENS_SHUFFLE
#define KITTENS_REDUCE(NAME, OP, T)                                                    \
    inline T NAME(unsigned, unsigned, T value) {                                       \
        return ::kittens::emulated::reduce(::kittens::emulated::reduce_op::OP, value); \
    }
KITTENS_REDUCE(__spirv_GroupNonUniformFAdd, add, float)
KITTENS_REDUCE(__spirv_GroupNonUniformFMax, max, float)
KITTENS_REDUCE(__spirv_GroupNonUniformFMin, min, float)
KITTENS_REDUCE(__spirv_GroupNonUniformIAdd, add, int)
KITTENS_REDUCE(__spirv_GroupNonUniformSMax, max, int)
KITTENS_REDUCE(__spirv_GroupNonUniformSMin, min, int)
#undef KITTENS_REDUCE
inline bool __spirv_GroupNonUniformAll(int, bool p) { return ::kittens::emulated::ballot(p) == 0xFFFFU; }
inline bool __spirv_GroupNonUniformAny(int, bool p) { return ::kittens::emulated::ballot(p) != 0; }
inline ::kittens::xe_vec::uint4 __spirv_GroupNonUniformBallot(int, bool p) {
    return ::kittens::xe_vec::uint4{::kittens::emulated::ballot(p), 0, 0, 0};
}

// ---- barriers ------------------------------------------------------------------------------------------------------------------
inline void __spirv_ControlBarrier(int execution_scope, int, int semantics) {
    ::kittens::emulated::barrier(::kittens::emulated::barrier_kind::full, execution_scope, semantics);
}
inline void __spirv_ControlBarrierArriveINTEL(int execution_scope, int, int semantics) {
    ::kittens::emulated::barrier(::kittens::emulated::barrier_kind::arrive, execution_scope, semantics);
}
inline void __spirv_ControlBarrierWaitINTEL(int execution_scope, int, int semantics) {
    ::kittens::emulated::barrier(::kittens::emulated::barrier_kind::wait, execution_scope, semantics);
}
inline void __spirv_MemoryBarrier(int scope, int semantics) { ::kittens::emulated::fence(scope, semantics); }

// ---- atomics: sequentially consistent on the host, which satisfies every order asked for ---------------------------------------
#define KITTENS_ATOMICS(T)                                                                             \
    inline T __spirv_AtomicLoad(T* p, int scope, int semantics) {                                      \
        p = static_cast<T*>(::kittens::emulated::atomic(p, sizeof(T), scope, semantics, true, false)); \
        T v;                                                                                           \
        __atomic_load(p, &v, __ATOMIC_SEQ_CST);                                                        \
        return v;                                                                                      \
    }                                                                                                  \
    inline void __spirv_AtomicStore(T* p, int scope, int semantics, T v) {                             \
        p = static_cast<T*>(::kittens::emulated::atomic(p, sizeof(T), scope, semantics, false, true)); \
        __atomic_store(p, &v, __ATOMIC_SEQ_CST);                                                       \
    }                                                                                                  \
    inline T __spirv_AtomicExchange(T* p, int scope, int semantics, T v) {                             \
        p = static_cast<T*>(::kittens::emulated::atomic(p, sizeof(T), scope, semantics, true, true));  \
        T old;                                                                                         \
        __atomic_exchange(p, &v, &old, __ATOMIC_SEQ_CST);                                              \
        return old;                                                                                    \
    }
#define KITTENS_ATOMIC_UPDATE(NAME, T, EXPRESSION)                                                         \
    inline T NAME(T* p, int scope, int semantics, T v) {                                                   \
        p = static_cast<T*>(::kittens::emulated::atomic(p, sizeof(T), scope, semantics, true, true));      \
        T old;                                                                                             \
        __atomic_load(p, &old, __ATOMIC_SEQ_CST);                                                          \
        T desired = EXPRESSION;                                                                            \
        while (!__atomic_compare_exchange(p, &old, &desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) { \
            desired = EXPRESSION;                                                                          \
        }                                                                                                  \
        return old;                                                                                        \
    }
#define KITTENS_INT_ATOMICS(T)                                                                             \
    KITTENS_ATOMICS(T)                                                                                     \
    inline T __spirv_AtomicCompareExchange(T* p, int scope, int equal, int, T desired, T expected) {       \
        p = static_cast<T*>(::kittens::emulated::atomic(p, sizeof(T), scope, equal, true, true));          \
        __atomic_compare_exchange(p, &expected, &desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
        return expected;                                                                                   \
    }                                                                                                      \
    KITTENS_ATOMIC_UPDATE(__spirv_AtomicIAdd, T,                                                           \
                          static_cast<T>(static_cast<unsigned long>(old) + static_cast<unsigned long>(v))) \
    KITTENS_ATOMIC_UPDATE(__spirv_AtomicAnd, T, old& v)                                                    \
    KITTENS_ATOMIC_UPDATE(__spirv_AtomicOr, T, old | v)                                                    \
    KITTENS_ATOMIC_UPDATE(__spirv_AtomicSMax, T, old > v ? old : v)                                        \
    KITTENS_ATOMIC_UPDATE(__spirv_AtomicSMin, T, old < v ? old : v)
KITTENS_INT_ATOMICS(int)
KITTENS_INT_ATOMICS(long)
KITTENS_ATOMICS(float)
KITTENS_ATOMIC_UPDATE(__spirv_AtomicFAddEXT, float, old + v)
KITTENS_ATOMIC_UPDATE(__spirv_AtomicFMaxEXT, float, __builtin_fmaxf(old, v))
KITTENS_ATOMIC_UPDATE(__spirv_AtomicFMinEXT, float, __builtin_fminf(old, v))
#undef KITTENS_INT_ATOMICS
#undef KITTENS_ATOMIC_UPDATE
#undef KITTENS_ATOMICS

// ---- bf16 conversions ----------------------------------------------------------------------------------------------------------
inline short __spirv_ConvertFToBF16INTEL(float v) { return static_cast<short>(::kittens::model::f32_to_bf16(v)); }
inline float __spirv_ConvertBF16ToFINTEL(short v) {
    return ::kittens::model::bf16_to_f32(static_cast<unsigned short>(v));
}
#define KITTENS_CONVERT(N, SHORT, FLOAT)                                                                     \
    inline ::kittens::xe_vec::SHORT __spirv_ConvertFToBF16INTEL(::kittens::xe_vec::FLOAT v) {                \
        ::kittens::xe_vec::SHORT r;                                                                          \
        for (int i = 0; i < N; ++i) r[i] = static_cast<short>(::kittens::model::f32_to_bf16(v[i]));          \
        return r;                                                                                            \
    }                                                                                                        \
    inline ::kittens::xe_vec::FLOAT __spirv_ConvertBF16ToFINTEL(::kittens::xe_vec::SHORT v) {                \
        ::kittens::xe_vec::FLOAT r;                                                                          \
        for (int i = 0; i < N; ++i) r[i] = ::kittens::model::bf16_to_f32(static_cast<unsigned short>(v[i])); \
        return r;                                                                                            \
    }
KITTENS_CONVERT(2, short2, float2)
KITTENS_CONVERT(4, short4, float4)
KITTENS_CONVERT(8, short8, float8)
KITTENS_CONVERT(16, short16, float16)
#undef KITTENS_CONVERT
