// SPDX-License-Identifier: Apache-2.0
// Scalar functions of the xe target: one `math` instruction each, but for division.
#pragma once

#include <kittens/base/target.hpp>
#include <kittens/target/xe/isa.hpp>

namespace kittens::inline KITTENS_NS::lower {

KITTENS_INLINE float exp2(float x) { return isa::exp2(x); }
KITTENS_INLINE float log2(float x) { return isa::log2(x); }
KITTENS_INLINE float sqrt(float x) { return isa::sqrt(x); }
KITTENS_INLINE float rsqrt(float x) { return isa::rsqrt(x); }
KITTENS_INLINE float recip(float x) { return isa::recip(x); }
KITTENS_INLINE float divide(float a, float b) { return a * isa::recip(b); }
KITTENS_INLINE float fmax(float a, float b) { return isa::max(a, b); }
KITTENS_INLINE float fmin(float a, float b) { return isa::min(a, b); }

}  // namespace kittens::inline KITTENS_NS::lower
