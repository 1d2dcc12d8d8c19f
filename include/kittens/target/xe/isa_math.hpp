// SPDX-License-Identifier: Apache-2.0
//
// kittens::isa, scalar mathematics and conversions. Included by isa.hpp.
// The native functions are one `math` instruction on Xe, with its accuracy (a few units in the last place of float; less
// for sin and cos of large arguments). The software form takes OpenCL's full functions, and the emulator rounds the exact ones,
// so results differ in the last bits.
#pragma once

#include <kittens/model/numeric.hpp>
#include <kittens/target/xe/isa.hpp>
#include <kittens/target/xe/mutants.hpp>

namespace kittens::isa {

namespace detail {
#if defined(KITTENS_XE_SOFTWARE)
/// f of every component, one after another.
template <class To, int N, class From, class F> KITTENS_ISA vec<To, N> each_component(const vec<From, N>& v, F f) {
    if constexpr (N == 1) {
        return f(v);
    } else {
        vec<To, N> r;
#pragma clang loop unroll(disable)
        for (int i = 0; i < N; ++i) r[i] = f(v[i]);
        return r;
    }
}
#endif
}  // namespace detail

#if defined(KITTENS_XE_SOFTWARE)
// OpenCL leaves the accuracy of native_ functions to the device, and 14 bits were seen; the others are bounded, like Xe's `math`
// instruction, in units in the last place: exp2, log2 and sqrt 3, rsqrt 2, a quotient 2.5, sin and cos 4.
KITTENS_ISA float exp2(float v) { return __spirv_ocl_exp2(v); }
KITTENS_ISA float log2(float v) { return __spirv_ocl_log2(v); }
KITTENS_ISA float rsqrt(float v) { return __spirv_ocl_rsqrt(v); }
KITTENS_ISA float recip(float v) {
#pragma clang fp reciprocal(off) reassociate(off)  // else the module asks for an approximation
    return 1.0F / v;
}
KITTENS_ISA float sqrt(float v) { return __spirv_ocl_sqrt(v); }
KITTENS_ISA float sin(float v) { return __spirv_ocl_sin(v); }
KITTENS_ISA float cos(float v) { return __spirv_ocl_cos(v); }
#elif KITTENS_ISA_DEVICE
/// 2 to the power v.
KITTENS_ISA float exp2(float v) { return native_exp2(v); }
/// Logarithm to base 2.
KITTENS_ISA float log2(float v) { return native_log2(v); }
/// 1 / sqrt(v).
KITTENS_ISA float rsqrt(float v) { return native_rsqrt(v); }
/// 1 / v.
KITTENS_ISA float recip(float v) { return native_recip(v); }
KITTENS_ISA float sqrt(float v) { return native_sqrt(v); }
KITTENS_ISA float sin(float v) { return native_sin(v); }
KITTENS_ISA float cos(float v) { return native_cos(v); }
#else
KITTENS_ISA float exp2(float v) { return __builtin_exp2f(v); }
KITTENS_ISA float log2(float v) { return __builtin_log2f(v); }
KITTENS_ISA float rsqrt(float v) { return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(v))); }
KITTENS_ISA float recip(float v) { return 1.0F / v; }
KITTENS_ISA float sqrt(float v) { return __builtin_sqrtf(v); }
KITTENS_ISA float sin(float v) { return __builtin_sinf(v); }
KITTENS_ISA float cos(float v) { return __builtin_cosf(v); }
#endif

/// e to the power v, through exp2.
KITTENS_ISA float exp(float v) { return exp2(v * 1.44269504088896340736F); }
/// Natural logarithm, through log2.
KITTENS_ISA float log(float v) { return log2(v) * 0.693147180559945309417F; }
KITTENS_ISA float abs(float v) { return __builtin_fabsf(v); }
/// Larger (smaller) value; the other one where one is NaN.
KITTENS_ISA float max(float a, float b) { return __builtin_fmaxf(a, b); }
KITTENS_ISA float min(float a, float b) { return __builtin_fminf(a, b); }
/// a * b + c, rounded once.
KITTENS_ISA float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
/// Hyperbolic tangent: 1 - 2 / (e^2v + 1), and the series near zero, where that form cancels.
KITTENS_ISA float tanh(float v) {
    const float small = v * (1.0F - v * v * 0.333333333F);
    const float large = 1.0F - 2.0F * recip(exp(2.0F * v) + 1.0F);
    return abs(v) < 0.03F ? small : large;
}

// ---- conversions ---------------------------------------------------------------------------------------------------------------

/// float to bf16 bits, round to nearest even, NaN stays NaN; N = 1, 2, 4, 8, 16 components in one instruction.
template <int N> KITTENS_ISA vec<short, N> f32_to_bf16(const vec<float, N>& v) {
#if defined(KITTENS_XE_SOFTWARE)
    // In integers, which the device's compiler does for all lanes at once; its own conversion it does lane by lane.
    return detail::each_component<short, N, float>(v, [](float x) { return static_cast<short>(model::f32_to_bf16(x)); });
#elif KITTENS_ISA_DEVICE
    return __spirv_ConvertFToBF16INTEL(v);
#else
    const auto rounded = [](float x) {
        return static_cast<short>(mutated(mutant::truncating_conversion) ? __builtin_bit_cast(unsigned, x) >> 16 : model::f32_to_bf16(x));
    };
    if constexpr (N == 1) {
        return rounded(v);
    } else {
        vec<short, N> r;
        for (int i = 0; i < N; ++i) r[i] = rounded(v[i]);
        return r;
    }
#endif
}
/// float to half, round to nearest even.
template <int N> KITTENS_ISA vec<half, N> f32_to_f16(const vec<float, N>& v) {
    if constexpr (N == 1) {
        return static_cast<half>(v);
    } else {
#if defined(KITTENS_XE_SOFTWARE)
        return detail::each_component<half, N, float>(v, [](float x) { return static_cast<half>(x); });
#elif KITTENS_ISA_DEVICE
        if constexpr (N == 2) return __spirv_FConvert_Rhalf2(v);
        else if constexpr (N == 4) return __spirv_FConvert_Rhalf4(v);
        else if constexpr (N == 8) return __spirv_FConvert_Rhalf8(v);
        else return __spirv_FConvert_Rhalf16(v);
#else
        return __builtin_convertvector(v, vec<half, N>);
#endif
    }
}
/// bf16 bits to float, exact.
template <int N> KITTENS_ISA vec<float, N> bf16_to_f32(const vec<short, N>& v) {
#if defined(KITTENS_XE_SOFTWARE)
    return detail::each_component<float, N, short>(v, [](short x) { return model::bf16_to_f32(static_cast<unsigned short>(x)); });
#elif KITTENS_ISA_DEVICE
    return __spirv_ConvertBF16ToFINTEL(v);
#else
    if constexpr (N == 1) {
        return model::bf16_to_f32(static_cast<unsigned short>(v));
    } else {
        vec<float, N> r;
        for (int i = 0; i < N; ++i) r[i] = model::bf16_to_f32(static_cast<unsigned short>(v[i]));
        return r;
    }
#endif
}

}  // namespace kittens::isa
