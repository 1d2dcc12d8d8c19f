// SPDX-License-Identifier: Apache-2.0
// Copies between element types, layouts and base shapes, and transposition, all in registers.
#pragma once

#include <kittens/target/xe/registers.hpp>

namespace kittens::inline KITTENS_NS::lower {

namespace detail {

template <class T> inline constexpr int element_mask = sizeof(T) == 4 ? -1 : int((1u << (8 * sizeof(T) % 32)) - 1u);

/// Bits of element (row, 16 c16 + lane) of a tile. Collective for paired layouts.
template <class RT> KITTENS_INLINE int read_bits(const RT& t, int row, int c16) {
    using T = typename RT::element;
    using frag = typename RT::frag;
    constexpr int bits = 8 * sizeof(T);
    const int word_row = RT::tile_layout == layout::row ? row % RT::base.rows : row % RT::base.rows / frag::per_word;
    const int block = c16 * 16 % RT::base.cols / frag::map::block_cols;
    const auto& vec = t.tiles[row / RT::base.rows][c16 * 16 / RT::base.cols].v[block * frag::vectors_per_block + word_row / frag::vector_length];
    isa::require_defined(&vec, sizeof vec, sizeof(T));
    const auto word = component(vec, word_row % frag::vector_length);
    if constexpr (frag::map::paired) {
        const int lane = isa::lane(), both = isa::shuffle(int(word), 8 * (c16 & 1) + lane / 2);
        return (lane & 1 ? both >> 8 : both) & 0xff;
    } else if constexpr (frag::per_word == 1) {
        if constexpr (sizeof(T) == 4) return __builtin_bit_cast(int, word);
        else return int(__builtin_bit_cast(unsigned short, word));
    } else {
        const int sub = mutated(mutant::wrong_vnni_half) ? (row ^ 1) % frag::per_word : row % frag::per_word;
        return (int(word) >> (sub * bits)) & element_mask<T>;
    }
}

/// Sets the bits of element (row, 16 c16 + lane); the sub-elements of a word are set in ascending order.
/// For paired layouts `x` and `x2` are the elements of two neighbouring column blocks. Collective for paired layouts.
template <class RT> KITTENS_INLINE void write_bits(RT& t, int row, int c16, int x, int x2 = 0) {
    using T = typename RT::element;
    using frag = typename RT::frag;
    const int word_row = RT::tile_layout == layout::row ? row % RT::base.rows : row % RT::base.rows / frag::per_word;
    const int block = c16 * 16 % RT::base.cols / frag::map::block_cols;
    auto& vec = t.tiles[row / RT::base.rows][c16 * 16 / RT::base.cols].v[block * frag::vectors_per_block + word_row / frag::vector_length];
    const int i = word_row % frag::vector_length;
    if constexpr (frag::map::paired) {
        const int lane = isa::lane(), source = 2 * lane & 15;
        // Every lane takes part in every shuffle, also in those whose result it does not want.
        const int lo1 = isa::shuffle(x, source), lo2 = isa::shuffle(x2, source);
        const int hi1 = isa::shuffle(x, source + 1), hi2 = isa::shuffle(x2, source + 1);
        const int lo = lane < 8 ? lo1 : lo2, hi = lane < 8 ? hi1 : hi2;
        set_component(vec, i, short((lo & 0xff) | (hi & 0xff) << 8));
    } else if constexpr (frag::per_word == 1) {
        if constexpr (sizeof(T) == 4) set_component(vec, i, __builtin_bit_cast(typename frag::word, x));
        else set_component(vec, i, __builtin_bit_cast(typename frag::word, (unsigned short)x));
    } else {
        const int sub = row % frag::per_word, shifted = (x & element_mask<T>) << (sub * 8 * int(sizeof(T)));
        set_component(vec, i, sub == 0 ? shifted : int(component(vec, i)) | shifted);
    }
}

/// Bit pattern of one element, converted with rounding to nearest even.
template <class To, class From> KITTENS_INLINE int convert_bits(int x) {
    if constexpr (std::is_same_v<To, From>) return x;
    else {
        compute<From> v;
        if constexpr (sizeof(From) == 4) v = __builtin_bit_cast(compute<From>, x);
        else if constexpr (std::is_same_v<From, bf16>) v = __builtin_bit_cast(float, x << 16);
        else if constexpr (std::is_same_v<From, half>) v = float(__builtin_bit_cast(half, (unsigned short)x));
        else v = compute<From>(__builtin_bit_cast(From, (unsigned char)x));
        if constexpr (std::is_same_v<To, bf16>) return int((unsigned short)isa::f32_to_bf16<1>(float(v)));
        else {
            const To r = convert<To>(v);
            if constexpr (sizeof(To) == 4) return __builtin_bit_cast(int, r);
            else if constexpr (sizeof(To) == 2) return int(__builtin_bit_cast(unsigned short, r));
            else return int(__builtin_bit_cast(unsigned char, r));
        }
    }
}

}  // namespace detail

/// Whether two tiles hold the same elements in the same lanes, vector by vector.
template <class D, class S>
inline constexpr bool same_vectors = D::base == S::base && D::tile_layout == S::tile_layout &&
                                     D::frag::per_word == S::frag::per_word && D::frag::map::paired == S::frag::map::paired;

/// dst = src with conversion of type, layout and base shape.
template <class D, class S>
KITTENS_INLINE void copy_elements(D& dst, const S& src) {
    static_assert(D::rows == S::rows && D::cols == S::cols);
    KITTENS_UNROLL
    for (int c = 0; c < D::cols / 16; ++c) {
        if (D::frag::map::paired && c % 2) continue;
        KITTENS_UNROLL
        for (int r = 0; r < D::rows; ++r) {
            const auto bits = [&](int c16) { return detail::convert_bits<typename D::element, typename S::element>(detail::read_bits(src, r, c16)); };
            if constexpr (D::frag::map::paired) {
                const int x = bits(c), x2 = bits(c + 1);
                detail::write_bits(dst, r, c, x, x2);
            } else detail::write_bits(dst, r, c, bits(c));
        }
    }
}

template <class D, class S>
    requires(requires { D::rows; })
KITTENS_INLINE void copy(D& dst, const S& src) {
    if constexpr (std::is_same_v<D, S>) dst = src;
    else if constexpr (same_vectors<D, S>) {
        for_each_vector<D>([&](int r, int c, int v) {
            const auto from = unpack_vector(src, r, c, v);
            unpacked<typename D::frag, typename D::element> to;
            KITTENS_UNROLL
            for (int j = 0; j < D::frag::per_word; ++j) {
                if constexpr (is_integer_element<typename D::element> && !is_integer_element<typename S::element>) {
                    KITTENS_UNROLL
                    for (int i = 0; i < D::frag::vector_length; ++i) detail::set_component(to.part[j], i, convert<int32>(detail::component(from.part[j], i)));
                } else to.part[j] = detail::convert_vector<compute<typename D::element>, D::frag::vector_length>(from.part[j]);
            }
            pack_vector(dst, r, c, v, to);
        });
    } else copy_elements(dst, src);
}

/// Transposes a 16 x 16 block across the lanes by a four-stage butterfly: lane l's x[i] becomes lane i's x[l].
KITTENS_INLINE void transpose_block(int (&x)[16]) {
    const int lane = isa::lane();
    KITTENS_UNROLL
    for (int s = 1; s < 16; s *= 2) {
        KITTENS_UNROLL
        for (int i = 0; i < 16; ++i) {
            if (i & s) continue;
            const bool upper = lane & s;
            const int low = x[i], high = x[i | s];  // values: a choice between x[i] and x[i | s] would be one of addresses
            const int got = isa::shuffle_xor(upper ? low : high, mutated(mutant::transpose_distance) && s == 4 ? 2 : s);
            x[i] = upper ? got : low;
            x[i | s] = upper ? high : got;
        }
    }
}

/// Base shape of the transposed operand of a product.
template <class RT> constexpr base_shape operand_base() { return default_base(RT::cols, RT::rows); }

/// dst(j, i) = src(i, j); layouts and base shapes may differ.
template <class D, class S>
KITTENS_INLINE void transpose(D& dst, const S& src) {
    static_assert(D::rows == S::cols && D::cols == S::rows);
    static_assert(S::rows % 16 == 0, "transpose: the tile's rows must be a multiple of 16");
    constexpr int wide = D::frag::map::paired ? 2 : 1;
    KITTENS_UNROLL
    for (int r = 0; r < S::cols / 16; ++r) {  // block row of dst
        KITTENS_UNROLL
        for (int c = 0; c < S::rows / 16; c += wide) {
            int x[wide][16];
            KITTENS_UNROLL
            for (int w = 0; w < wide; ++w) {
                KITTENS_UNROLL
                for (int i = 0; i < 16; ++i) x[w][i] = detail::read_bits(src, (c + w) * 16 + i, r);
                transpose_block(x[w]);
            }
            KITTENS_UNROLL
            for (int i = 0; i < 16; ++i) detail::write_bits(dst, r * 16 + i, c, x[0][i], x[wide - 1][i]);
        }
    }
}

/// part = block (r, c) of src, and back; r and c are in units of the part. Whole base tiles: nothing is computed.
template <class P, class S>
KITTENS_INLINE void extract(P& part, const S& src, int r, int c) {
    KITTENS_UNROLL
    for (int i = 0; i < P::grid_rows; ++i) {
        KITTENS_UNROLL
        for (int j = 0; j < P::grid_cols; ++j) part.tiles[i][j] = src.tiles[r * P::grid_rows + i][(mutated(mutant::part_of_first_column) ? 0 : c) * P::grid_cols + j];
    }
}
template <class D, class P>
KITTENS_INLINE void insert(D& dst, const P& part, int r, int c) {
    KITTENS_UNROLL
    for (int i = 0; i < P::grid_rows; ++i) {
        KITTENS_UNROLL
        for (int j = 0; j < P::grid_cols; ++j) dst.tiles[r * P::grid_rows + i][c * P::grid_cols + j] = part.tiles[i][j];
    }
}

}  // namespace kittens::inline KITTENS_NS::lower
