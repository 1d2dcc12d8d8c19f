// SPDX-License-Identifier: Apache-2.0
// Register tiles: an M x N array of elements that one subgroup holds in registers. What a tile *is*;
// its storage is the target's (target/*/storage.hpp), its operations are in ops/.
#pragma once

#include <kittens/base/shape.hpp>
#include <kittens/base/target.hpp>
#include <kittens/base/types.hpp>

#if defined(KITTENS_TARGET_CPU)
#include <kittens/target/cpu/storage.hpp>
#elif KITTENS_XE_LOWERING
#include <kittens/target/xe/storage.hpp>
#else
#include <kittens/target/host/storage.hpp>
#endif

namespace kittens {

/// Whether `S` is a base shape that a tile of T in layout L can be built from.
template <class T>
constexpr bool legal_base(layout l, base_shape s) {
    if (s.rows != 8 && s.rows != 16 && s.rows != 32) return false;
    if (s.cols != 16 && s.cols != 32) return false;
    // Byte operands come in blocks of 32 along the packed direction: columns of A, rows of B.
    if (sizeof(T) == 1) return l == layout::row ? s.cols == 32 : s.rows == 32;
    // The VNNI form of a 16-bit B operand holds 16 rows.
    if (sizeof(T) == 2 && l == layout::col) return s.rows != 8;
    return true;
}

/// Whether rt's parameters are legal; rt says which one is not.
template <class T, int M, int N, layout L, base_shape S>
inline constexpr bool legal_tile = element_type<T> && !std::is_const_v<T> && M > 0 && N > 0 && legal_base<T>(L, S) && M % S.rows == 0 && N % S.cols == 0;

namespace detail {
/// Stands in for the storage of an illegal tile, so that the first error is the one that teaches.
struct no_storage {};
}  // namespace detail

inline namespace KITTENS_NS {

/// Register tile of M x N elements of T. Both dimensions are multiples of the base shape's; on xe the tile must fit the registers.
/// The value of a fresh tile is undefined until it is loaded or set.
template <class T, int M, int N, layout L = layout::row, base_shape S = default_base(M, N)>
struct rt : std::conditional_t<legal_tile<T, M, N, L, S>, storage::tile_storage<T, M, N, L, S>, detail::no_storage> {
    static_assert(element_type<T> && !std::is_const_v<T>, "rt: the element type must be one of float, bf16, half, tf32, int8, uint8, int32, fp8e4m3, fp8e5m2");
    static_assert(M > 0 && M % S.rows == 0, "rt: rows (second parameter) must be a positive multiple of the base shape's rows");
    static_assert(N > 0 && N % S.cols == 0, "rt: columns (third parameter) must be a positive multiple of the base shape's columns");
    static_assert(legal_base<T>(L, S), "rt: illegal base shape (fifth parameter) for this element size and layout; legal: rows 8, 16 or 32 and columns 16 or 32, but 8-bit row layout needs 32 columns, 8-bit col layout 32 rows, 16-bit col layout 16 or 32 rows");

    using element = T;
    static constexpr int rows = M;
    static constexpr int cols = N;
    static constexpr layout tile_layout = L;
    static constexpr base_shape base = S;
};

/// Register vector of N elements of T; N is a multiple of 8, and of 128 in wide form.
template <class T, int N, vector_layout V = vector_layout::naive>
struct rv : storage::vector_storage<T, N, V> {
    static_assert(element_type<T> && !std::is_const_v<T>, "rv: the element type must be one of float, bf16, half, tf32, int8, uint8, int32, fp8e4m3, fp8e5m2");
    static_assert(N > 0 && N % 8 == 0, "rv: the length (second parameter) must be a positive multiple of 8");
    static_assert(V != vector_layout::wide || N % 128 == 0, "rv: the length (second parameter) of a wide vector must be a multiple of 128: 16 lanes of 8 elements");
    using element = T;
    static constexpr int length = N;
    static constexpr vector_layout form = V;
};

template <int M, int N, layout L = layout::row, base_shape S = default_base(M, N)> using rt_fl = rt<float, M, N, L, S>;
template <int M, int N, layout L = layout::row, base_shape S = default_base(M, N)> using rt_bf = rt<bf16, M, N, L, S>;
template <int M, int N, layout L = layout::row, base_shape S = default_base(M, N)> using rt_hf = rt<half, M, N, L, S>;
template <int M, int N, layout L = layout::row, base_shape S = default_base(M, N)> using rt_i8 = rt<int8, M, N, L, S>;
template <int M, int N, layout L = layout::row, base_shape S = default_base(M, N)> using rt_i32 = rt<int32, M, N, L, S>;

/// The vector that holds one value per column (`row_vec`) or per row (`col_vec`) of a tile.
template <class RT> using row_vec = rv<typename RT::element, RT::cols, vector_layout::align>;
template <class RT> using col_vec = rv<typename RT::element, RT::rows, vector_layout::ortho>;

}  // namespace KITTENS_NS

namespace detail {
template <class T> struct is_rt : std::false_type {};
template <class T, int M, int N, layout L, base_shape S> struct is_rt<rt<T, M, N, L, S>> : std::true_type {};
template <class T> struct is_rv : std::false_type {};
template <class T, int N, vector_layout V> struct is_rv<rv<T, N, V>> : std::true_type {};
}  // namespace detail

/// Concepts with ThunderKittens' names.
namespace ducks::rt {
template <class T> concept all = detail::is_rt<std::remove_cvref_t<T>>::value;
template <class T> concept row_layout = all<T> && std::remove_cvref_t<T>::tile_layout == layout::row;
template <class T> concept col_layout = all<T> && std::remove_cvref_t<T>::tile_layout == layout::col;
}  // namespace ducks::rt
namespace ducks::rv {
template <class T> concept all = detail::is_rv<std::remove_cvref_t<T>>::value;
template <class T> concept wide = all<T> && std::remove_cvref_t<T>::form == vector_layout::wide;
}  // namespace ducks::rv

}  // namespace kittens
