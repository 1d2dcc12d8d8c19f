// SPDX-License-Identifier: Apache-2.0
// Movement between global memory and tiles.
#pragma once

#include <kittens/ops/place.hpp>
#include <kittens/target/cpu/lines_ahead.hpp>
#include <kittens/target/cpu/maps.hpp>
#include <kittens/target/cpu/simd.hpp>
#include <kittens/target/cpu/storage.hpp>
#include <kittens/tile/gl.hpp>

#include <algorithm>

namespace kittens::inline KITTENS_NS::lower {

/// The part inside the tensor of an area of `rows` x `cols` elements of memory. `skip_rows` and `skip_cols` lie before its
/// beginning (negative coordinates).
struct clipped_area {
    int skip_rows, skip_cols, rows, cols;
    template <class GL> KITTENS_INLINE clipped_area(const GL& g, const place& at, int all_rows, int all_cols)
        : skip_rows(std::max(0, -at.row)), skip_cols(std::max(0, -at.col)),
          rows(std::max(0, std::min(all_rows, g.rows() - at.row) - skip_rows)),
          cols(std::max(0, std::min(all_cols, g.cols() - at.col) - skip_cols)) {
        if (rows == 0 || cols == 0) rows = cols = 0;
    }
};

template <class GL>
KITTENS_INLINE auto* address(const GL& g, const place& at) {
    return g.matrix(at.b, at.d) + (std::int64_t(at.row) * g.row_stride + at.col);
}

/// n elements, converted, with zeros up to `all`.
template <class To, class From>
KITTENS_INLINE void load_row(const From* from, To* to, int n, int all) {
    if (n == all && all % 16 == 0) {
        convert_row(from, to, all);
        return;
    }
    int i = 0;
    for (; i + 16 <= n; i += 16) convert_row(from + i, to + i, 16);
    for (; i < n; ++i) to[i] = convert<To>(from[i]);
    if (i < all) std::memset(static_cast<void*>(to + i), 0, (all - i) * sizeof(To));
}

/// n elements, converted.
template <class To, class From>
KITTENS_INLINE void store_row(const From* from, To* to, int n) {
    int i = 0;
    for (; i + 16 <= n; i += 16) convert_row(from + i, to + i, 16);
    if (i < n) {
        // A tile's row is a multiple of 16 long: converting 16 elements reads nothing outside it.
        To last[16];
        convert_row(from + i, last, 16);
        std::memcpy(static_cast<void*>(to + i), last, (n - i) * sizeof(To));
    }
}

template <bool Transposed, class RT, class GL>
KITTENS_INLINE void load_tile(RT& dst, const GL& src, const place& at) {
    using T = typename RT::element;
    constexpr int rows = Transposed ? RT::cols : RT::rows, cols = Transposed ? RT::rows : RT::cols;
    const clipped_area in(src, at, rows, cols);
    if (in.rows == 0) return dst.set_zero();
    if constexpr (std::is_same_v<T, typename GL::value_type>) {
        if (in.skip_rows + in.skip_cols == 0) {
            storage::memory_block<T> block{address(src, at), src.row_stride, in.rows, in.cols, Transposed, false,
                                           at.row, at.col, src.rows() - at.row - in.rows, src.cols() - at.col - in.cols};
            if constexpr (GL::is_read_only) dst.borrow(block);
            else {
                dst.overwrite();
                dst.fetch(block);
            }
            return;
        }
    }
    dst.overwrite();
    for (int i = 0; i < RT::stored_rows; ++i) std::memset(static_cast<void*>(dst.row(i)), 0, sizeof(T) * RT::cols);
    const auto* from = address(src, place{at.b, at.d, at.row + in.skip_rows, at.col + in.skip_cols});
    for (int i = 0; i < in.rows; ++i, from += src.row_stride) {
        if constexpr (Transposed)
            for (int j = 0; j < in.cols; ++j) dst.row(in.skip_cols + j)[in.skip_rows + i] = convert<T>(from[j]);
        else load_row(from, dst.row(in.skip_rows + i) + in.skip_cols, in.cols, in.cols);
    }
}

template <class RT, class GL> KITTENS_INLINE void load(RT& dst, const GL& src, const place& at) { load_tile<false>(dst, src, at); }
template <class RT, class GL> KITTENS_INLINE void load_transposed(RT& dst, const GL& src, const place& at) { load_tile<true>(dst, src, at); }

template <class RT, class GL>
KITTENS_INLINE void load_packed(RT& dst, const GL& src, const place& at) {
    using T = typename RT::element;
    constexpr int pack = 4 / int(sizeof(T));
    const clipped_area in(src, at, RT::rows / pack, RT::cols * pack);
    if (in.rows == 0) return dst.set_zero();
    if (in.skip_rows + in.skip_cols == 0) {
        const storage::memory_block<T> block{address(src, at), src.row_stride, in.rows * pack, in.cols / pack, false, true,
                                             at.row * pack, at.col / pack, (src.rows() - at.row - in.rows) * pack, (src.cols() - at.col - in.cols) / pack};
        if constexpr (GL::is_read_only) dst.borrow(block);
        else {
            dst.overwrite();
            dst.fetch(block);
        }
        return;
    }
    dst.overwrite();
    const auto* from = address(src, at);
    for (int i = 0; i < RT::rows; ++i)
        for (int j = 0; j < RT::cols; ++j) {
            const int r = i / pack, c = j * pack + i % pack;
            const bool inside = r >= in.skip_rows && r < in.skip_rows + in.rows && c >= in.skip_cols && c < in.skip_cols + in.cols;
            dst.row(i)[j] = inside ? from[r * src.row_stride + c] : T(0);
        }
}

/// Brings a row into the second-level cache.
template <class T>
KITTENS_INLINE void prefetch_row(const T* row, int n) {
    const auto* line = reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(row) & ~std::uintptr_t(63));
    for (const auto* end = reinterpret_cast<const char*>(row + n); line < end; line += 64) __builtin_prefetch(line, 0, 2);
}

/// Takes sums of type T to memory of type G.
template <class T, class G>
void take_sums(const storage::sum_sink& to, const void* sums, std::int64_t pitch, int row, int col, int n_rows, int n_cols) {
    const int rows = std::min(n_rows, to.rows - row), cols = std::min(n_cols, to.cols - col);
    const T* from = static_cast<const T*>(sums);
    if (cols == 32) {
        for (int i = 0; i < rows; ++i, from += pitch) convert_row(from, reinterpret_cast<G*>(to.at(row + i, col)), 32);
    } else if (cols > 0) {
        for (int i = 0; i < rows; ++i, from += pitch) store_row(from, reinterpret_cast<G*>(to.at(row + i, col)), cols);
    }
}

template <class GL, class RT>
KITTENS_INLINE void store(const GL& dst, const RT& src, const place& at) {
    const clipped_area in(dst, at, RT::rows, RT::cols);
    if (in.rows == 0) return;
    if constexpr (RT::may_wait) {
        using G = typename GL::value_type;
        if (src.product_waits() && in.skip_rows + in.skip_cols == 0 && in.rows <= src.waiting.rows && in.cols <= src.waiting.cols) {
            const std::int64_t stride = dst.row_stride * std::int64_t(sizeof(G));
            const storage::sum_sink sink{reinterpret_cast<std::byte*>(address(dst, at)), stride, in.rows, in.cols, sizeof(G), dst.rows() * stride > (std::int64_t(2) << 20), std::is_same_v<typename RT::element, G>,
                                         &take_sums<typename RT::element, G>};
            src.waiting.run(static_cast<const void*>(&static_cast<const typename RT::storage_base&>(src)), src.waiting, &sink);
            return;
        }
    }
    src.settle_rows(in.skip_rows + in.rows);
    auto* to = address(dst, place{at.b, at.d, at.row + in.skip_rows, at.col + in.skip_cols});
    if (in.skip_cols == 0) {
        // Stores to lines that are not in the cache wait for them one after the other: ask for the lines some rows ahead.
        const int ahead = std::clamp(64 * 64 / std::max(1, in.cols * int(sizeof(typename GL::value_type))), 1, 8);
        for (int i = 0; i < in.rows; ++i, to += dst.row_stride) {
            if (i == 0)
                for (int r = 0; r < ahead && r < in.rows; ++r) prefetch_row(to + r * dst.row_stride, in.cols);
            if (i + ahead < in.rows) prefetch_row(to + ahead * dst.row_stride, in.cols);
            store_row(src.row(in.skip_rows + i), to, in.cols);
        }
    } else {
        for (int i = 0; i < in.rows; ++i, to += dst.row_stride)
            for (int j = 0; j < in.cols; ++j) to[j] = convert<typename GL::value_type>(src.row(in.skip_rows + i)[in.skip_cols + j]);
    }
}

/// *to += x. With the compiler's own atomics: <atomic> brings in <unistd.h>, whose access() would hide ours.
template <class T>
KITTENS_INLINE void add_atomically(T* to, T x) {
    if constexpr (std::is_integral_v<T>) __atomic_fetch_add(to, x, __ATOMIC_RELAXED);
    else {
        T seen, sum;
        __atomic_load(to, &seen, __ATOMIC_RELAXED);
        do sum = seen + x;
        while (!__atomic_compare_exchange(to, &seen, &sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    }
}

template <class GL, class RT>
KITTENS_INLINE void store_add(const GL& dst, const RT& src, const place& at) {
    src.settle();
    const clipped_area in(dst, at, RT::rows, RT::cols);
    if (in.rows == 0) return;
    auto* to = address(dst, place{at.b, at.d, at.row + in.skip_rows, at.col + in.skip_cols});
    for (int i = 0; i < in.rows; ++i, to += dst.row_stride) {
        const auto* from = src.row(in.skip_rows + i) + in.skip_cols;
        for (int j = 0; j < in.cols; ++j) add_atomically(to + j, from[j]);
    }
}

template <class GL>
KITTENS_INLINE void prefetch_area(const GL& src, const place& at, int rows, int cols) {
    const clipped_area in(src, at, rows, cols);
    if (in.rows == 0) return;
    const auto* from = address(src, place{at.b, at.d, at.row + in.skip_rows, at.col + in.skip_cols});
    asked_ahead.add(from, src.row_stride * std::int64_t(sizeof(*from)), in.rows, in.cols * int(sizeof(*from)));
}

template <class RT, class GL>
KITTENS_INLINE void prefetch(const GL& src, const place& at) { prefetch_area(src, at, RT::rows, RT::cols); }

template <base_shape Block, class GL>
KITTENS_INLINE void prefetch_block(const GL& src, const place& at) { prefetch_area(src, at, Block.rows, Block.cols); }

template <class RV, class GL>
KITTENS_INLINE void load_vector(RV& dst, const GL& src, const place& at) {
    using T = typename RV::element;
    using G = typename GL::value_type;
    const clipped_area in(src, at, 1, RV::length);
    if (in.rows == 0) {
        std::memset(dst.v, 0, sizeof dst.v);
        return;
    }
    const auto* from = address(src, at);
    if constexpr (std::is_same_v<T, G>) {
        if (in.cols == RV::length && RV::length % 16 == 0) {
            widen<T>(from, dst.v, RV::length);
            return;
        }
    }
    for (int i = 0; i < RV::length; ++i)
        dst.v[i] = i >= in.skip_cols && i < in.skip_cols + in.cols ? wide_t<T>(convert<T>(from[i])) : wide_t<T>(0);
}

template <class GL, class RV>
KITTENS_INLINE void store_vector(const GL& dst, const RV& src, const place& at) {
    using G = typename GL::value_type;
    const clipped_area in(dst, at, 1, RV::length);
    if (in.rows == 0) return;
    auto* to = address(dst, at);
    if (in.skip_cols == 0) store_row(src.v, to, in.cols);
    else
        for (int i = in.skip_cols; i < in.skip_cols + in.cols; ++i) to[i] = convert<G>(src.v[i]);
}

}  // namespace kittens::inline KITTENS_NS::lower
