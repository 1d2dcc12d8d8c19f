// SPDX-License-Identifier: Apache-2.0
// Global layouts: a device pointer with batch, depth, row and column dimensions.
#pragma once

#include <kittens/base/shape.hpp>
#include <kittens/base/target.hpp>
#include <kittens/base/types.hpp>

#include <cstddef>
#include <cstdint>

#if KITTENS_HOST_CODE
#include <stdexcept>
#include <string>
#endif

namespace kittens {

/// How the memory behind a global layout may be reached.
/// `block`: by 2-D block instructions; the layout is checked for what they demand when it is made.
/// `plain`: element by element, for any pointer and stride; slower.
enum class access : int { block, plain };

/// The rule of the 2-D block instructions that a surface breaks, or nullptr. Base in bytes, sizes in bytes and rows.
constexpr const char* broken_surface_rule(std::uint64_t base, std::int64_t width, std::int64_t height,
                                          std::int64_t pitch) {
    if (base % 64) return "the base address must be a multiple of 64 bytes";
    if (width < 64) return "a row must be at least 64 bytes wide";
    if (width % 4) return "a row's width must be a multiple of 4 bytes";
    if (width > (1 << 24)) return "a row must be at most 2^24 bytes wide";
    if (pitch < width) return "the row pitch must not be less than the width";
    if (pitch % 16) return "the row pitch must be a multiple of 16 bytes";
    if (pitch > (1 << 24)) return "the row pitch must be at most 2^24 bytes";
    if (height < 1 || height > (1 << 24)) return "the height must be from 1 to 2^24 rows";
    return nullptr;
}

namespace detail {
/// A dimension known when compiling occupies no memory; -1 is a run-time dimension.
template <int N, int Axis> struct dimension {
    constexpr dimension() = default;
    constexpr explicit dimension(int) {}
    static constexpr int value() { return N; }
};
template <int Axis> struct dimension<-1, Axis> {
    int n = 1;
    constexpr dimension() = default;
    constexpr explicit dimension(int v) : n(v) {}
    constexpr int value() const { return n; }
};
}  // namespace detail

inline namespace KITTENS_NS {

/// A global layout `{batch, depth, rows, cols}` over device memory; -1 stands for a run-time dimension. Columns are
/// contiguous; the other strides are in elements and default to a packed tensor.
/// `gl<const T>` promises that nothing writes the memory while a kernel that reads it runs: a target may then read it
/// in place, or keep a packed copy.
/// Layouts are made on the host and passed to kernels by value.
template <class T, int B = -1, int D = -1, int R = -1, int C = -1, access A = access::block>
struct gl {
    static_assert(element_type<T>, "gl: the element type must be one of float, bf16, half, tf32, int8, uint8, int32, fp8e4m3, fp8e5m2");
    using element = T;
    using value_type = std::remove_const_t<T>;
    static constexpr bool is_read_only = std::is_const_v<T>;
    static constexpr access mode = A;

    KITTENS_GLOBAL T* ptr = nullptr;
    std::int64_t batch_stride = 0, depth_stride = 0;
    int row_stride = 0;
    [[no_unique_address]] detail::dimension<B, 0> batches;
    [[no_unique_address]] detail::dimension<D, 1> depths;
    [[no_unique_address]] detail::dimension<R, 2> row_count;
    [[no_unique_address]] detail::dimension<C, 3> col_count;

    constexpr gl() = default;

#if KITTENS_HOST_CODE
    /// A packed tensor. Throws std::invalid_argument where a dimension is not positive, contradicts the type, or
    /// (block access) breaks a rule of the 2-D block instructions, which is named.
    gl(T* p, int b, int d, int r, int c) : gl(p, b, d, r, c, c, std::int64_t(r) * c, std::int64_t(d) * r * c) {}

    /// A strided tensor; strides in elements.
    gl(T* p, int b, int d, int r, int c, int row_stride_, std::int64_t depth_stride_, std::int64_t batch_stride_)
        : ptr((KITTENS_GLOBAL T*)p), batch_stride(batch_stride_), depth_stride(depth_stride_), row_stride(row_stride_),
          batches(b), depths(d), row_count(r), col_count(c) {
        const int given[4] = {b, d, r, c}, fixed[4] = {B, D, R, C};
        static constexpr const char* axis[4] = {"batch", "depth", "row", "column"};
        for (int i = 0; i < 4; ++i) {
            if (given[i] < 1) throw std::invalid_argument(std::string("gl: the ") + axis[i] + " dimension must be positive, not " + std::to_string(given[i]));
            if (fixed[i] != -1 && fixed[i] != given[i])
                throw std::invalid_argument(std::string("gl: the ") + axis[i] + " dimension is fixed at " + std::to_string(fixed[i]) + " by the type, not " + std::to_string(given[i]));
        }
        if constexpr (A == access::block)
            if (const char* rule = broken_rule()) throw std::invalid_argument(std::string("gl: ") + rule + " for 2-D block access");
    }

    /// The rule of the 2-D block instructions that this layout breaks, or nullptr.
    const char* broken_rule() const {
        constexpr std::int64_t s = sizeof(T);
        if (const char* rule = broken_surface_rule(reinterpret_cast<std::uintptr_t>(ptr), cols() * s, rows(), row_stride * s)) return rule;
        if ((depth() > 1 && depth_stride * s % 64) || (batch() > 1 && batch_stride * s % 64))
            return "each batch and depth must start at a multiple of 64 bytes";
        return nullptr;
    }
#endif

    constexpr int batch() const { return batches.value(); }
    constexpr int depth() const { return depths.value(); }
    constexpr int rows() const { return row_count.value(); }
    constexpr int cols() const { return col_count.value(); }

    /// First element of the matrix at (b, d).
    KITTENS_INLINE KITTENS_GLOBAL T* matrix(int b, int d) const { return ptr + (b * batch_stride + d * depth_stride); }

    /// The rows [first, first + count) of every matrix as a layout of their own: what lies behind them is outside. Block access
    /// needs `first` rows to be a multiple of 64 bytes.
    constexpr gl rows_from(int first, int count) const
        requires(R == -1)
    {
        gl part = *this;
        part.ptr += std::int64_t(first) * row_stride;
        part.row_count = detail::dimension<R, 2>(count);
        return part;
    }

    /// Likewise columns.
    constexpr gl cols_from(int first, int count) const
        requires(C == -1)
    {
        gl part = *this;
        part.ptr += first;
        part.col_count = detail::dimension<C, 3>(count);
        return part;
    }

    /// How many tiles of type `Tile` cover the columns.
    template <class Tile> constexpr int steps() const {
        const int n = ceil_div(cols(), Tile::cols);
        // No dimension is less than 1; saying so spares loops over the steps a guard (and a second copy of what
        // stands before them).
        if (n < 1) __builtin_unreachable();
        return n;
    }
    /// Whether any element of tile (r, c) lies inside.
    template <class Tile> constexpr bool holds(int r, int c) const { return r * Tile::rows < rows() && c * Tile::cols < cols(); }
};

}  // namespace KITTENS_NS

namespace detail {
template <class T> struct is_gl : std::false_type {};
template <class T, int B, int D, int R, int C, access A> struct is_gl<gl<T, B, D, R, C, A>> : std::true_type {};
}  // namespace detail

namespace ducks::gl {
/// Any global layout.
template <class T> concept all = detail::is_gl<std::remove_cvref_t<T>>::value;
}  // namespace ducks::gl

}  // namespace kittens
