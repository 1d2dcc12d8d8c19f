// SPDX-License-Identifier: Apache-2.0
// Shared tiles and vectors: row-major arrays in a workgroup's shared local memory (SLM). An object of these types is a
// handle, a pointer whose shape is in its type; copying it copies no data. On Xe the matrix path does not go through
// SLM: a packed B operand read from it costs an access per row pair (docs/programming-guide.md, "Shared memory").
#pragma once

#include <kittens/base/shape.hpp>
#include <kittens/base/target.hpp>
#include <kittens/base/types.hpp>

namespace kittens {

inline namespace KITTENS_NS {

/// M x N elements of T, rows `Pitch` elements apart.
template <class T, int M, int N, int Pitch = N>
struct st {
    static_assert(element_type<T>, "st: the element type must be one of float, bf16, half, tf32, int8, uint8, int32, fp8e4m3, fp8e5m2");
    static_assert(M > 0 && N > 0 && N % 16 == 0 && Pitch >= N, "st: rows (second parameter) must be positive, columns (third parameter) a positive multiple of 16, and the pitch no less than the columns");
    using element = T;
    static constexpr int rows = M;
    static constexpr int cols = N;
    static constexpr int pitch = Pitch;
    static constexpr int bytes = M * Pitch * int(sizeof(T));

    KITTENS_LOCAL T* data = nullptr;
};

/// N elements of T.
template <class T, int N>
struct sv {
    static_assert(element_type<T>, "sv: the element type must be one of float, bf16, half, tf32, int8, uint8, int32, fp8e4m3, fp8e5m2");
    static_assert(N > 0 && N % 8 == 0, "sv: the length (second parameter) must be a positive multiple of 8");
    using element = T;
    static constexpr int length = N;
    static constexpr int bytes = N * int(sizeof(T));

    KITTENS_LOCAL T* data = nullptr;
};

template <int M, int N> using st_fl = st<float, M, N>;
template <int M, int N> using st_bf = st<bf16, M, N>;
template <int M, int N> using st_hf = st<half, M, N>;
template <int N> using sv_fl = sv<float, N>;
template <int N> using sv_bf = sv<bf16, N>;
template <int N> using sv_hf = sv<half, N>;

/// The M x N part of a shared tile whose corner is block (r, c), counted in blocks of M x N; the same memory.
template <int M, int N, class T, int R, int C, int P>
constexpr st<T, M, N, P> subtile(const st<T, R, C, P>& t, int r, int c) {
    static_assert(R % M == 0 && C % N == 0, "subtile: the tile must divide into M x N parts");
    return {t.data + (r * M * P + c * N)};
}
/// Elements [i * N, (i + 1) * N) of a shared vector; the same memory.
template <int N, class T, int L>
constexpr sv<T, N> subvec(const sv<T, L>& v, int i) {
    static_assert(L % N == 0, "subvec: the vector must divide into parts of N elements");
    return {v.data + i * N};
}

/// Marks a pointer as one into shared local memory, so that the compiler need not find out at run time.
template <class T> KITTENS_INLINE KITTENS_LOCAL T* move_local(T* p) { return (KITTENS_LOCAL T*)p; }

}  // namespace KITTENS_NS

namespace detail {
template <class T> struct is_st : std::false_type {};
template <class T, int M, int N, int P> struct is_st<st<T, M, N, P>> : std::true_type {};
template <class T> struct is_sv : std::false_type {};
template <class T, int N> struct is_sv<sv<T, N>> : std::true_type {};
}  // namespace detail

namespace ducks::st {
template <class T> concept all = detail::is_st<std::remove_cvref_t<T>>::value;
}
namespace ducks::sv {
template <class T> concept all = detail::is_sv<std::remove_cvref_t<T>>::value;
}

inline namespace KITTENS_NS {

/// Hands out the workgroup's shared local memory front to back, each object aligned to 64 bytes. Every subgroup of a
/// workgroup makes the same calls and so gets the same objects. A kernel states how much it needs as `slm_bytes`;
/// `slm_bytes_for<...>` adds it up.
class shared_allocator {
  public:
    constexpr explicit shared_allocator(KITTENS_LOCAL char* begin) : next_(begin) {}
    template <class Subgroup>
        requires requires(const Subgroup& s) { s.slm(); }
    constexpr explicit shared_allocator(const Subgroup& sg) : next_(sg.slm()) {}

    template <class S> constexpr S allocate() {
        S s{(KITTENS_LOCAL typename S::element*)next_};
        next_ += (S::bytes + 63) / 64 * 64;
        return s;
    }

  private:
    KITTENS_LOCAL char* next_;
};

template <class... S> inline constexpr int slm_bytes_for = (0 + ... + ((S::bytes + 63) / 64 * 64));

}  // namespace KITTENS_NS
}  // namespace kittens
