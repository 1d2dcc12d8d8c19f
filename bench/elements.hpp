// SPDX-License-Identifier: Apache-2.0
// What the data of all benchmarks are made with: random numbers from a counter, and element types at run time.
#pragma once

#include <kittens/base/types.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>

namespace kittens::bench {

/// SplitMix: a counter becomes a random number.
inline std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// Calls f with a null pointer of the element type. Throws std::invalid_argument, which begins with `refusal`, for other types.
template <class F> auto with_type(dtype type, const char* refusal, F f) {
    switch (type) {
    case dtype::f32: return f(static_cast<float*>(nullptr));
    case dtype::bf16: return f(static_cast<bf16*>(nullptr));
    case dtype::f16: return f(static_cast<half*>(nullptr));
    case dtype::i8: return f(static_cast<int8*>(nullptr));
    case dtype::i32: return f(static_cast<int32*>(nullptr));
    default: throw std::invalid_argument(fmt::format("{} of {}", refusal, name_of(type)));
    }
}

}  // namespace kittens::bench
