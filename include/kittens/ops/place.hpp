// SPDX-License-Identifier: Apache-2.0
// Where a movement starts, in elements: what coordinates become before they reach a target.
#pragma once

#include <kittens/base/shape.hpp>
#include <kittens/base/target.hpp>

namespace kittens::inline KITTENS_NS::lower {

/// Matrix (b, d), first row and column in elements.
struct place {
    int b, d, row, col;
};

template <class Tile> constexpr place place_of(coord<Tile> at, offset extra = {}) {
    return {at.b, at.d, at.r * Tile::rows + extra.row, at.c * Tile::cols + extra.col};
}

}  // namespace kittens::inline KITTENS_NS::lower
