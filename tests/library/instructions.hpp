// SPDX-License-Identifier: Apache-2.0
// Arguments of the test kernels, and how many words they write.
#pragma once

#include <kittens/base/target.hpp>

namespace library_tests {

/// A surface, a position, and room for the registers of all loads.
struct load_globals {
    const KITTENS_GLOBAL char* data;
    int width_bytes, height, pitch_bytes;
    int x, y;  ///< columns in 4-byte units, so that every element size may start there
    KITTENS_GLOBAL int* out;
};
inline constexpr int load_words = 187 * 16;

/// Operands, 8 words per lane each.
struct product_globals {
    const KITTENS_GLOBAL int* a;
    const KITTENS_GLOBAL int* b;
    const KITTENS_GLOBAL int* c;
    KITTENS_GLOBAL int* out;
};

/// A surface to store to, and values.
struct store_globals {
    KITTENS_GLOBAL char* data;
    int width_bytes, height, pitch_bytes;
    int x, y;
    const KITTENS_GLOBAL int* values;
};

}  // namespace library_tests
