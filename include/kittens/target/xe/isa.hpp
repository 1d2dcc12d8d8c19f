// SPDX-License-Identifier: Apache-2.0
//
// kittens::isa: the instructions of the xe target as functions with compile-time shapes. The tile lowering calls these and
// nothing below them. One source, three executions:
//   device pass (--target=spirv64)              SPIR-V builtins (spirv.hpp)
//   the same with KITTENS_XE_SOFTWARE           matrix, 2-D block and split-barrier instructions from software.hpp
//   host pass (target emulated)                 the emulator (kittens/target/emulated/lane.hpp)
// Every lane of a subgroup calls a collective function together with the same uniform arguments.
//
// A shape that the hardware does not have is a compile-time error. KITTENS_XE_ARCH_PVC, _BMG or _CRI widen the portable
// set to what that device has in addition; the emulator accepts the union.
#pragma once

#include <kittens/model/block_layout.hpp>
#include <kittens/model/block_shape.hpp>
#include <kittens/model/dpas.hpp>
#include <kittens/target/xe/spirv.hpp>

#define KITTENS_ISA inline __attribute__((always_inline))

#if defined(__SPIRV__) || defined(__SPIR__)
#define KITTENS_ISA_DEVICE 1
#if defined(KITTENS_XE_SOFTWARE)
#include <kittens/target/xe/software.hpp>
#endif
#else
#define KITTENS_ISA_DEVICE 0
#include <kittens/target/emulated/lane.hpp>
#endif

// Where a collective is called from, for the emulator: lanes must come to it on the same path.
#if KITTENS_ISA_DEVICE
#define KITTENS_AT
#define KITTENS_AT_ALONE
#define KITTENS_AT_VALUE
#else
#define KITTENS_AT_ALONE std::source_location at = std::source_location::current()
#define KITTENS_AT , KITTENS_AT_ALONE
#define KITTENS_AT_VALUE , at
#endif

namespace kittens::isa {

using model::dpas_kind;
using xe_vec::half;
using xe_vec::vec;

/// The device whose shapes are accepted by this translation unit.
#if defined(KITTENS_XE_ARCH_PVC)
inline constexpr model::device arch = model::device::pvc;
#elif defined(KITTENS_XE_ARCH_BMG)
inline constexpr model::device arch = model::device::bmg;
#elif defined(KITTENS_XE_ARCH_CRI)
inline constexpr model::device arch = model::device::cri;
#elif KITTENS_ISA_DEVICE
inline constexpr model::device arch = model::device::portable;
#else
inline constexpr model::device arch = model::device::any;
#endif

/// A matrix in global memory as the 2-D block instructions see it. Base 64-byte aligned, width and pitch in bytes, width at
/// least 64 and a multiple of 4, pitch at least the width and a multiple of 16, height in rows.
struct surface {
    const KITTENS_GLOBAL void* base;
    int width_bytes;
    int height;
    int pitch_bytes;
};

// ---- compile-time checks -------------------------------------------------------------------------------------------------------

template <model::block_op Op, int elem_bytes, int width, int height, int count>
inline constexpr bool block_exists = model::legal(Op, {elem_bytes, width, height, count}, arch);

template <dpas_kind Kind, int M> inline constexpr bool dpas_exists = model::legal_dpas(Kind, M, arch);

namespace detail {

template <class T> struct component {
    using type = T;
};
template <class T>
    requires requires(T v) { v[0]; }
struct component<T> {
    template <class U> struct strip {
        using type = U;
    };
    template <class U> struct strip<U&> {
        using type = U;
    };
    using type = typename component<typename strip<decltype(static_cast<T*>(nullptr)[0][0])>::type>::type;
};

/// Bytes of the scalar that a register array is made of.
template <class T> inline constexpr int component_bytes = static_cast<int>(sizeof(typename component<T>::type));

template <model::element E, int N> struct components;
template <int N> struct components<model::element::f32, N> {
    using type = vec<float, N>;
};
template <int N> struct components<model::element::tf32, N> {
    using type = vec<float, N>;
};
template <int N> struct components<model::element::s32, N> {
    using type = vec<int, N>;
};
template <int N> struct components<model::element::bf16, N> {
    using type = vec<short, N>;
};
template <int N> struct components<model::element::f16, N> {
    using type = vec<half, N>;
};

template <dpas_kind K, int M> struct dpas_a {
    using type = vec<short, M>;
};
template <int M> struct dpas_a<dpas_kind::tf32, M> {
    using type = vec<float, (M + 1) / 2>;
};
template <dpas_kind K> struct dpas_b {
    using type = vec<int, 8>;
};
template <> struct dpas_b<dpas_kind::tf32> {
    using type = vec<float, 8>;
};

}  // namespace detail

// ---- matrix multiply accumulate ------------------------------------------------------------------------------------------------

/// Per-lane form of operand A with M rows, of operand B, and of the accumulator with M rows (model/dpas.hpp says which
/// element is where).
template <dpas_kind Kind, int M> using a_operand = typename detail::dpas_a<Kind, M>::type;
template <dpas_kind Kind> using b_operand = typename detail::dpas_b<Kind>::type;
template <dpas_kind Kind, int M> using accumulator = typename detail::components<model::form(Kind).acc, M>::type;

/// result = a x b + c for M rows (1, 2, 4, 8), 16 columns and the kind's depth. Collective.
template <dpas_kind Kind, int M>
KITTENS_ISA KITTENS_CONVERGENT accumulator<Kind, M> dpas(const a_operand<Kind, M>& a, const b_operand<Kind>& b,
                                                         const accumulator<Kind, M>& c KITTENS_AT) {
    static_assert(
        dpas_exists<Kind, M>,
        "kittens::isa::dpas: no such matrix instruction; rows M must be 1, 2, 4 or 8, and fp8 and fp4 kinds need "
        "KITTENS_XE_ARCH_CRI");
#if !KITTENS_ISA_DEVICE
    accumulator<Kind, M> r;
    emulated::dpas(Kind, M, &a, &b, &c, &r, at);
    return r;
#elif defined(KITTENS_XE_SOFTWARE)
    return xe_software::dpas<Kind, M>(a, b, c);
#else
    return __spirv_SubgroupMatrixMultiplyAccumulateINTEL(model::form(Kind).k(), a, b, c, model::form(Kind).operands);
#endif
}

// ---- 2-D blocks ----------------------------------------------------------------------------------------------------------------

#define KITTENS_BLOCK_CHECK(FUNCTION, OP, LEGAL)                     \
    static_assert(block_exists<OP, ElemBytes, Width, Height, Count>, \
                  "kittens::isa::" FUNCTION ": no such block <element bytes, width, height, count>; legal are " LEGAL)

/// Plain load of Count blocks of Height rows x Width elements at element column x, row y; elements outside the surface
/// read zero. `dst` receives model::block_layout's order; its component type is one row's data per lane (1-byte width 32:
/// 2 bytes, 2-byte width 32: 4 bytes, else the element). Collective.
template <int ElemBytes, int Width, int Height, int Count = 1, class T>
KITTENS_ISA KITTENS_CONVERGENT void load_2d(const surface& s, int x, int y, T* dst KITTENS_AT) {
    KITTENS_BLOCK_CHECK("load_2d", model::block_op::load,
                        "1 byte: 32 x {1,2,4,8,16,32} x{1,2}, 16 x {8,16,32} x4; 2 bytes: 16 x {1,2,4,8,16,32} x{1,2}; "
                        "4 bytes: 16 x {1,2,4,8,16,32} x1, 8 x {1,2,4,8,16,32} x{1,2}");
    static_assert(
        detail::component_bytes<T> == model::component_bytes(model::block_op::load, {ElemBytes, Width, Height, Count}),
        "kittens::isa::load_2d: the destination's component size must be one row's data per lane (1-byte width 32 "
        "and 2-byte width 16: 2 bytes; 2-byte width 32 and 4-byte: 4 bytes; 1-byte width 16: 1 byte)");
#if !KITTENS_ISA_DEVICE
    emulated::block(model::block_op::load, {ElemBytes, Width, Height, Count}, s.base, s.width_bytes, s.height,
                    s.pitch_bytes, x, y, dst, at);
#elif defined(KITTENS_XE_SOFTWARE)
    xe_software::load<model::block_op::load, ElemBytes, Width, Height, Count>(s.base, s.width_bytes, s.height,
                                                                              s.pitch_bytes, x, y, dst);
#else
    __spirv_Subgroup2DBlockLoadINTEL(ElemBytes, Width, Height, Count, s.base, s.width_bytes, s.height, s.pitch_bytes,
                                     xe_vec::int2{x, y}, (KITTENS_PRIVATE void*)dst);
#endif
}

/// Load with VNNI packing: 4 rows of 1-byte or 2 rows of 2-byte elements of one column make one 32-bit component, which is
/// operand B's form. Collective.
template <int ElemBytes, int Width, int Height, int Count = 1, class T>
KITTENS_ISA KITTENS_CONVERGENT void load_2d_transform(const surface& s, int x, int y, T* dst KITTENS_AT) {
    KITTENS_BLOCK_CHECK("load_2d_transform", model::block_op::transform,
                        "1 byte: 16 x 32 x{1,2,4}; 2 bytes: 16 x {16,32} x{1,2}");
    static_assert(detail::component_bytes<T> == 4,
                  "kittens::isa::load_2d_transform: the destination's components must be 4 bytes (packed rows)");
#if !KITTENS_ISA_DEVICE
    emulated::block(model::block_op::transform, {ElemBytes, Width, Height, Count}, s.base, s.width_bytes, s.height,
                    s.pitch_bytes, x, y, dst, at);
#elif defined(KITTENS_XE_SOFTWARE)
    xe_software::load<model::block_op::transform, ElemBytes, Width, Height, Count>(s.base, s.width_bytes, s.height,
                                                                                   s.pitch_bytes, x, y, dst);
#else
    __spirv_Subgroup2DBlockLoadTransformINTEL(ElemBytes, Width, Height, Count, s.base, s.width_bytes, s.height,
                                              s.pitch_bytes, xe_vec::int2{x, y}, (KITTENS_PRIVATE void*)dst);
#endif
}

/// Transposing load: lane = memory row, component = memory column. Only 4-byte elements exist; 16-bit data is transposed
/// as pairs, which is operand B's form for a matrix stored N x K. Height 32 is refused: compiled code orders its rows
/// differently from the specification. Collective.
template <int ElemBytes, int Width, int Height, int Count = 1, class T>
KITTENS_ISA KITTENS_CONVERGENT void load_2d_transpose(const surface& s, int x, int y, T* dst KITTENS_AT) {
    KITTENS_BLOCK_CHECK("load_2d_transpose", model::block_op::transpose,
                        "4 bytes: 8 x 16 x1 (transpose 16-bit pairs as 4-byte elements)");
    static_assert(Height == 16,
                  "kittens::isa::load_2d_transpose: height must be 16; the compiler's row order for height 32 "
                  "is not the specification's");
    static_assert(detail::component_bytes<T> == 4,
                  "kittens::isa::load_2d_transpose: the destination's components must be "
                  "4 bytes");
#if !KITTENS_ISA_DEVICE
    emulated::block(model::block_op::transpose, {ElemBytes, Width, Height, Count}, s.base, s.width_bytes, s.height,
                    s.pitch_bytes, x, y, dst, at);
#elif defined(KITTENS_XE_SOFTWARE)
    xe_software::load<model::block_op::transpose, ElemBytes, Width, Height, Count>(s.base, s.width_bytes, s.height,
                                                                                   s.pitch_bytes, x, y, dst);
#else
    __spirv_Subgroup2DBlockLoadTransposeINTEL(ElemBytes, Width, Height, Count, s.base, s.width_bytes, s.height,
                                              s.pitch_bytes, xe_vec::int2{x, y}, (KITTENS_PRIVATE void*)dst);
#endif
}

/// Warms the cache with a block; elements outside the surface are ignored. Collective.
template <int ElemBytes, int Width, int Height, int Count = 1>
KITTENS_ISA KITTENS_CONVERGENT void prefetch_2d(const surface& s, int x, int y KITTENS_AT) {
    KITTENS_BLOCK_CHECK("prefetch_2d", model::block_op::prefetch,
                        "1 byte: 32 x {1,2,4,8,16,32} x{1,2}; 2 bytes: 16 x {1,2,4,8,16,32} x{1,2}; 4 bytes: 8 x "
                        "{1,2,4,8,16,32} x{1,2}, 16 x {1,2,4,8,16,32} x1");
#if !KITTENS_ISA_DEVICE
    emulated::block(model::block_op::prefetch, {ElemBytes, Width, Height, Count}, s.base, s.width_bytes, s.height,
                    s.pitch_bytes, x, y, nullptr, at);
#elif defined(KITTENS_XE_SOFTWARE)
    (void)s, (void)x, (void)y;  // a hint: nothing to do in software
#else
    __spirv_Subgroup2DBlockPrefetchINTEL(ElemBytes, Width, Height, Count, s.base, s.width_bytes, s.height,
                                         s.pitch_bytes, xe_vec::int2{x, y});
#endif
}

/// Stores one block; elements outside the surface are dropped. Height at most 8, one block. Collective.
template <int ElemBytes, int Width, int Height, class T>
KITTENS_ISA KITTENS_CONVERGENT void store_2d(const surface& s, int x, int y, const T* src KITTENS_AT) {
    constexpr int Count = 1;
    KITTENS_BLOCK_CHECK("store_2d", model::block_op::store,
                        "1 byte: {16,32} x {1,2,4,8} x1; 2 bytes: 16 x {1,2,4,8} x1; 4 bytes: 16 x {1,2,4,8} x1");
    static_assert(
        detail::component_bytes<T> == model::component_bytes(model::block_op::store, {ElemBytes, Width, Height, 1}),
        "kittens::isa::store_2d: the source's component size must be one row's data per lane");
#if !KITTENS_ISA_DEVICE
    emulated::block(model::block_op::store, {ElemBytes, Width, Height, 1}, s.base, s.width_bytes, s.height,
                    s.pitch_bytes, x, y, const_cast<T*>(src), at);
#elif defined(KITTENS_XE_SOFTWARE)
    xe_software::store<ElemBytes, Width, Height>((KITTENS_GLOBAL void*)s.base, s.width_bytes, s.height, s.pitch_bytes,
                                                 x, y, src);
#else
    __spirv_Subgroup2DBlockStoreINTEL(ElemBytes, Width, Height, 1, (KITTENS_PRIVATE void*)src,
                                      (KITTENS_GLOBAL void*)s.base, s.width_bytes, s.height, s.pitch_bytes,
                                      xe_vec::int2{x, y});
#endif
}

#undef KITTENS_BLOCK_CHECK

}  // namespace kittens::isa

#include <kittens/target/xe/isa_lanes.hpp>
#include <kittens/target/xe/isa_math.hpp>
#include <kittens/target/xe/isa_memory.hpp>
#include <kittens/target/xe/isa_sync.hpp>
