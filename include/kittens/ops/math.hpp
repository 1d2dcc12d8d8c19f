// SPDX-License-Identifier: Apache-2.0
// Element functions: what maps and reductions apply. Each takes and returns the compute type: float for all float
// elements, int32 for all integer elements.
#pragma once

#include <kittens/tile/rt.hpp>

#if defined(KITTENS_TARGET_CPU)
#include <kittens/target/cpu/math.hpp>
#elif KITTENS_XE_LOWERING
#include <kittens/target/xe/math.hpp>
#endif

namespace kittens {

/// What arithmetic on an element type is done in.
template <class T> using compute_t = std::conditional_t<is_integer_element<T>, int32, float>;

}  // namespace kittens

#if KITTENS_HAS_TILE_OPS
namespace kittens::inline KITTENS_NS::base_ops {

// Constants and unary functions.
struct zero { template <class X> static constexpr X op(X) { return X(0); } };
struct one { template <class X> static constexpr X op(X) { return X(1); } };
struct pos_infty { static constexpr float op(float) { return __builtin_inff(); } };
struct neg_infty { static constexpr float op(float) { return -__builtin_inff(); } };
struct copy { template <class X> static constexpr X op(X x) { return x; } };
struct neg { template <class X> static constexpr X op(X x) { return -x; } };
struct abs { template <class X> static constexpr X op(X x) { return x < X(0) ? -x : x; } };
struct relu { template <class X> static constexpr X op(X x) { return x > X(0) ? x : X(0); } };
struct exp { KITTENS_INLINE static float op(float x) { return lower::exp2(x * 1.44269504088896340736f); } };
struct exp2 { KITTENS_INLINE static float op(float x) { return lower::exp2(x); } };
struct log { KITTENS_INLINE static float op(float x) { return lower::log2(x) * 0.69314718055994530942f; } };
struct log2 { KITTENS_INLINE static float op(float x) { return lower::log2(x); } };
struct sqrt { KITTENS_INLINE static float op(float x) { return lower::sqrt(x); } };
struct rsqrt { KITTENS_INLINE static float op(float x) { return lower::rsqrt(x); } };
struct recip { KITTENS_INLINE static float op(float x) { return lower::recip(x); } };
struct sigmoid { KITTENS_INLINE static float op(float x) { return lower::recip(1.0f + lower::exp2(x * -1.44269504088896340736f)); } };
struct silu { KITTENS_INLINE static float op(float x) { return x * sigmoid::op(x); } };
/// tanh(x) = 1 - 2 / (1 + e^2x): no cancellation that a 16-bit result would show.
struct tanh { KITTENS_INLINE static float op(float x) { return 1.0f - 2.0f * lower::recip(1.0f + lower::exp2(x * 2.88539008177792681472f)); } };
/// The tanh form of GELU.
struct gelu { KITTENS_INLINE static float op(float x) { return 0.5f * x * (1.0f + tanh::op(0.79788456080286535588f * (x + 0.044715f * x * x * x))); } };

// Binary functions.
struct sum { template <class X> static constexpr X op(X a, X b) { return a + b; } };
struct sub { template <class X> static constexpr X op(X a, X b) { return a - b; } };
struct mul { template <class X> static constexpr X op(X a, X b) { return a * b; } };
struct div { template <class X> KITTENS_INLINE static X op(X a, X b) { if constexpr (std::is_same_v<X, float>) return lower::divide(a, b); else return a / b; } };
/// max and min ignore a NaN where the other operand is a number.
struct max { template <class X> KITTENS_INLINE static X op(X a, X b) { if constexpr (std::is_same_v<X, float>) return lower::fmax(a, b); else return a > b ? a : b; } };
struct min { template <class X> KITTENS_INLINE static X op(X a, X b) { if constexpr (std::is_same_v<X, float>) return lower::fmin(a, b); else return a < b ? a : b; } };

}  // namespace kittens::inline KITTENS_NS::base_ops
#endif
