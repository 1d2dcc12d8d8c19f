// SPDX-License-Identifier: Apache-2.0
// Shared tiles and vectors: movement, maps and reductions. Free functions are done by one subgroup; `group<N>` shares
// the work between N subgroups. What other subgroups wrote is there after a barrier (`sync`), as always.
#pragma once

#include <kittens/ops/lowering.hpp>
#include <kittens/ops/reductions.hpp>
#include <kittens/ops/sync.hpp>
#include <kittens/tile/st.hpp>

#if KITTENS_HAS_TILE_OPS

namespace kittens::inline KITTENS_NS {

/// dst(i, j) = src(at.r * rows + i, at.c * cols + j), zero outside the tensor; converts.
template <ducks::st::all ST, ducks::gl::all GL>
KITTENS_INLINE void load(const ST& dst, const GL& src, coord<ST> at) {
    const lower::operation<ST> op("load", at);
    lower::load_shared(dst, src, lower::place_of(at), 0, 1);
}
/// The reverse; elements outside the tensor are dropped.
template <ducks::gl::all GL, ducks::st::all ST>
KITTENS_INLINE void store(const GL& dst, const ST& src, coord<ST> at) {
    static_assert(!GL::is_read_only, "store: the global layout (first argument) holds const elements");
    const lower::operation<ST> op("store", at);
    lower::store_shared(dst, src, lower::place_of(at), 0, 1);
}
template <ducks::sv::all SV, ducks::gl::all GL>
KITTENS_INLINE void load(const SV& dst, const GL& src, coord<SV> at) {
    const lower::operation<SV> op("load", at);
    lower::load_shared_vector(dst, src, lower::place{at.b, at.d, at.r, at.c * SV::length}, 0, 1);
}
template <ducks::gl::all GL, ducks::sv::all SV>
KITTENS_INLINE void store(const GL& dst, const SV& src, coord<SV> at) {
    static_assert(!GL::is_read_only, "store: the global layout (first argument) holds const elements");
    const lower::operation<SV> op("store", at);
    lower::store_shared_vector(dst, src, lower::place{at.b, at.d, at.r, at.c * SV::length}, 0, 1);
}

/// Between registers and SLM, tiles of the same rows and columns; either layout; converts.
template <ducks::rt::all RT, ducks::st::all ST>
KITTENS_INLINE void load(RT& dst, const ST& src) {
    static_assert(RT::rows == ST::rows && RT::cols == ST::cols, "load: register tile and shared tile must have the same rows and columns; use subtile for a part");
    const lower::operation<RT> op("load");
    lower::load_from_shared(dst, src);
}
template <ducks::st::all ST, ducks::rt::all RT>
KITTENS_INLINE void store(const ST& dst, const RT& src) {
    static_assert(RT::rows == ST::rows && RT::cols == ST::cols, "store: shared tile and register tile must have the same rows and columns; use subtile for a part");
    const lower::operation<RT> op("store");
    lower::store_to_shared(dst, src);
}
template <ducks::rv::all RV, ducks::sv::all SV>
KITTENS_INLINE void load(RV& dst, const SV& src) {
    static_assert(RV::length == SV::length, "load: register vector and shared vector must have the same length; use subvec for a part");
    const lower::operation<RV> op("load");
    lower::load_vector_from_shared(dst, src);
}
template <ducks::sv::all SV, ducks::rv::all RV>
KITTENS_INLINE void store(const SV& dst, const RV& src) {
    static_assert(RV::length == SV::length, "store: shared vector and register vector must have the same length; use subvec for a part");
    const lower::operation<RV> op("store");
    lower::store_vector_to_shared(dst, src);
}

template <class T> concept shared_object = ducks::st::all<T> || ducks::sv::all<T>;

/// Element-wise maps; dst may be a source.
template <class Op, shared_object S> KITTENS_INLINE void unary_map(const S& dst, const S& src) {
    const lower::operation<std::remove_cvref_t<decltype(dst)>> op("map of shared memory");
    lower::map_shared(dst, 0, 1, [](int, int, auto x) { return Op::op(x); }, src);
}
template <class Op, shared_object S> KITTENS_INLINE void bin_map(const S& dst, const S& a, const S& b) {
    const lower::operation<std::remove_cvref_t<decltype(dst)>> op("map of shared memory");
    lower::map_shared(dst, 0, 1, [](int, int, auto x, auto y) { return Op::op(x, y); }, a, b);
}
template <class Op, shared_object S> KITTENS_INLINE void bin_map(const S& dst, const S& a, compute_t<typename S::element> s) {
    const lower::operation<std::remove_cvref_t<decltype(dst)>> op("map of shared memory");
    lower::map_shared(dst, 0, 1, [s](int, int, auto x) { return Op::op(x, s); }, a);
}
/// dst(i, j) = Op(src(i, j), per_row[i]), and the same per column.
template <class Op, ducks::st::all S, ducks::sv::all V> KITTENS_INLINE void row_map(const S& dst, const S& src, const V& per_row) {
    static_assert(V::length == S::rows, "row_map: the vector (third argument) must have one element per row of the tile");
    const lower::operation<S> op("map of shared memory");
    lower::map_shared_vector<true, Op>(dst, src, per_row);
}
template <class Op, ducks::st::all S, ducks::sv::all V> KITTENS_INLINE void col_map(const S& dst, const S& src, const V& per_col) {
    static_assert(V::length == S::cols, "col_map: the vector (third argument) must have one element per column of the tile");
    const lower::operation<S> op("map of shared memory");
    lower::map_shared_vector<false, Op>(dst, src, per_col);
}
/// dst[i] = Op over row i of src; dst[j] = Op over column j.
template <class Op, ducks::sv::all V, ducks::st::all S> KITTENS_INLINE void row_reduce(const V& dst, const S& src) {
    static_assert(V::length == S::rows, "row_reduce: the vector (first argument) must have one element per row of the tile");
    const lower::operation<S> op("map of shared memory");
    lower::reduce_shared<true, Op>(dst, src);
}
template <class Op, ducks::sv::all V, ducks::st::all S> KITTENS_INLINE void col_reduce(const V& dst, const S& src) {
    static_assert(V::length == S::cols, "col_reduce: the vector (first argument) must have one element per column of the tile");
    const lower::operation<S> op("map of shared memory");
    lower::reduce_shared<false, Op>(dst, src);
}

template <shared_object S> KITTENS_INLINE void zero(const S& dst) { unary_map<base_ops::zero>(dst, dst); }
template <shared_object S> KITTENS_INLINE void one(const S& dst) { unary_map<base_ops::one>(dst, dst); }
template <shared_object D, shared_object S> KITTENS_INLINE void copy(const D& dst, const S& src) {
    const lower::operation<std::remove_cvref_t<decltype(dst)>> op("map of shared memory");
    lower::map_shared(dst, 0, 1, [](int, int, auto x) { return x; }, src);
}

// The named forms, as for register tiles: exp(dst, src), add(dst, a, b), add_row(dst, src, per_row), row_sum(dst, src), ...
#define KITTENS_SHARED_UNARY(NAME) \
    template <shared_object S> KITTENS_INLINE void NAME(const S& dst, const S& src) { unary_map<base_ops::NAME>(dst, src); }
KITTENS_SHARED_UNARY(exp)
KITTENS_SHARED_UNARY(exp2)
KITTENS_SHARED_UNARY(log)
KITTENS_SHARED_UNARY(log2)
KITTENS_SHARED_UNARY(abs)
KITTENS_SHARED_UNARY(neg)
KITTENS_SHARED_UNARY(relu)
KITTENS_SHARED_UNARY(sqrt)
KITTENS_SHARED_UNARY(rsqrt)
#undef KITTENS_SHARED_UNARY
#define KITTENS_SHARED_BINARY(NAME, OP)                                                                                             \
    template <shared_object S> KITTENS_INLINE void NAME(const S& dst, const S& a, const S& b) { bin_map<base_ops::OP>(dst, a, b); } \
    template <shared_object S> KITTENS_INLINE void NAME(const S& dst, const S& a, compute_t<typename S::element> s) { bin_map<base_ops::OP>(dst, a, s); } \
    template <ducks::st::all S, ducks::sv::all V> KITTENS_INLINE void NAME##_row(const S& dst, const S& src, const V& v) { row_map<base_ops::OP>(dst, src, v); } \
    template <ducks::st::all S, ducks::sv::all V> KITTENS_INLINE void NAME##_col(const S& dst, const S& src, const V& v) { col_map<base_ops::OP>(dst, src, v); }
KITTENS_SHARED_BINARY(add, sum)
KITTENS_SHARED_BINARY(sub, sub)
KITTENS_SHARED_BINARY(mul, mul)
KITTENS_SHARED_BINARY(div, div)
KITTENS_SHARED_BINARY(max, max)
KITTENS_SHARED_BINARY(min, min)
#undef KITTENS_SHARED_BINARY
#define KITTENS_SHARED_REDUCTION(NAME, OP)                                                                                                 \
    template <ducks::sv::all V, ducks::st::all S> KITTENS_INLINE void row_##NAME(const V& dst, const S& src) { row_reduce<base_ops::OP>(dst, src); } \
    template <ducks::sv::all V, ducks::st::all S> KITTENS_INLINE void col_##NAME(const V& dst, const S& src) { col_reduce<base_ops::OP>(dst, src); } \
    template <ducks::sv::all V> KITTENS_INLINE auto NAME(const V& src) { return lower::reduce_shared_vector<base_ops::OP>(src); }
KITTENS_SHARED_REDUCTION(sum, sum)
KITTENS_SHARED_REDUCTION(max, max)
KITTENS_SHARED_REDUCTION(min, min)
KITTENS_SHARED_REDUCTION(prod, mul)
#undef KITTENS_SHARED_REDUCTION

/// N neighbouring subgroups of a workgroup that work on shared objects together: subgroups [g N, (g + 1) N) are group g.
/// All of them make the same call; none waits (put a barrier where the result is used).
template <int N>
class group {
    static_assert(N >= 1 && N <= 64, "group: the number of subgroups (first parameter) must be from 1 to 64");

  public:
    static constexpr int subgroups = N;
    explicit KITTENS_INLINE group(const subgroup& sg) : sg_(sg) {}

    /// Which group this is, and which subgroup of it.
    KITTENS_INLINE int id() const { return sg_.id() / N; }
    KITTENS_INLINE int rank() const { return sg_.id() % N; }

    /// Barrier of the workgroup, as `kittens::sync`.
    KITTENS_INLINE void sync() const { sg_.barrier(); }
    /// Barrier of this group alone: returns when its N subgroups have called it; other groups go on.
    template <int Groups, int FirstId> KITTENS_INLINE void sync(const group_barriers<N, Groups, FirstId>& b) const { b.wait(id()); }

    template <ducks::st::all ST, ducks::gl::all GL> KITTENS_INLINE void load(const ST& dst, const GL& src, coord<ST> at) const {
        const lower::operation<ST> op("load", at);
        lower::load_shared(dst, src, lower::place_of(at), rank(), N);
    }
    template <ducks::gl::all GL, ducks::st::all ST> KITTENS_INLINE void store(const GL& dst, const ST& src, coord<ST> at) const {
        static_assert(!GL::is_read_only, "group::store: the global layout (first argument) holds const elements");
        const lower::operation<ST> op("store", at);
        lower::store_shared(dst, src, lower::place_of(at), rank(), N);
    }
    template <ducks::sv::all SV, ducks::gl::all GL> KITTENS_INLINE void load(const SV& dst, const GL& src, coord<SV> at) const {
        const lower::operation<SV> op("load", at);
        lower::load_shared_vector(dst, src, lower::place{at.b, at.d, at.r, at.c * SV::length}, rank(), N);
    }
    template <ducks::gl::all GL, ducks::sv::all SV> KITTENS_INLINE void store(const GL& dst, const SV& src, coord<SV> at) const {
        static_assert(!GL::is_read_only, "group::store: the global layout (first argument) holds const elements");
        const lower::operation<SV> op("store", at);
        lower::store_shared_vector(dst, src, lower::place{at.b, at.d, at.r, at.c * SV::length}, rank(), N);
    }

    /// The rows of a shared tile, cut evenly: each subgroup loads or stores its own band of `rows / N`.
    template <ducks::rt::all RT, ducks::st::all ST> KITTENS_INLINE void load(RT& dst, const ST& src) const {
        static_assert(RT::rows * N == ST::rows && RT::cols == ST::cols, "group::load: the shared tile must have N times the register tile's rows, and the same columns");
        lower::load_from_shared(dst, subtile<RT::rows, RT::cols>(src, rank(), 0));
    }
    template <ducks::st::all ST, ducks::rt::all RT> KITTENS_INLINE void store(const ST& dst, const RT& src) const {
        static_assert(RT::rows * N == ST::rows && RT::cols == ST::cols, "group::store: the shared tile must have N times the register tile's rows, and the same columns");
        lower::store_to_shared(subtile<RT::rows, RT::cols>(dst, rank(), 0), src);
    }

    template <class Op, shared_object S> KITTENS_INLINE void unary_map(const S& dst, const S& src) const {
        const lower::operation<std::remove_cvref_t<decltype(dst)>> op("map of shared memory");
        lower::map_shared(dst, rank(), N, [](int, int, auto x) { return Op::op(x); }, src);
    }
    template <class Op, shared_object S> KITTENS_INLINE void bin_map(const S& dst, const S& a, const S& b) const {
        const lower::operation<std::remove_cvref_t<decltype(dst)>> op("map of shared memory");
        lower::map_shared(dst, rank(), N, [](int, int, auto x, auto y) { return Op::op(x, y); }, a, b);
    }
    template <shared_object D, shared_object S> KITTENS_INLINE void copy(const D& dst, const S& src) const {
        const lower::operation<std::remove_cvref_t<decltype(dst)>> op("map of shared memory");
        lower::map_shared(dst, rank(), N, [](int, int, auto x) { return x; }, src);
    }
    template <shared_object S> KITTENS_INLINE void zero(const S& dst) const { unary_map<base_ops::zero>(dst, dst); }

  private:
    const subgroup& sg_;
};

}  // namespace kittens::inline KITTENS_NS

#endif
