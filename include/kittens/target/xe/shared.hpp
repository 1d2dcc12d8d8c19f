// SPDX-License-Identifier: Apache-2.0
// Shared local memory on xe. Lanes take consecutive elements, so an access of 16 lanes is one message; four to a lane
// where rows allow. Within one subgroup a lane may read what another wrote earlier: a subgroup barrier, free on the
// device, orders the two.
#pragma once

#include <kittens/target/xe/plain_movement.hpp>
#include <kittens/target/xe/reductions.hpp>
#include <kittens/tile/st.hpp>
#include <kittens/tile/rt.hpp>

namespace kittens::inline KITTENS_NS::lower {

namespace detail {

template <class T> KITTENS_INLINE int load_local_bits(const KITTENS_LOCAL T* p) {
    if constexpr (sizeof(T) == 4) return isa::load_local((const KITTENS_LOCAL int*)p);
    else if constexpr (sizeof(T) == 2) return int(isa::load_local((const KITTENS_LOCAL unsigned short*)p));
    else return int(isa::load_local((const KITTENS_LOCAL unsigned char*)p));
}
template <class T> KITTENS_INLINE void store_local_bits(KITTENS_LOCAL T* p, int bits) {
    if constexpr (sizeof(T) == 4) isa::store_local((KITTENS_LOCAL int*)p, bits);
    else if constexpr (sizeof(T) == 2) isa::store_local((KITTENS_LOCAL unsigned short*)p, (unsigned short)bits);
    else isa::store_local((KITTENS_LOCAL unsigned char*)p, (unsigned char)bits);
}
/// An element of SLM in the compute type, and back.
template <class T> KITTENS_INLINE compute<T> load_local_value(const KITTENS_LOCAL T* p) {
    return __builtin_bit_cast(compute<T>, convert_bits<compute_element<T>, T>(load_local_bits(p)));
}
template <class T> KITTENS_INLINE void store_local_value(KITTENS_LOCAL T* p, compute<T> x) {
    store_local_bits(p, convert_bits<T, compute_element<T>>(__builtin_bit_cast(int, x)));
}

/// Calls f(row, column) for this lane's elements of an M x N array that `parts` subgroups share.
template <int M, int N, class F> KITTENS_INLINE void for_lane_elements(int part, int parts, F f) {
    for (int r = part; r < M; r += parts + int(mutated(mutant::group_stride) && parts > 1))
        for (int c = isa::lane(); c < N; c += subgroup_size) f(r, c);
}

KITTENS_INLINE void order_lanes() { isa::subgroup_barrier<isa::memory::local>(); }

}  // namespace detail

template <class ST, class GL>
KITTENS_INLINE void load_shared(const ST& dst, const GL& src, const place& at, int part, int parts) {
    using G = typename GL::value_type;
    const KITTENS_GLOBAL G* p = src.matrix(at.b, at.d);
    detail::order_lanes();
    detail::for_lane_elements<ST::rows, ST::cols>(part, parts, [&](int r, int c) {
        detail::store_local_bits(dst.data + (r * ST::pitch + c), detail::convert_bits<typename ST::element, G>(load_bits(src, p, at.row + r, at.col + c)));
    });
}
template <class GL, class ST>
KITTENS_INLINE void store_shared(const GL& dst, const ST& src, const place& at, int part, int parts) {
    using G = typename GL::value_type;
    KITTENS_GLOBAL G* p = dst.matrix(at.b, at.d);
    detail::order_lanes();
    detail::for_lane_elements<ST::rows, ST::cols>(part, parts, [&](int r, int c) {
        store_bits(dst, p, at.row + r, at.col + c, detail::convert_bits<G, typename ST::element>(detail::load_local_bits(src.data + (r * ST::pitch + c))));
    });
}
template <class SV, class GL>
KITTENS_INLINE void load_shared_vector(const SV& dst, const GL& src, const place& at, int part, int parts) {
    using G = typename GL::value_type;
    const KITTENS_GLOBAL G* p = src.matrix(at.b, at.d);
    detail::order_lanes();
    for (int i = part * subgroup_size + isa::lane(); i < SV::length; i += parts * subgroup_size)
        detail::store_local_bits(dst.data + i, detail::convert_bits<typename SV::element, G>(load_bits(src, p, at.row, at.col + i)));
}
template <class GL, class SV>
KITTENS_INLINE void store_shared_vector(const GL& dst, const SV& src, const place& at, int part, int parts) {
    using G = typename GL::value_type;
    KITTENS_GLOBAL G* p = dst.matrix(at.b, at.d);
    detail::order_lanes();
    for (int i = part * subgroup_size + isa::lane(); i < SV::length; i += parts * subgroup_size)
        store_bits(dst, p, at.row, at.col + i, detail::convert_bits<G, typename SV::element>(detail::load_local_bits(src.data + i)));
}

template <class RT, class ST>
KITTENS_INLINE void load_from_shared(RT& dst, const ST& src) {
    const int lane = isa::lane();
    constexpr int wide = RT::frag::map::paired ? 2 : 1;
    detail::order_lanes();
    KITTENS_UNROLL
    for (int c = 0; c < RT::cols / 16; c += wide) {
        KITTENS_UNROLL
        for (int r = 0; r < RT::rows; ++r) {
            if (mutated(mutant::shared_half_filled) && r % 8 >= 4) continue;
            const auto bits = [&](int c16) {
                return detail::convert_bits<typename RT::element, typename ST::element>(detail::load_local_bits(src.data + (r * ST::pitch + c16 * 16 + lane)));
            };
            if constexpr (RT::frag::map::paired) {
                const int x = bits(c), x2 = bits(c + 1);
                detail::write_bits(dst, r, c, x, x2);
            } else detail::write_bits(dst, r, c, bits(c));
        }
    }
}
template <class ST, class RT>
KITTENS_INLINE void store_to_shared(const ST& dst, const RT& src) {
    const int lane = isa::lane();
    detail::order_lanes();
    KITTENS_UNROLL
    for (int c = 0; c < RT::cols / 16; ++c) {
        KITTENS_UNROLL
        for (int r = 0; r < RT::rows; ++r)
            detail::store_local_bits(dst.data + (r * ST::pitch + c * 16 + lane), detail::convert_bits<typename ST::element, typename RT::element>(detail::read_bits(src, r, c)));
    }
}
template <class RV, class SV>
KITTENS_INLINE void load_vector_from_shared(RV& dst, const SV& src) {
    detail::order_lanes();
    KITTENS_UNROLL
    for (int w = 0; w < words_of<RV>(); ++w) {
        const int i = RV::index_of(w, isa::lane());
        int bits = 0;
        if (i < RV::length) bits = detail::load_local_bits(src.data + i);
        dst.v[w] = detail::vector_value<typename RV::element, typename SV::element>(bits);
    }
}
template <class SV, class RV>
KITTENS_INLINE void store_vector_to_shared(const SV& dst, const RV& src) {
    detail::order_lanes();
    KITTENS_UNROLL
    for (int w = 0; w < words_of<RV>(); ++w) {
        const int i = RV::index_of(w, isa::lane());
        if (i < RV::length) detail::store_local_bits(dst.data + i, detail::vector_bits<typename SV::element, typename RV::element>(src.v[w]));
    }
}

/// dst(i, j) = f(i, j, src(i, j)...); a vector counts as one row.
template <class D, class F, class... S>
KITTENS_INLINE void map_shared(const D& dst, int part, int parts, F f, const S&... src) {
    detail::order_lanes();
    if constexpr (requires { D::pitch; }) {
        detail::for_lane_elements<D::rows, D::cols>(part, parts, [&](int r, int c) {
            detail::store_local_value(dst.data + (r * D::pitch + c), compute<typename D::element>(f(r, c, detail::load_local_value(src.data + (r * S::pitch + c))...)));
        });
    } else {
        for (int i = part * subgroup_size + isa::lane(); i < D::length; i += parts * subgroup_size)
            detail::store_local_value(dst.data + i, compute<typename D::element>(f(0, i, detail::load_local_value(src.data + i)...)));
    }
}
template <bool PerRow, class Op, class S, class V>
KITTENS_INLINE void map_shared_vector(const S& dst, const S& src, const V& v) {
    map_shared(dst, 0, 1, [&](int r, int c, auto x) { return Op::op(x, compute<typename S::element>(detail::load_local_value(v.data + (PerRow ? r : c)))); }, src);
}
/// One lane reduces one row or column, front to back.
template <bool PerRow, class Op, class V, class S>
KITTENS_INLINE void reduce_shared(const V& dst, const S& src) {
    using X = compute<typename S::element>;
    constexpr int step = PerRow ? 1 : S::pitch, across = PerRow ? S::pitch : 1, length = PerRow ? S::cols : S::rows;
    detail::order_lanes();
    for (int i = isa::lane(); i < V::length; i += subgroup_size) {
        X x = detail::load_local_value(src.data + i * across);
        for (int j = 1; j < length; ++j) x = Op::op(x, X(detail::load_local_value(src.data + (i * across + j * step))));
        detail::store_local_value(dst.data + i, compute<typename V::element>(x));
    }
}
template <class Op, class V>
KITTENS_INLINE auto reduce_shared_vector(const V& src) {
    rv<typename V::element, V::length, vector_layout::naive> r;
    load_vector_from_shared(r, src);
    return reduce_vector<Op>(r);
}

}  // namespace kittens::inline KITTENS_NS::lower
