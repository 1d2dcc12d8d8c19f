// SPDX-License-Identifier: Apache-2.0
// Between register words and the values they hold: unpacking to the compute type, packing with rounding.
#pragma once

#include <kittens/base/types.hpp>
#include <kittens/target/xe/isa.hpp>
#include <kittens/target/xe/storage.hpp>

namespace kittens::inline KITTENS_NS::lower {

template <class T> using compute = std::conditional_t<is_integer_element<T>, int, float>;

/// The elements of one register vector in the compute type: part[j][i] is sub-element j of component i.
template <class Frag, class T>
struct unpacked {
    static constexpr int length = Frag::vector_length;
    xe_vec::vec<compute<T>, length> part[Frag::per_word];
};

namespace detail {
template <class To, int N, class From>
KITTENS_INLINE xe_vec::vec<To, N> convert_vector(const From& v) {
    if constexpr (N == 1) return To(v);
#if defined(KITTENS_XE_SOFTWARE)
    else {
        xe_vec::vec<To, N> r;
        KITTENS_UNROLL
        for (int i = 0; i < N; ++i) r[i] = To(v[i]);
        return r;
    }
#else
    else return __builtin_convertvector(v, xe_vec::vec<To, N>);
#endif
}
template <int N> using ivec = xe_vec::vec<int, N>;
template <int N> using fvec = xe_vec::vec<float, N>;

/// Component access that also works for a single component, which is a scalar.
template <class V> KITTENS_INLINE auto component(const V& v, int i) {
    if constexpr (std::is_arithmetic_v<V> || std::is_same_v<V, half>) return v;
    else return v[i];
}
template <class V, class X> KITTENS_INLINE void set_component(V& v, int i, X x) {
    if constexpr (std::is_arithmetic_v<V> || std::is_same_v<V, half>) v = x;
    else v[i] = x;
}
}  // namespace detail

template <class T, layout L, base_shape S>
KITTENS_INLINE unpacked<fragment<T, L, S>, T> unpack(const typename fragment<T, L, S>::vector& v) {
    using frag = fragment<T, L, S>;
    constexpr int n = frag::vector_length;
    using detail::convert_vector;
    unpacked<frag, T> r;
    if constexpr (frag::per_word == 1) {
        if constexpr (sizeof(T) == 4) r.part[0] = v;
        else if constexpr (std::is_same_v<T, bf16>) r.part[0] = isa::bf16_to_f32<n>(v);
        else r.part[0] = convert_vector<float, n>(v);  // half
    } else if constexpr (sizeof(T) == 2) {             // VNNI pairs in int words
        if constexpr (std::is_same_v<T, bf16>) {
            r.part[0] = __builtin_bit_cast(detail::fvec<n>, v << 16);
            r.part[1] = __builtin_bit_cast(detail::fvec<n>, v & int(0xffff0000));
        } else {
            const auto pairs = __builtin_bit_cast(xe_vec::vec<half, 2 * n>, v);
            KITTENS_UNROLL
            for (int i = 0; i < n; ++i) r.part[0][i] = float(pairs[2 * i]), r.part[1][i] = float(pairs[2 * i + 1]);
        }
    } else {  // bytes, two to a short or four to an int
        KITTENS_UNROLL
        for (int j = 0; j < frag::per_word; ++j) {
            const auto wide = convert_vector<int, n>(v);
            const detail::ivec<n> top = wide << (24 - 8 * j);
            if constexpr (std::is_same_v<T, int8>) r.part[j] = top >> 24;
            else {
                const detail::ivec<n> byte = (wide >> (8 * j)) & 0xff;
                if constexpr (std::is_same_v<T, uint8>) r.part[j] = byte;
                else {
                    KITTENS_UNROLL
                    for (int i = 0; i < n; ++i)
                        detail::set_component(r.part[j], i, float(__builtin_bit_cast(T, (unsigned char)detail::component(byte, i))));
                }
            }
        }
    }
    return r;
}

/// Rounds to nearest even (integers saturate) and packs.
template <class T, layout L, base_shape S>
KITTENS_INLINE typename fragment<T, L, S>::vector pack(const unpacked<fragment<T, L, S>, T>& u) {
    using frag = fragment<T, L, S>;
    constexpr int n = frag::vector_length;
    using detail::convert_vector;
    if constexpr (frag::per_word == 1) {
        if constexpr (std::is_same_v<T, tf32>) {
            auto r = u.part[0];
            KITTENS_UNROLL
            for (int i = 0; i < n; ++i) detail::set_component(r, i, float(tf32(detail::component(u.part[0], i))));
            return r;
        } else if constexpr (sizeof(T) == 4) return u.part[0];
        else if constexpr (std::is_same_v<T, bf16>) return isa::f32_to_bf16<n>(u.part[0]);
        else return isa::f32_to_f16<n>(u.part[0]);
    } else if constexpr (sizeof(T) == 2) {
        if constexpr (std::is_same_v<T, bf16>) {
            const auto lo = convert_vector<int, n>(isa::f32_to_bf16<n>(u.part[0]));
            const auto hi = convert_vector<int, n>(isa::f32_to_bf16<n>(u.part[1]));
            return (lo & 0xffff) | (hi << 16);
        } else {
            xe_vec::vec<half, 2 * n> pairs;
            KITTENS_UNROLL
            for (int i = 0; i < n; ++i) pairs[2 * i] = half(u.part[0][i]), pairs[2 * i + 1] = half(u.part[1][i]);
            return __builtin_bit_cast(typename frag::vector, pairs);
        }
    } else {
        detail::ivec<n> word{};
        KITTENS_UNROLL
        for (int j = 0; j < frag::per_word; ++j) {
            KITTENS_UNROLL
            for (int i = 0; i < n; ++i) {
                auto byte = (unsigned char)__builtin_bit_cast(unsigned char, convert<T>(detail::component(u.part[j], i)));
                if constexpr (is_integer_element<T>)
                    if (mutated(mutant::wrapping_conversion)) byte = (unsigned char)detail::component(u.part[j], i);
                detail::set_component(word, i, detail::component(word, i) | int(byte) << (8 * j));
            }
        }
        return convert_vector<typename frag::word, n>(word);
    }
}

/// Row inside the base tile of sub-element j of component i of vector v; block of columns that vector v is in; and
/// column inside the base tile.
template <class Frag> constexpr int block_of_vector(int v) { return v / Frag::vectors_per_block; }
template <class Frag, layout L> constexpr int row_of_element(int v, int i, int j) {
    const int word = v % Frag::vectors_per_block * Frag::vector_length + i;
    return L == layout::row ? word : word * Frag::per_word + j;
}
template <class Frag, layout L> KITTENS_INLINE int col_of_element(int v, int j, int lane) {
    return Frag::map::paired ? block_of_vector<Frag>(v) * 32 + 2 * lane + j : block_of_vector<Frag>(v) * 16 + lane;
}

/// Visits the register vectors of a tile: f(base row, base column, vector index), all compile-time after unrolling.
template <class RT, class F>
KITTENS_INLINE void for_each_vector(F f) {
    using frag = typename RT::frag;
    constexpr int vectors = frag::words / frag::vector_length;
    KITTENS_UNROLL
    for (int r = 0; r < RT::grid_rows; ++r) {
        KITTENS_UNROLL
        for (int c = 0; c < RT::grid_cols; ++c) {
            KITTENS_UNROLL
            for (int v = 0; v < vectors; ++v) {
                KITTENS_INLINE_CALLS f(r, c, v);
            }
        }
    }
}

template <class RT> KITTENS_INLINE auto unpack_vector(const RT& t, int r, int c, int v) {
    isa::require_defined(&t.tiles[r][c].v[v], sizeof t.tiles[r][c].v[v], sizeof(typename RT::element));
    return unpack<typename RT::element, RT::tile_layout, RT::base>(t.tiles[r][c].v[v]);
}
template <class RT, class U> KITTENS_INLINE void pack_vector(RT& t, int r, int c, int v, const U& u) {
    t.tiles[r][c].v[v] = pack<typename RT::element, RT::tile_layout, RT::base>(u);
}

/// A vector's value after rounding to its element type.
template <class T> KITTENS_INLINE compute<T> rounded(compute<T> x) {
    if constexpr (sizeof(T) == 4 && !std::is_same_v<T, tf32>) return x;
    else if constexpr (std::is_same_v<T, bf16>) return isa::bf16_to_f32<1>(isa::f32_to_bf16<1>(x));
    else return compute<T>(convert<T>(x));
}

}  // namespace kittens::inline KITTENS_NS::lower
