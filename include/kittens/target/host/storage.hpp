// SPDX-License-Identifier: Apache-2.0
// Host translation units name tile types (in policies and globals) but never hold a tile.
#pragma once

#include <kittens/base/shape.hpp>
#include <kittens/base/target.hpp>

namespace kittens::inline KITTENS_NS::storage {

template <class T, int M, int N, layout L, base_shape S> struct tile_storage {};
template <class T, int N, vector_layout V> struct vector_storage {};

}  // namespace kittens::inline KITTENS_NS::storage
