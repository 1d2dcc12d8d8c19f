// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10, a random number generator whose state is a counter (J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", 2011). The same on the host and on every target.
#pragma once

#include <cstdint>

namespace kernels {

struct philox_block {
    std::uint32_t x[4];
};

/// The block of four random words of a counter under a key.
constexpr philox_block philox(std::uint32_t c0, std::uint32_t c1, std::uint32_t c2, std::uint32_t c3, std::uint32_t k0, std::uint32_t k1) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p = std::uint64_t(0xd2511f53u) * c0, q = std::uint64_t(0xcd9e8d57u) * c2;
        const std::uint32_t n0 = std::uint32_t(q >> 32) ^ c1 ^ k0, n2 = std::uint32_t(p >> 32) ^ c3 ^ k1;
        c1 = std::uint32_t(q);
        c3 = std::uint32_t(p);
        c0 = n0;
        c2 = n2;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return {{c0, c1, c2, c3}};
}

/// The upper 64 bits of the product of a and b, which is below 2^57. The halves of b are 31 bits apart: clang 22 takes the usual form,
/// with 32, for a product of 128 bits, which SPIR-V does not have.
constexpr std::uint64_t product_high(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t a0 = std::uint32_t(a), a1 = a >> 32, b0 = b & 0x7fffffffu, b1 = b >> 31;
    const std::uint64_t lower = (a0 * b0 >> 31) + a0 * b1, middle = a1 * b0 + (lower >> 1);
    return (a1 * b1 + (middle >> 31)) >> 1;
}

}  // namespace kernels
