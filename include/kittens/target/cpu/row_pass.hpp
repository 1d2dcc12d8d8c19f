// SPDX-License-Identifier: Apache-2.0
// Passes over two rows, line by line: stores past the caches, requests ahead and arithmetic overlap only where each has the
// others within the few hundred instructions that a processor looks at.
#pragma once

#include <kittens/ops/maps.hpp>
#include <kittens/ops/shared.hpp>
#include <kittens/target/cpu/wide.hpp>

namespace kittens::inline KITTENS_NS::lower {

namespace detail {

/// Running moments of 2 * lanes elements side by side: about zero, which saves two subtractions, and is good enough unless the elements'
/// mean is far larger than their distances from it.
struct moment_lanes {
    native_two sum{}, squares{};
    KITTENS_INLINE void add(const native_two& x) {
        sum.a += x.a, sum.b += x.b;
        squares.a += x.a * x.a, squares.b += x.b * x.b;
    }
    /// Of n elements, about `shift`; for_all(f) calls f(elements) with all of them once more.
    template <class ForAll> KITTENS_INLINE void total(float& s, float& q, int n, float shift, ForAll for_all) const {
        in_one(s, q);
        if (shift == 0.0f) return;
        const float all = float(n) * shift, about_zero = q;
        q += shift * (all - 2.0f * s);
        s -= all;
        // Float sums of squares are off by a few millionths of them, which has to be little of the squares about the elements' own mean.
        const float own = q - s * s / float(n);
        if (!(about_zero <= 64.0f * own && own < __builtin_inff())) [[unlikely]] {
            moment_lanes m;
            for_all([&](const native_two& x) { m.add({x.a - shift, x.b - shift}); });
            m.in_one(s, q);
        }
    }

  private:
    KITTENS_INLINE void in_one(float& s, float& q) const {
        alignas(64) float all[2][16] = {};
        native_store(all[0], sum.a + sum.b);
        native_store(all[1], squares.a + squares.b);
        s = combine_lanes<base_ops::sum>(all[0]);
        q = combine_lanes<base_ops::sum>(all[1]);
    }
};

template <class RV> KITTENS_INLINE void moments_of_vector(float& sum, float& squares, const RV& x, float shift, int n) {
    alignas(64) float s[16] = {}, q[16] = {};
    for (int i = 0; i < RV::length; i += 16)
        for (int l = 0; l < 16; ++l) {
            const float d = i + l < n ? x.v[i + l] - shift : 0.0f;
            s[l] += d, q[l] += d * d;
        }
    sum = combine_lanes<base_ops::sum>(s);
    squares = combine_lanes<base_ops::sum>(q);
}

/// What is in 2 * lanes elements of a 16-bit type, as they are put together by narrow_two.
template <bool Interleaved, class T> KITTENS_INLINE native_two widen_both(vint packed) {
    if constexpr (Interleaved) return {__builtin_bit_cast(native_float, vshl<16>(packed)), __builtin_bit_cast(native_float, vand(packed, vset(0xffff0000u)))};
    else {
        alignas(64) T x[2 * lanes];
        vstore(x, packed);
        return lower::widen_two<false>(static_cast<const T*>(x));
    }
}

}  // namespace detail

template <class RV, class GL, class F, class X, class... S>
KITTENS_INLINE void store_with_moments(float& sum, float& squares, const GL& dst, const place& at, bool streaming, bool finish, F f, float shift, const X& next, const S&... src) {
    using To = typename GL::value_type;
    constexpr int n = RV::length;
    constexpr bool interleaved = std::is_same_v<To, bf16> && is_bf16_in_memory<X>() && (is_bf16_in_memory<S>() && ...);
    if constexpr (sizeof(To) == 2 && n % (2 * lanes) == 0) {
        const bool whole = inside_of(next, n) == n && (!finish || (clipped_area(dst, at, 1, n).cols == n && ((inside_of(src, n) == n) && ...)));
        if (whole) {
            detail::moment_lanes m;
            const auto* const p = elements_of(next, n);
            if (!finish) {
                for_pieces<n>([&](int i) __attribute__((always_inline)) {
                    ask(next, i);
                    m.add(widen_two<interleaved>(p + i));
                });
            } else {
                To* const to = address(dst, at);
                by_alignment(to, streaming, [&](auto how) __attribute__((always_inline)) {
                    [&](const auto*... q) __attribute__((always_inline)) {
                        for_pieces<n>([&](int i) __attribute__((always_inline)) {
                            ask(next, i);
                            // Loaded first: rows often lie a multiple of 4 KiB from where results go, and a load then waits for a store before it.
                            const native_two x = widen_two<interleaved>(p + i);
                            store_native<how()>(to + i, narrow_two<interleaved, To>(each_of_two(f, widen_two<interleaved>(q + i)...)));
                            m.add(x);
                        });
                    }(elements_of(src, n)...);
                });
            }
            m.total(sum, squares, n, shift, [&](auto add) {
                for (int i = 0; i < n; i += 2 * lanes) add(widen_two<interleaved>(p + i));
            });
            return;
        }
    }
    if (finish) store_with<RV>(dst, at, streaming, f, src...);
    rv<float, n, RV::form> x;
    lower::map_with(x, [](auto v) { return v; }, next);
    detail::moments_of_vector(sum, squares, x, shift, next.from.cols() - next.at.c * n);
}

template <class RV, class GL, class F, class K, class G, class A, class B, class... S>
KITTENS_INLINE void store_with_moments_of_sum(float& sum, float& squares, const GL& dst, const place& at, bool streaming, bool finish, F f, bool measure, float shift, const K& kept, const G& sums,
                                              const place& next_at, const A& a, const B& b, const S&... src) {
    using To = typename GL::value_type;
    constexpr int n = RV::length;
    constexpr bool interleaved = std::is_same_v<To, bf16> && is_bf16_in_memory<A>() && is_bf16_in_memory<B>() && (is_bf16_in_memory<S>() && ...);
    if constexpr (sizeof(To) == 2 && n % (2 * lanes) == 0 && std::is_same_v<To, typename G::value_type>) {
        const bool whole = (!measure || (inside_of(a, n) == n && inside_of(b, n) == n && clipped_area(sums, next_at, 1, n).cols == n)) &&
                           (!finish || (clipped_area(dst, at, 1, n).cols == n && ((inside_of(src, n) == n) && ...)));
        if (whole) {
            detail::moment_lanes m;
            const auto *const p = elements_of(a, n), *const q = elements_of(b, n);
            To *const keep = kept.data, *const sum_to = address(sums, next_at), *const to = finish ? address(dst, at) : sum_to;
            const bool alike = (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(sum_to)) % sizeof(vint) == 0;
            by_alignment(to, streaming && alike, [&](auto how) __attribute__((always_inline)) {
                const auto added = [&](int i) __attribute__((always_inline)) {
                    ask(a, i), ask(b, i);
                    return narrow_two<interleaved, To>(each_of_two([](auto x, auto y) { return x + y; }, widen_two<interleaved>(p + i), widen_two<interleaved>(q + i)));
                };
                const auto keep_sum = [&](int i, vint packed) __attribute__((always_inline)) {
                    vstore(keep + i, packed);
                    store_native<how()>(sum_to + i, packed);
                    m.add(detail::widen_both<interleaved, To>(packed));
                };
                if (!finish) for_pieces<n>([&](int i) __attribute__((always_inline)) { keep_sum(i, added(i)); });
                else {
                    [&](const auto*... w) __attribute__((always_inline)) {
                        const auto leave = [&](int i) __attribute__((always_inline)) {
                            store_native<how()>(to + i, narrow_two<interleaved, To>(each_of_two(f, widen_two<interleaved>(static_cast<const To*>(keep) + i), widen_two<interleaved>(w + i)...)));
                        };
                        if (measure)
                            for_pieces<n>([&](int i) __attribute__((always_inline)) {
                                const vint sum_here = added(i);  // all loads before all stores, as above
                                leave(i);
                                keep_sum(i, sum_here);
                            });
                        else
                            for_pieces<n>([&](int i) __attribute__((always_inline)) {
                                (ask(src, i), ...);
                                leave(i);
                            });
                    }(elements_of(src, n)...);
                }
            });
            m.total(sum, squares, n, shift, [&](auto add) {
                for (int i = 0; i < n; i += 2 * lanes) add(widen_two<interleaved>(static_cast<const To*>(keep) + i));
            });
            return;
        }
    }
    rv<float, n, RV::form> x;
    if (finish) {
        load_vector_from_shared(x, kept);
        store_with<RV>(dst, at, streaming, f, x, src...);
    }
    if (!measure) return;
    lower::map_with(x, [](auto v, auto w) { return round_as<To>(v + w); }, a, b);
    store_vector_to_shared(kept, x);
    store_vector_as(sums, x, next_at, streaming);
    detail::moments_of_vector(sum, squares, x, shift, sums.cols() - next_at.col);
}

}  // namespace kittens::inline KITTENS_NS::lower
