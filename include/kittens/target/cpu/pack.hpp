// SPDX-License-Identifier: Apache-2.0
// Packing of operands into units of 32 bits: what one lane of a multiply-and-add instruction takes of one operand.
//
// A unit holds `group` consecutive elements along the inner dimension (VNNI form): one float, two bf16, two 16-bit
// integers or four bytes. "Lanes" are the rows of A or the columns of B; "depth" is the inner dimension.
#pragma once

#include <kittens/target/cpu/panel_cache.hpp>
#include <kittens/target/cpu/simd.hpp>
#include <kittens/target/cpu/storage.hpp>
#include <kittens/target/cpu/transpose.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace kittens::inline KITTENS_NS::lower {

/// An operand of a product in memory: element (lane, k) is data[lane * stride + k] where `along`, else
/// data[k * stride + lane]. Lanes and depth count what is there; beyond is zero.
template <class T>
struct operand {
    using element = T;
    const T* data;
    std::int64_t stride;
    int lanes, depth;
    bool along;
    /// In memory in units of 32 bits: element (lane, k) is data[k / p * stride + lane * p + k % p], where p elements make a unit.
    bool packed;
    /// The memory stays as it is throughout the launch.
    bool shared;
    /// Lanes and depth before this operand in its tensor, and after it.
    int first_lane, first_depth, more_lanes, more_depth;

    static constexpr int per_unit = sizeof(T) < 4 ? 4 / int(sizeof(T)) : 1;
    const T* at(int lane, int k) const { return packed ? data + k / per_unit * stride + lane * per_unit + k % per_unit : along ? data + lane * stride + k : data + k * stride + lane; }
};

/// How much of a product is wanted: lanes of B, depth, and lanes of A. Panels are packed whole all the same, so that they can be shared.
struct extent {
    int lanes, depth, rows = 1 << 28;
};
inline constexpr extent all_of_it{1 << 28, 1 << 28};

/// Units that are packed of one panel before the next panel's turn: the lines of memory that both take are then still near.
inline constexpr int pack_depth = 8;

/// One float per unit; for everything that has no narrower instruction.
struct form_float {
    static constexpr int id = 0, group = 1;
    using sum = float;

    template <class T> static KITTENS_INLINE vint along(const T* p) {
        if constexpr (std::is_same_v<T, bf16>) return vshl<16>(widen_u16(p));
        else if constexpr (std::is_same_v<T, half>) return as_int(widen_half(p));
        else if constexpr (std::is_same_v<T, tf32>) return vand(vload(p), vset(0xffffe000u));
        else {
            alignas(64) float wide[16];
            for (int i = 0; i < lanes; ++i) wide[i] = float_values<T>.value[p[i].bits];
            return vload(wide);
        }
    }
    template <class T> static KITTENS_INLINE vint across(const T* const* p) { return along(p[0]); }
};

/// Two bf16 per unit. 8-bit floats are exact in bf16.
struct form_bf16 {
    static constexpr int id = 1, group = 2;
    using sum = float;

    template <class T> static KITTENS_INLINE vint along(const T* p) {
        if constexpr (std::is_same_v<T, bf16>) return vload(p);
        else {
            alignas(64) std::uint16_t wide[32];
            for (int i = 0; i < 2 * lanes; ++i) wide[i] = std::uint16_t(__builtin_bit_cast(std::uint32_t, float_values<T>.value[p[i].bits]) >> 16);
            return vload(wide);
        }
    }
    template <class T> static KITTENS_INLINE vint across(const T* const* p) {
        if constexpr (std::is_same_v<T, bf16>) return vor(widen_u16(p[0]), vshl<16>(widen_u16(p[1])));
        else {
            alignas(64) std::uint32_t wide[16];
            for (int i = 0; i < lanes; ++i)
                wide[i] = __builtin_bit_cast(std::uint32_t, float_values<T>.value[p[0][i].bits]) >> 16 | __builtin_bit_cast(std::uint32_t, float_values<T>.value[p[1][i].bits]);
            return vload(wide);
        }
    }
};

/// Two 16-bit integers per unit: products of bytes, signed or not, are exact.
struct form_short {
    static constexpr int id = 2, group = 2;
    using sum = int32;

    template <class T> static KITTENS_INLINE vint along(const T* p) {
        if constexpr (std::is_same_v<T, int8>) return widen_s8_to_16(p);
        else return widen_u8_to_16(p);
    }
    template <class T> static KITTENS_INLINE vint across(const T* const* p) {
        if constexpr (std::is_same_v<T, int8>) return vor(vand(widen_s8(p[0]), vset(0xffff)), vshl<16>(widen_s8(p[1])));
        else return vor(widen_u8(p[0]), vshl<16>(widen_u8(p[1])));
    }
};

/// Four bytes per unit.
struct form_byte {
    static constexpr int id = 3, group = 4;
    using sum = int32;

    template <class T> static KITTENS_INLINE vint along(const T* p) { return vload(p); }
    template <class T> static KITTENS_INLINE vint across(const T* const* p) {
#if defined(__AVX512VBMI__)
        // The four rows side by side, then every fourth byte from each: one shuffle instead of four and the shifts.
        alignas(64) static constexpr auto order = [] {
            struct { std::uint8_t from[64]; } r{};
            for (int i = 0; i < 64; ++i) r.from[i] = std::uint8_t(i % 4 * 16 + i / 4);
            return r;
        }();
        const auto row = [&](int i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p[i])); };
        const __m512i all = _mm512_inserti32x4(_mm512_inserti32x4(_mm512_inserti32x4(_mm512_castsi128_si512(row(0)), row(1), 1), row(2), 2), row(3), 3);
        return _mm512_permutexvar_epi8(vload(order.from), all);
#else
        return vor(vor(widen_u8(p[0]), vshl<8>(widen_u8(p[1]))), vor(vshl<16>(widen_u8(p[2])), vshl<24>(widen_u8(p[3]))));
#endif
    }
};

template <class Form, class T>
KITTENS_INLINE panel_key key_of(const operand<T>& o, int depth) {
    return {o.data, o.stride, o.lanes, depth, Form::id * 2 + o.along + 4096 * o.packed + 16 * int(dtype_of<T>())};
}

/// `n` elements followed by zeros, in a buffer.
template <class T, int N>
struct padded {
    alignas(64) T x[N];
    KITTENS_INLINE padded(const T* from, int n) {
        std::memset(static_cast<void*>(x), 0, sizeof x);
        if (n > 0) std::memcpy(static_cast<void*>(x), from, std::min(n, N) * sizeof(T));
    }
};

/// Units [unit, unit + lanes) along the depth of one lane.
template <class Form, class T>
KITTENS_INLINE vint load_along(const operand<T>& o, int lane, int first_unit) {
    constexpr int n = lanes * Form::group;
    const int k = first_unit * Form::group;
    if (lane >= o.lanes) return vzero();
    if (k + n <= o.depth) [[likely]] return Form::along(o.at(lane, k));
    return Form::along(padded<T, n>(o.at(lane, k), o.depth - k).x);
}

/// The units at one depth of `lanes` neighbouring lanes.
template <class Form, class T>
KITTENS_INLINE vint load_across(const operand<T>& o, int lane, int unit_index) {
    const int k = unit_index * Form::group;
    const T* rows[Form::group];
    if constexpr (sizeof(T) < 4) {
        // Packed memory may hold just these units; a form that widens takes them apart.
        if (o.packed && Form::group == operand<T>::per_unit && lane + lanes <= o.lanes && k + Form::group <= o.depth) return vload(o.at(lane, k));
    }
    if (!o.packed && lane + lanes <= o.lanes && k + Form::group <= o.depth) [[likely]] {
        for (int g = 0; g < Form::group; ++g) rows[g] = o.data + (k + g) * o.stride + lane;
        return Form::across(rows);
    }
    alignas(64) T part[Form::group][lanes];
    std::memset(static_cast<void*>(part), 0, sizeof part);
    const int n = std::min(lanes, o.lanes - lane);
    for (int g = 0; g < Form::group; ++g) {
        if (o.packed) {
            for (int l = 0; l < n && k + g < o.depth; ++l) part[g][l] = *o.at(lane + l, k + g);
        } else if (n > 0 && k + g < o.depth) std::memcpy(static_cast<void*>(part[g]), o.data + (k + g) * o.stride + lane, n * sizeof(T));
        rows[g] = part[g];
    }
    return Form::across(rows);
}

/// out[u * pitch + l] = unit u of lane (lane + l), for `lanes` lanes and units [first, last). Where pitch is less than `lanes`
/// the rows overlap and the surplus lanes are overwritten by the next row; the last row leaves a surplus behind it.
template <class Form, class T>
KITTENS_INLINE void pack_lanes(const operand<T>& o, int lane, int first, int last, unit* out, int pitch) {
    if (!o.along) {
        if (!o.packed && lane + lanes <= o.lanes && last * Form::group <= o.depth) {
            const T* from = o.data + std::int64_t(first) * Form::group * o.stride + lane;
            for (int u = first; u < last; ++u, from += Form::group * o.stride) {
                const T* rows[Form::group];
                for (int g = 0; g < Form::group; ++g) rows[g] = from + g * o.stride;
                vstore(out + std::int64_t(u) * pitch, Form::across(rows));
            }
        } else {
            for (int u = first; u < last; ++u) vstore(out + std::int64_t(u) * pitch, load_across<Form>(o, lane, u));
        }
        return;
    }
    for (int u = first; u < last; u += lanes) {
        vint block[lanes];
        KITTENS_UNROLL
        for (int l = 0; l < lanes; ++l) block[l] = load_along<Form>(o, lane + l, u);
        transpose(block);
        const int n = std::min(lanes, last - u);
        for (int i = 0; i < n; ++i) vstore(out + std::int64_t(u + i) * pitch, block[i]);
    }
}

/// Two neighbouring panels of `lanes` lanes: a line of 16-bit elements holds both. `second` may be null.
template <class Form, class T>
KITTENS_INLINE void pack_two(const operand<T>& o, int lane, int first, int last, unit* out, unit* second, int pitch) {
#if defined(__AVX512BW__)
    if constexpr (Form::group == 2 && sizeof(T) == 2) {
        if (second && !o.along && !o.packed && lane + 2 * lanes <= o.lanes && last * 2 <= o.depth) {
            alignas(64) static constexpr auto order = [] {
                struct { std::uint16_t low[32], high[32]; } r{};
                for (int i = 0; i < 16; ++i) {
                    r.low[2 * i] = std::uint16_t(i), r.low[2 * i + 1] = std::uint16_t(32 + i);
                    r.high[2 * i] = std::uint16_t(16 + i), r.high[2 * i + 1] = std::uint16_t(48 + i);
                }
                return r;
            }();
            const vint low = vload(order.low), high = vload(order.high);
            const T* from = o.data + std::int64_t(first) * 2 * o.stride + lane;
            for (int u = first; u < last; ++u, from += 2 * o.stride) {
                const vint even = vload(from), odd = vload(from + o.stride);
                vstore(out + std::int64_t(u) * pitch, _mm512_permutex2var_epi16(even, low, odd));
                vstore(second + std::int64_t(u) * pitch, _mm512_permutex2var_epi16(even, high, odd));
            }
            return;
        }
    }
#endif
    pack_lanes<Form>(o, lane, first, last, out, pitch);
    if (second) pack_lanes<Form>(o, lane + lanes, first, last, second, pitch);
}

}  // namespace kittens::inline KITTENS_NS::lower
