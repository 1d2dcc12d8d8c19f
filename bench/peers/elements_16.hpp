// SPDX-License-Identifier: Apache-2.0
// bf16 and fp16 elements as floats, for libraries that do not take them as they are.
#pragma once

#include "plugin.hpp"

#include <cstdint>

namespace kittens::peers {

inline float widen_16(kittens_peer_dtype type, std::uint16_t bits) {
    if (type == KITTENS_PEER_BF16) return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
    return static_cast<float>(__builtin_bit_cast(_Float16, bits));
}

/// To nearest even. A NaN stays one.
inline std::uint16_t narrow_16(kittens_peer_dtype type, float x) {
    if (type != KITTENS_PEER_BF16) return __builtin_bit_cast(std::uint16_t, static_cast<_Float16>(x));
    const auto bits = __builtin_bit_cast(std::uint32_t, x);
    if (x != x) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace kittens::peers
