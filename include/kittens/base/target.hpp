// SPDX-License-Identifier: Apache-2.0
// The target is a property of the translation unit. Exactly one of
//
//   KITTENS_TARGET_XE        SIMT code for 16 lanes: SPIR-V with clang (`--target=spirv64`) or a SYCL compiler
//   KITTENS_TARGET_EMULATED  the same lowering, compiled for the host and answered by the instruction model
//   KITTENS_TARGET_CPU       native SIMD code; the instruction set is what the compiler was told (-march)
//
// is defined, or none: then only the types that a launcher needs are usable ("host").
// Everything that depends on the target lives in the inline namespace KITTENS_NS, so that several
// targets can be linked into one program.
#pragma once

#if defined(KITTENS_TARGET_XE) + defined(KITTENS_TARGET_EMULATED) + defined(KITTENS_TARGET_CPU) > 1
#error "define one of KITTENS_TARGET_XE, KITTENS_TARGET_EMULATED and KITTENS_TARGET_CPU, not several"
#endif

// A SYCL compiler's device pass reads host code too. Without KITTENS_TARGET_XE that is all that it is given to read.
#if (defined(__SPIRV__) || defined(__SPIR__)) && (defined(KITTENS_TARGET_XE) || !defined(__SYCL_DEVICE_ONLY__))
#define KITTENS_DEVICE_PASS 1
#else
#define KITTENS_DEVICE_PASS 0
#endif
// True where functions of the host are compiled, or at least read.
#if !KITTENS_DEVICE_PASS || defined(__SYCL_DEVICE_ONLY__)
#define KITTENS_HOST_CODE 1
#else
#define KITTENS_HOST_CODE 0
#endif

// The `xe` target is compiled twice: its device pass makes SPIR-V, its host pass only registers what was made.
#if defined(KITTENS_TARGET_XE) && !KITTENS_DEVICE_PASS
#define KITTENS_XE_HOST_PASS 1
#else
#define KITTENS_XE_HOST_PASS 0
#endif

#if defined(KITTENS_TARGET_XE)
#define KITTENS_NS xe
#elif defined(KITTENS_TARGET_EMULATED)
#define KITTENS_NS xe_emulated  // `kittens::emulated` is the engine
#elif defined(KITTENS_TARGET_CPU)
#if defined(__AMX_BF16__) && defined(__AMX_INT8__) && defined(__AVX512BF16__)
#define KITTENS_CPU_ISA amx
#define KITTENS_CPU_AMX 1
#define KITTENS_NS cpu_amx
#elif defined(__AVX512BF16__)
#define KITTENS_CPU_ISA avx512_bf16
#define KITTENS_NS cpu_avx512_bf16
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#define KITTENS_CPU_ISA avx512
#define KITTENS_NS cpu_avx512
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define KITTENS_CPU_ISA avx2
#define KITTENS_NS cpu_avx2
#else
#error "the cpu target needs at least AVX2, FMA and F16C: compile with -march=x86-64-v3 or better"
#endif
#else
#define KITTENS_NS host
#endif

// True where tile operations exist in this translation unit.
#if defined(KITTENS_TARGET_CPU) || defined(KITTENS_TARGET_EMULATED) || \
    (defined(KITTENS_TARGET_XE) && KITTENS_DEVICE_PASS)
#define KITTENS_HAS_TILE_OPS 1
#else
#define KITTENS_HAS_TILE_OPS 0
#endif

// True where the xe lowering is in use, on the device or emulated.
#if defined(KITTENS_TARGET_EMULATED) || (defined(KITTENS_TARGET_XE) && KITTENS_DEVICE_PASS)
#define KITTENS_XE_LOWERING 1
#else
#define KITTENS_XE_LOWERING 0
#endif

// Address spaces. A plain pointer in SPIR-V C++ is private memory, silently; every device pointer carries one.
#if KITTENS_DEVICE_PASS
#define KITTENS_GLOBAL __attribute__((opencl_global))
#define KITTENS_LOCAL __attribute__((opencl_local))
#else
#define KITTENS_GLOBAL
#define KITTENS_LOCAL
#endif
// In SYCL mode an undecorated pointer is generic, while the block instructions want private memory.
#if defined(__SYCL_DEVICE_ONLY__)
#define KITTENS_PRIVATE __attribute__((opencl_private))
#else
#define KITTENS_PRIVATE
#endif

#define KITTENS_INLINE __attribute__((always_inline)) inline
#define KITTENS_NOINLINE __attribute__((noinline))

// For parts of the xe lowering that repeat much code: inlined for the GPU; kept apart in the software form, where the
// time that an OpenCL device's compiler takes counts for more than a call.
#if defined(KITTENS_XE_SOFTWARE)
#define KITTENS_INLINE_NATIVE __attribute__((noinline))
#else
#define KITTENS_INLINE_NATIVE KITTENS_INLINE
#endif

// Before a statement: calls of lambdas in it are inlined whatever their size, so that what they capture stays in registers.
#if KITTENS_DEVICE_PASS && !defined(KITTENS_XE_SOFTWARE) && defined(__clang__)
#define KITTENS_INLINE_CALLS [[clang::always_inline]]
#else
#define KITTENS_INLINE_CALLS
#endif

// Before a loop: unroll it whole; unroll it N times (1: not at all). N may depend on a template parameter, which GCC's
// pragma does not take, so there it is only a hint that is not given.
#define KITTENS_PRAGMA(X) _Pragma(#X)
// The software form, and tests: the same code as loops, which compiles several times faster. In the software form they must
// stay loops: unrolled, a kernel takes an OpenCL device's compiler up to thirty times as long (runtime: inspect::keep_loops).
#if defined(KITTENS_XE_SOFTWARE) && defined(__clang__) && !defined(KITTENS_TARGET_CPU)
#define KITTENS_UNROLL KITTENS_PRAGMA(clang loop unroll(disable))
#define KITTENS_UNROLL_BY(N) KITTENS_PRAGMA(clang loop unroll(disable))
#elif (defined(KITTENS_ROLLED) || defined(KITTENS_XE_SOFTWARE)) && !defined(KITTENS_TARGET_CPU)
#define KITTENS_UNROLL
#define KITTENS_UNROLL_BY(N)
#elif defined(__clang__)
#define KITTENS_UNROLL KITTENS_PRAGMA(clang loop unroll(full))
#define KITTENS_UNROLL_BY(N) KITTENS_PRAGMA(clang loop unroll_count(N))
#else
#define KITTENS_UNROLL KITTENS_PRAGMA(GCC unroll 65534)
#define KITTENS_UNROLL_BY(N)
#endif

namespace kittens {

/// Lanes in a subgroup: DPAS and the 2-D block instructions exist for 16 only.
inline constexpr int subgroup_size = 16;

}  // namespace kittens
