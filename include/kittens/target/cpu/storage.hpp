// SPDX-License-Identifier: Apache-2.0
// How tiles and vectors are held on the cpu target.
//
// A tile is a row-major array, whatever its layout: packing is the business of the product that reads it. The array may be
// stale, and then one of two notes says what the tile's value is:
//
//   borrowed   a tile loaded from gl<const T>, which promises not to change, only remembers where it came from. Products
//              read it there (or from a packed copy that is shared by every tile loaded from that place); anything else
//              copies it in first.
//   live_rows  rows from here on are zero. Zeroing an accumulator therefore writes nothing, and the first product on it
//              reads nothing.
#pragma once

#include <kittens/base/shape.hpp>
#include <kittens/base/target.hpp>
#include <kittens/base/types.hpp>

#include <cstdint>
#include <cstring>

namespace kittens::inline KITTENS_NS::storage {

/// A matrix in memory. `rows` and `cols` count what lies inside the tensor; beyond is zero.
template <class T>
struct memory_block {
    const T* data = nullptr;
    std::int64_t stride = 0;
    int rows = 0, cols = 0;
    /// The tile holds the transpose of this block.
    bool transposed = false;
    /// Where the block lies in its tensor, and what follows it there: for prefetching what a loop is likely to load next.
    int first_row = 0, first_col = 0, rows_below = 0, cols_right = 0;
};

template <class T, int M, int N, layout L, base_shape S>
struct tile_storage {
    /// The matrix engine writes whole blocks of 16 rows.
    static constexpr int stored_rows = (M + 15) / 16 * 16;
    /// A line more where rows would start a power of two apart and so compete for few sets of the cache.
    static constexpr int pitch = N + (N * sizeof(T) % 1024 == 0 ? 64 / int(sizeof(T)) : 0);

    mutable memory_block<T> borrowed;
    mutable int live_rows = M;
    alignas(64) mutable T elements[stored_rows * pitch];

    tile_storage() {}
    tile_storage(const tile_storage& o) { assign(o); }
    tile_storage& operator=(const tile_storage& o) {
        if (this != &o) assign(o);
        return *this;
    }

    T* row(int i) const { return elements + i * pitch; }

    /// Makes the array hold the value.
    KITTENS_INLINE void settle() const {
        if (borrowed.data || live_rows < M) [[unlikely]] settle_now();
    }
    /// Called before all elements are overwritten.
    KITTENS_INLINE void overwrite() {
        borrowed.data = nullptr;
        live_rows = M;
    }
    KITTENS_INLINE void set_zero() {
        borrowed.data = nullptr;
        live_rows = 0;
    }
    KITTENS_INLINE void borrow(const memory_block<T>& from) {
        borrowed = from;
        live_rows = M;
    }
    /// Called before a product adds to the first `rows` rows: afterwards either none of them count as zero, or all rows do.
    KITTENS_INLINE void settle_for_sum(int rows) const {
        if (borrowed.data || (live_rows > 0 && live_rows < rows)) settle_now();
    }
    /// Copies from memory, now.
    KITTENS_NOINLINE void fetch(const memory_block<T>& from) const {
        if (from.transposed) {
            for (int i0 = 0; i0 < M; i0 += 16)
                for (int j = 0; j < N; ++j)
                    for (int i = i0; i < i0 + 16 && i < M; ++i) row(i)[j] = j < from.rows && i < from.cols ? from.data[j * from.stride + i] : zero_element();
            return;
        }
        for (int i = 0; i < M; ++i) {
            const int n = i < from.rows ? from.cols : 0;
            if (n == N) std::memcpy(static_cast<void*>(row(i)), from.data + i * from.stride, N * sizeof(T));
            else {
                if (n > 0) std::memcpy(static_cast<void*>(row(i)), from.data + i * from.stride, n * sizeof(T));
                std::memset(static_cast<void*>(row(i) + n), 0, (N - n) * sizeof(T));
            }
        }
    }

    /// The value as a matrix in memory that products can read. `*shared` is set where it is memory that outlives the tile
    /// and does not change during the launch.
    KITTENS_INLINE memory_block<T> view(bool* shared) const {
        *shared = borrowed.data != nullptr;
        if (borrowed.data) return borrowed;
        settle();
        return {elements, pitch, M, N};
    }

  private:
    static constexpr T zero_element() { return T(0); }

    KITTENS_NOINLINE void settle_now() const {
        if (borrowed.data) {
            const auto from = borrowed;
            borrowed.data = nullptr;
            fetch(from);
        } else {
            std::memset(static_cast<void*>(row(live_rows)), 0, std::size_t(M - live_rows) * pitch * sizeof(T));
        }
        live_rows = M;
    }
    KITTENS_NOINLINE void assign(const tile_storage& o) {
        borrowed = o.borrowed;
        live_rows = o.live_rows;
        if (!borrowed.data && live_rows > 0) std::memcpy(static_cast<void*>(elements), o.elements, std::size_t(live_rows) * pitch * sizeof(T));
    }
};

/// A vector, in the compute type; every value is one that T can represent.
template <class T, int N, vector_layout V>
struct vector_storage {
    using word = std::conditional_t<is_integer_element<T>, int32, float>;
    alignas(64) word v[(N + 15) / 16 * 16];
};

}  // namespace kittens::inline KITTENS_NS::storage
