// SPDX-License-Identifier: Apache-2.0
//
// Declarations of every SPIR-V builtin that the xe lowering may call, with the names and signatures that
// clang --target=spirv64 lowers to instructions. Kernel code does not call these: it goes through kittens::isa (isa.hpp),
// which checks shapes at compile time and has the same meaning on the emulator.
//
// On the device pass these are declarations only. On the host they are defined by the emulator
// (kittens/target/emulated/builtins.hpp), so code that calls them directly is emulated as well.
#pragma once

#include <kittens/target/xe/vector.hpp>

#if defined(__SPIRV__) || defined(__SPIR__)
// Without `convergent` clang may duplicate a cross-lane operation into divergent branches.
#define KITTENS_CONVERGENT __attribute__((convergent))
#define KITTENS_BUILTIN KITTENS_EXTERNAL KITTENS_CONVERGENT
#else
#define KITTENS_CONVERGENT
#define KITTENS_BUILTIN inline __attribute__((always_inline))
#if defined(__GNUC__) && !defined(__clang__)
// Builtins are always inlined on the host, so no vector crosses a call and the ABI notes do not apply.
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
#endif

// DPC++'s device compiler declares most of these itself, without exceptions, and has no __builtin_spirv_*.
#if defined(__SYCL_DEVICE_ONLY__) && !__has_builtin(__builtin_spirv_subgroup_id)
#define KITTENS_DPCPP 1
#define KITTENS_NOTHROW noexcept
#define KITTENS_EXTERNAL __DPCPP_SYCL_EXTERNAL
#include <sycl/__spirv/spirv_vars.hpp>
#else
#define KITTENS_DPCPP 0
#define KITTENS_EXTERNAL
#define KITTENS_NOTHROW
#endif

// The software module has no such instructions: a direct call is refused by the compiler instead of failing on the device.
#if defined(KITTENS_XE_SOFTWARE)
#define KITTENS_NATIVE \
    __attribute__((unavailable("the software instruction library answers kittens::isa, not this builtin")))
#else
#define KITTENS_NATIVE
#endif

// ---- matrix multiply accumulate (dpas): (K, A, B, C, operand bits), result type = C type --------------------------------------
#define KITTENS_DPAS(M, A, B, C)                                                                                       \
    KITTENS_NATIVE KITTENS_BUILTIN C __spirv_SubgroupMatrixMultiplyAccumulateINTEL(int k, A a, B b, C c, int operands) \
        KITTENS_NOTHROW;
#define KITTENS_DPAS_M(M, SHORT, INT, FLOAT, HALF, TF32)                                     \
    KITTENS_DPAS(M, SHORT, ::kittens::xe_vec::int8, FLOAT)  /* bf16, f16, fp8, fp4 -> f32 */ \
    KITTENS_DPAS(M, SHORT, ::kittens::xe_vec::int8, INT)    /* int8, int4 -> s32 */          \
    KITTENS_DPAS(M, SHORT, ::kittens::xe_vec::int8, SHORT)  /* bf16, fp8, fp4 -> bf16 */     \
    KITTENS_DPAS(M, SHORT, ::kittens::xe_vec::int8, HALF)   /* f16 -> f16 */                 \
    KITTENS_DPAS(M, TF32, ::kittens::xe_vec::float8, FLOAT) /* tf32 -> f32: A holds two rows per component */
KITTENS_DPAS_M(1, short, int, float, _Float16, float)
KITTENS_DPAS_M(2, ::kittens::xe_vec::short2, ::kittens::xe_vec::int2, ::kittens::xe_vec::float2,
               ::kittens::xe_vec::half2, float)
KITTENS_DPAS_M(4, ::kittens::xe_vec::short4, ::kittens::xe_vec::int4, ::kittens::xe_vec::float4,
               ::kittens::xe_vec::half4, ::kittens::xe_vec::float2)
KITTENS_DPAS_M(8, ::kittens::xe_vec::short8, ::kittens::xe_vec::int8, ::kittens::xe_vec::float8,
               ::kittens::xe_vec::half8, ::kittens::xe_vec::float4)
#undef KITTENS_DPAS_M
#undef KITTENS_DPAS

// ---- 2-D block input and output ------------------------------------------------------------------------------------------------
// Everything is uniform in the subgroup; element size, width, height and count are constants; surface width and pitch are
// bytes, coord.x is elements, coord.y rows. The register side is private memory.
KITTENS_NATIVE KITTENS_BUILTIN void __spirv_Subgroup2DBlockLoadINTEL(int elem, int width, int height, int count,
                                                                     const KITTENS_GLOBAL void* base, int surface_width,
                                                                     int surface_height, int pitch,
                                                                     ::kittens::xe_vec::int2 coord,
                                                                     KITTENS_PRIVATE void* dst) KITTENS_NOTHROW;
KITTENS_NATIVE KITTENS_BUILTIN void __spirv_Subgroup2DBlockLoadTransformINTEL(
    int elem, int width, int height, int count, const KITTENS_GLOBAL void* base, int surface_width, int surface_height,
    int pitch, ::kittens::xe_vec::int2 coord, KITTENS_PRIVATE void* dst) KITTENS_NOTHROW;
KITTENS_NATIVE KITTENS_BUILTIN void __spirv_Subgroup2DBlockLoadTransposeINTEL(
    int elem, int width, int height, int count, const KITTENS_GLOBAL void* base, int surface_width, int surface_height,
    int pitch, ::kittens::xe_vec::int2 coord, KITTENS_PRIVATE void* dst) KITTENS_NOTHROW;
KITTENS_NATIVE KITTENS_BUILTIN void __spirv_Subgroup2DBlockPrefetchINTEL(int elem, int width, int height, int count,
                                                                         const KITTENS_GLOBAL void* base,
                                                                         int surface_width, int surface_height,
                                                                         int pitch,
                                                                         ::kittens::xe_vec::int2 coord) KITTENS_NOTHROW;
KITTENS_NATIVE KITTENS_BUILTIN void __spirv_Subgroup2DBlockStoreINTEL(int elem, int width, int height, int count,
                                                                      KITTENS_PRIVATE void* src,
                                                                      KITTENS_GLOBAL void* base, int surface_width,
                                                                      int surface_height, int pitch,
                                                                      ::kittens::xe_vec::int2 coord) KITTENS_NOTHROW;

// ---- lanes of a subgroup (scope 3) ---------------------------------------------------------------------------------------------
#define KITTENS_SHUFFLES(T)                                                                                   \
    KITTENS_BUILTIN T __spirv_GroupNonUniformShuffle(int scope, T value, unsigned lane) KITTENS_NOTHROW;      \
    KITTENS_BUILTIN T __spirv_GroupNonUniformShuffleXor(int scope, T value, unsigned mask) KITTENS_NOTHROW;   \
    KITTENS_BUILTIN T __spirv_GroupNonUniformShuffleUp(int scope, T value, unsigned delta) KITTENS_NOTHROW;   \
    KITTENS_BUILTIN T __spirv_GroupNonUniformShuffleDown(int scope, T value, unsigned delta) KITTENS_NOTHROW; \
    KITTENS_BUILTIN T __spirv_GroupBroadcast(int scope, T value, unsigned lane) KITTENS_NOTHROW;
KITTENS_SHUFFLES(short)
KITTENS_SHUFFLES(int)
KITTENS_SHUFFLES(long)
KITTENS_SHUFFLES(float)
#undef KITTENS_SHUFFLES
// Group operation 0: the reduction, the same value in every lane.
KITTENS_BUILTIN float __spirv_GroupNonUniformFAdd(unsigned scope, unsigned operation, float value) KITTENS_NOTHROW;
KITTENS_BUILTIN float __spirv_GroupNonUniformFMax(unsigned scope, unsigned operation, float value) KITTENS_NOTHROW;
KITTENS_BUILTIN float __spirv_GroupNonUniformFMin(unsigned scope, unsigned operation, float value) KITTENS_NOTHROW;
KITTENS_BUILTIN int __spirv_GroupNonUniformIAdd(unsigned scope, unsigned operation, int value) KITTENS_NOTHROW;
KITTENS_BUILTIN int __spirv_GroupNonUniformSMax(unsigned scope, unsigned operation, int value) KITTENS_NOTHROW;
KITTENS_BUILTIN int __spirv_GroupNonUniformSMin(unsigned scope, unsigned operation, int value) KITTENS_NOTHROW;
KITTENS_BUILTIN bool __spirv_GroupNonUniformAll(int scope, bool predicate) KITTENS_NOTHROW;
KITTENS_BUILTIN bool __spirv_GroupNonUniformAny(int scope, bool predicate) KITTENS_NOTHROW;
#if !KITTENS_DPCPP  // has it with another vector type
KITTENS_BUILTIN ::kittens::xe_vec::uint4 __spirv_GroupNonUniformBallot(int scope, bool predicate);
#endif

// ---- barriers and fences: semantics 0x100 local | 0x200 global | order (2 acquire, 4 release, 8 both, 0x10 sequential) ----------
KITTENS_BUILTIN void __spirv_ControlBarrier(int execution_scope, int memory_scope, int semantics) KITTENS_NOTHROW;
KITTENS_BUILTIN void __spirv_ControlBarrierArriveINTEL(int execution_scope, int memory_scope,
                                                       int semantics) KITTENS_NOTHROW;
KITTENS_BUILTIN void __spirv_ControlBarrierWaitINTEL(int execution_scope, int memory_scope,
                                                     int semantics) KITTENS_NOTHROW;
KITTENS_BUILTIN void __spirv_MemoryBarrier(int scope, int semantics) KITTENS_NOTHROW;

#if defined(__SPIRV__) || defined(__SPIR__)
// OpenCL's named barriers under their mangled names: clang has no builtin for them, and mangles the address space in another
// way than the Intel graphics compiler, which looks for these names and assigns each initialisation a hardware barrier.
// `flags` is a constant: 1 orders local memory, 2 global memory.
struct __namedBarrier;
extern "C" KITTENS_BUILTIN KITTENS_LOCAL __namedBarrier* _Z18named_barrier_initi(int subgroups) KITTENS_NOTHROW;
extern "C" KITTENS_BUILTIN void _Z24work_group_named_barrierPU3AS314__namedBarrierj(KITTENS_LOCAL __namedBarrier* b,
                                                                                    unsigned flags) KITTENS_NOTHROW;
#endif

// ---- atomics: scope 0 system, 1 device, 2 workgroup ----------------------------------------------------------------------------
#define KITTENS_ATOMICS(SPACE, T)                                                                        \
    KITTENS_BUILTIN T __spirv_AtomicLoad(SPACE T* p, int scope, int semantics) KITTENS_NOTHROW;          \
    KITTENS_BUILTIN void __spirv_AtomicStore(SPACE T* p, int scope, int semantics, T v) KITTENS_NOTHROW; \
    KITTENS_BUILTIN T __spirv_AtomicExchange(SPACE T* p, int scope, int semantics, T v) KITTENS_NOTHROW;
#define KITTENS_INT_ATOMICS(SPACE, T)                                                                         \
    KITTENS_ATOMICS(SPACE, T)                                                                                 \
    KITTENS_BUILTIN T __spirv_AtomicCompareExchange(SPACE T* p, int scope, int equal, int unequal, T desired, \
                                                    T expected) KITTENS_NOTHROW;                              \
    KITTENS_BUILTIN T __spirv_AtomicIAdd(SPACE T* p, int scope, int semantics, T v) KITTENS_NOTHROW;          \
    KITTENS_BUILTIN T __spirv_AtomicAnd(SPACE T* p, int scope, int semantics, T v) KITTENS_NOTHROW;           \
    KITTENS_BUILTIN T __spirv_AtomicOr(SPACE T* p, int scope, int semantics, T v) KITTENS_NOTHROW;            \
    KITTENS_BUILTIN T __spirv_AtomicSMax(SPACE T* p, int scope, int semantics, T v) KITTENS_NOTHROW;          \
    KITTENS_BUILTIN T __spirv_AtomicSMin(SPACE T* p, int scope, int semantics, T v) KITTENS_NOTHROW;
#define KITTENS_FLOAT_ATOMICS(SPACE)                                                                                \
    KITTENS_ATOMICS(SPACE, float)                                                                                   \
    KITTENS_BUILTIN float __spirv_AtomicFAddEXT(SPACE float* p, int scope, int semantics, float v) KITTENS_NOTHROW; \
    KITTENS_BUILTIN float __spirv_AtomicFMaxEXT(SPACE float* p, int scope, int semantics, float v) KITTENS_NOTHROW; \
    KITTENS_BUILTIN float __spirv_AtomicFMinEXT(SPACE float* p, int scope, int semantics, float v) KITTENS_NOTHROW;
KITTENS_INT_ATOMICS(KITTENS_GLOBAL, int)
KITTENS_INT_ATOMICS(KITTENS_GLOBAL, long)
KITTENS_FLOAT_ATOMICS(KITTENS_GLOBAL)
#if defined(__SPIRV__) || defined(__SPIR__)  // on the host both address spaces are the same type
KITTENS_INT_ATOMICS(KITTENS_LOCAL, int)
KITTENS_INT_ATOMICS(KITTENS_LOCAL, long)
KITTENS_FLOAT_ATOMICS(KITTENS_LOCAL)
#endif
#undef KITTENS_FLOAT_ATOMICS
#undef KITTENS_INT_ATOMICS
#undef KITTENS_ATOMICS

// ---- conversions and mathematics -----------------------------------------------------------------------------------------------
#if !KITTENS_DPCPP  // has it with unsigned short
KITTENS_BUILTIN short __spirv_ConvertFToBF16INTEL(float v);
#endif
KITTENS_BUILTIN ::kittens::xe_vec::short2 __spirv_ConvertFToBF16INTEL(::kittens::xe_vec::float2 v) KITTENS_NOTHROW;
KITTENS_BUILTIN ::kittens::xe_vec::short4 __spirv_ConvertFToBF16INTEL(::kittens::xe_vec::float4 v) KITTENS_NOTHROW;
KITTENS_BUILTIN ::kittens::xe_vec::short8 __spirv_ConvertFToBF16INTEL(::kittens::xe_vec::float8 v) KITTENS_NOTHROW;
KITTENS_BUILTIN ::kittens::xe_vec::short16 __spirv_ConvertFToBF16INTEL(::kittens::xe_vec::float16 v) KITTENS_NOTHROW;
KITTENS_BUILTIN float __spirv_ConvertBF16ToFINTEL(short v) KITTENS_NOTHROW;
KITTENS_BUILTIN ::kittens::xe_vec::float2 __spirv_ConvertBF16ToFINTEL(::kittens::xe_vec::short2 v) KITTENS_NOTHROW;
KITTENS_BUILTIN ::kittens::xe_vec::float4 __spirv_ConvertBF16ToFINTEL(::kittens::xe_vec::short4 v) KITTENS_NOTHROW;
KITTENS_BUILTIN ::kittens::xe_vec::float8 __spirv_ConvertBF16ToFINTEL(::kittens::xe_vec::short8 v) KITTENS_NOTHROW;
KITTENS_BUILTIN ::kittens::xe_vec::float16 __spirv_ConvertBF16ToFINTEL(::kittens::xe_vec::short16 v) KITTENS_NOTHROW;

#if defined(__SPIRV__) || defined(__SPIR__)
unsigned __spirv_UConvert_Ruint(unsigned long v) KITTENS_NOTHROW;
// OpFConvert under a name of its own, which the optimiser does not look through: a plain conversion of an accumulator
// after a loop would be moved across the loop's exit and cost registers.
KITTENS_BUILTIN ::kittens::xe_vec::half2 __spirv_FConvert_Rhalf2(::kittens::xe_vec::float2 v) KITTENS_NOTHROW;
KITTENS_BUILTIN ::kittens::xe_vec::half4 __spirv_FConvert_Rhalf4(::kittens::xe_vec::float4 v) KITTENS_NOTHROW;
KITTENS_BUILTIN ::kittens::xe_vec::half8 __spirv_FConvert_Rhalf8(::kittens::xe_vec::float8 v) KITTENS_NOTHROW;
KITTENS_BUILTIN ::kittens::xe_vec::half16 __spirv_FConvert_Rhalf16(::kittens::xe_vec::float16 v) KITTENS_NOTHROW;
#if defined(KITTENS_XE_SOFTWARE) && !KITTENS_DPCPP  // has them
// OpenCL extended instructions with the accuracy that OpenCL asks for.
KITTENS_BUILTIN float __spirv_ocl_exp2(float v) KITTENS_NOTHROW;
KITTENS_BUILTIN float __spirv_ocl_log2(float v) KITTENS_NOTHROW;
KITTENS_BUILTIN float __spirv_ocl_rsqrt(float v) KITTENS_NOTHROW;
KITTENS_BUILTIN float __spirv_ocl_sqrt(float v) KITTENS_NOTHROW;
KITTENS_BUILTIN float __spirv_ocl_sin(float v) KITTENS_NOTHROW;
KITTENS_BUILTIN float __spirv_ocl_cos(float v) KITTENS_NOTHROW;
#endif
// OpenCL extended instructions; the native_ forms are one `math` instruction each.
KITTENS_EXTERNAL float native_exp2(float v);
KITTENS_EXTERNAL float native_log2(float v);
KITTENS_EXTERNAL float native_rsqrt(float v);
KITTENS_EXTERNAL float native_recip(float v);
KITTENS_EXTERNAL float native_sqrt(float v);
KITTENS_EXTERNAL float native_sin(float v);
KITTENS_EXTERNAL float native_cos(float v);

/// Intel graphics compiler's name for a per-lane 16-byte prefetch; `cache` 4 caches in L1 and L3.
extern "C" KITTENS_EXTERNAL void __builtin_IB_lsc_prefetch_global_uint4(const KITTENS_GLOBAL void* p, int offset,
                                                                        int cache);
#endif
