// SPDX-License-Identifier: Apache-2.0
// Layout changes, transposition, sub-tiles. A tile is a row-major array whatever its layout, so a change of layout is a copy.
#pragma once

#include <kittens/target/cpu/maps.hpp>

namespace kittens::inline KITTENS_NS::lower {

template <tile D, tile S> KITTENS_INLINE void copy_elements(D& dst, const S& src) {
    src.settle();
    dst.overwrite();
    for (int i = 0; i < D::rows; ++i) convert_row(src.row(i), dst.row(i), D::cols);
}

template <tile D, tile S> KITTENS_INLINE void transpose(D& dst, const S& src) {
    src.settle();
    dst.overwrite();
    dst.fetch({src.row(0), S::pitch, S::rows, S::cols, true});
}

/// part = block (r, c) of src, and back; r and c count parts.
template <tile P, tile S> KITTENS_INLINE void extract(P& part, const S& src, int r, int c) {
    src.settle();
    part.overwrite();
    part.fetch({src.row(r * P::rows) + c * P::cols, S::pitch, P::rows, P::cols, false});
}
template <tile D, tile P> KITTENS_INLINE void insert(D& dst, const P& part, int r, int c) {
    part.settle();
    dst.settle();
    for (int i = 0; i < P::rows; ++i) convert_row(part.row(i), dst.row(r * P::rows + i) + c * P::cols, P::cols);
}

}  // namespace kittens::inline KITTENS_NS::lower
