// SPDX-License-Identifier: Apache-2.0
// Layouts, base shapes and coordinates.
#pragma once

namespace kittens {

/// How a register tile lies in the subgroup's lanes (see docs/programming-guide.md, "Layouts").
/// `row`: lane = column, an A operand or an accumulator. `col`: packed along rows, a B operand (VNNI form).
enum class layout : int { row, col };
inline constexpr layout row = layout::row;
inline constexpr layout col = layout::col;

/// The physical base tile that a register tile is built from.
struct base_shape {
    int rows;
    int cols;
    friend constexpr bool operator==(base_shape, base_shape) = default;
};

inline constexpr base_shape rt_8x16{8, 16};
inline constexpr base_shape rt_8x32{8, 32};
inline constexpr base_shape rt_16x16{16, 16};
inline constexpr base_shape rt_16x32{16, 32};
inline constexpr base_shape rt_32x16{32, 16};
inline constexpr base_shape rt_32x32{32, 32};

/// The physical form of a register vector. ThunderKittens' align, ortho and naive are one form on Xe: element i in lane
/// i % 16; they are kept apart so that kernels read alike. In `wide` form a lane holds eight neighbours: element i is in
/// lane i / 8 % 16, so that 16-bit data moves 128 bits to a lane.
enum class vector_layout : int { align, ortho, naive, wide };
inline constexpr vector_layout align = vector_layout::align;
inline constexpr vector_layout ortho = vector_layout::ortho;
inline constexpr vector_layout naive = vector_layout::naive;
inline constexpr vector_layout wide = vector_layout::wide;

/// The largest base shape that divides an M x N tile.
constexpr base_shape default_base(int m, int n) {
    return {m % 32 == 0 ? 32 : m % 16 == 0 ? 16 : 8, n % 32 == 0 ? 32 : 16};
}

/// A position in a global layout, in units of `Unit` (a tile or vector type), or of elements for `void`.
template <class Unit = void>
struct coord {
    int b = 0, d = 0, r = 0, c = 0;

    constexpr coord() = default;
    constexpr coord(int c_) : c(c_) {}
    constexpr coord(int r_, int c_) : r(r_), c(c_) {}
    constexpr coord(int d_, int r_, int c_) : d(d_), r(r_), c(c_) {}
    constexpr coord(int b_, int d_, int r_, int c_) : b(b_), d(d_), r(r_), c(c_) {}
};

/// Row and column offset inside a tile, in elements.
struct offset {
    int row = 0;
    int col = 0;
};

/// Which elements (i, j) of a tile take part: j < cols and i + lower <= j <= i + upper. A causal mask has an upper limit, a
/// sliding window both.
struct band {
    static constexpr int unlimited = 1 << 28;
    int cols = unlimited;
    int lower = -unlimited, upper = unlimited;

    constexpr bool holds(int i, int j) const { return j < cols && j >= i + lower && j <= i + upper; }
    /// Whether all elements, or none, of an M x N tile take part.
    constexpr bool holds_all(int m, int n) const { return cols >= n && upper >= n - 1 && lower <= 1 - m; }
    constexpr bool holds_none(int m, int n) const { return cols <= 0 || m - 1 + upper < 0 || lower >= (cols < n ? cols : n); }
};

constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

}  // namespace kittens
