// SPDX-License-Identifier: Apache-2.0
// Shared tiles on the cpu target: ordinary memory of the workgroup. Work that several subgroups share is cut by rows.
#pragma once

#include <kittens/target/cpu/movement.hpp>
#include <kittens/target/cpu/reductions.hpp>
#include <kittens/tile/st.hpp>
#include <kittens/tile/rt.hpp>

namespace kittens::inline KITTENS_NS::lower {

template <class ST, class GL>
KITTENS_INLINE void load_shared(const ST& dst, const GL& src, const place& at, int part, int parts) {
    const clipped_area in(src, at, ST::rows, ST::cols);
    const auto* from = in.rows ? address(src, at) : nullptr;
    for (int i = part; i < ST::rows; i += parts) {
        auto* to = dst.data + i * ST::pitch;
        if (i >= in.skip_rows && i < in.skip_rows + in.rows && in.skip_cols == 0) load_row(from + std::int64_t(i) * src.row_stride, to, in.cols, ST::cols);
        else
            for (int j = 0; j < ST::cols; ++j) {
                const bool inside = i >= in.skip_rows && i < in.skip_rows + in.rows && j >= in.skip_cols && j < in.skip_cols + in.cols;
                to[j] = inside ? convert<typename ST::element>(from[std::int64_t(i) * src.row_stride + j]) : convert<typename ST::element>(0.0f);
            }
    }
}
template <class GL, class ST>
KITTENS_INLINE void store_shared(const GL& dst, const ST& src, const place& at, int part, int parts) {
    const clipped_area in(dst, at, ST::rows, ST::cols);
    if (in.rows == 0) return;
    auto* to = address(dst, at);
    for (int i = part; i < ST::rows; i += parts) {
        if (i < in.skip_rows || i >= in.skip_rows + in.rows) continue;
        const auto* from = src.data + i * ST::pitch;
        auto* row = to + std::int64_t(i) * dst.row_stride;
        if (in.skip_cols == 0) store_row(from, row, in.cols);
        else
            for (int j = in.skip_cols; j < in.skip_cols + in.cols; ++j) row[j] = convert<typename GL::value_type>(from[j]);
    }
}
template <class SV, class GL>
KITTENS_INLINE void load_shared_vector(const SV& dst, const GL& src, const place& at, int part, int) {
    if (part != 0) return;
    const clipped_area in(src, at, 1, SV::length);
    for (int i = 0; i < SV::length; ++i) {
        const bool inside = in.rows && i >= in.skip_cols && i < in.skip_cols + in.cols;
        dst.data[i] = inside ? convert<typename SV::element>(address(src, at)[i]) : convert<typename SV::element>(0.0f);
    }
}
template <class GL, class SV>
KITTENS_INLINE void store_shared_vector(const GL& dst, const SV& src, const place& at, int part, int) {
    if (part != 0) return;
    const clipped_area in(dst, at, 1, SV::length);
    for (int i = in.skip_cols; i < in.skip_cols + in.cols; ++i) address(dst, at)[i] = convert<typename GL::value_type>(src.data[i]);
}

template <class RT, class ST> KITTENS_INLINE void load_from_shared(RT& dst, const ST& src) {
    dst.overwrite();
    for (int i = 0; i < RT::rows; ++i) convert_row(src.data + i * ST::pitch, dst.row(i), RT::cols);
}
template <class ST, class RT> KITTENS_INLINE void store_to_shared(const ST& dst, const RT& src) {
    src.settle();
    for (int i = 0; i < RT::rows; ++i) convert_row(src.row(i), dst.data + i * ST::pitch, RT::cols);
}
template <class RV, class SV> KITTENS_INLINE void load_vector_from_shared(RV& dst, const SV& src) {
    using T = typename RV::element;
    for (int i = 0; i < RV::length; ++i) dst.v[i] = wide_t<T>(convert<T>(src.data[i]));
}
template <class SV, class RV> KITTENS_INLINE void store_vector_to_shared(const SV& dst, const RV& src) {
    for (int i = 0; i < RV::length; ++i) dst.data[i] = convert<typename SV::element>(src.v[i]);
}

template <class D, class F, class... S>
KITTENS_INLINE void map_shared(const D& dst, int part, int parts, F f, const S&... src) {
    using T = typename D::element;
    if constexpr (requires { D::pitch; }) {
        for (int i = part; i < D::rows; i += parts)
            for (int j = 0; j < D::cols; ++j)
                dst.data[i * D::pitch + j] = convert<T>(wide_t<T>(f(i, j, wide_t<typename S::element>(src.data[i * S::pitch + j])...)));
    } else if (part == 0) {
        for (int i = 0; i < D::length; ++i) dst.data[i] = convert<T>(wide_t<T>(f(0, i, wide_t<typename S::element>(src.data[i])...)));
    }
}
template <bool PerRow, class Op, class S, class V>
KITTENS_INLINE void map_shared_vector(const S& dst, const S& src, const V& v) {
    map_shared(dst, 0, 1, [&](int r, int c, auto x) { return Op::op(x, wide_t<typename S::element>(v.data[PerRow ? r : c])); }, src);
}
template <bool PerRow, class Op, class V, class S>
KITTENS_INLINE void reduce_shared(const V& dst, const S& src) {
    using X = wide_t<typename S::element>;
    constexpr int step = PerRow ? 1 : S::pitch, across = PerRow ? S::pitch : 1, length = PerRow ? S::cols : S::rows;
    for (int i = 0; i < V::length; ++i) {
        X x = X(src.data[i * across]);
        for (int j = 1; j < length; ++j) x = Op::op(x, X(src.data[i * across + j * step]));
        dst.data[i] = convert<typename V::element>(wide_t<typename V::element>(x));
    }
}
template <class Op, class V> KITTENS_INLINE auto reduce_shared_vector(const V& src) {
    rv<typename V::element, V::length, vector_layout::naive> r;
    load_vector_from_shared(r, src);
    return reduce_vector<Op>(r);
}

}  // namespace kittens::inline KITTENS_NS::lower
