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
//   waiting    a product of two borrowed operands is still to be added. Where the tile is stored next, the product's sums
//              go to memory straight from the matrix unit; anything else, also the next product, adds it first.
#pragma once

#include <kittens/base/shape.hpp>
#include <kittens/base/target.hpp>
#include <kittens/base/types.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace kittens::inline KITTENS_NS::storage {

/// A matrix in memory. `rows` and `cols` count what lies inside the tensor; beyond is zero.
template <class T>
struct memory_block {
    const T* data = nullptr;
    std::int64_t stride = 0;
    int rows = 0, cols = 0;
    /// The tile holds the transpose of this block.
    bool transposed = false;
    /// As many consecutive rows as fill 32 bits lie side by side, element by element (VNNI form); rows and cols count elements of the
    /// matrix so held.
    bool packed = false;
    /// Where the block lies in its tensor, and what follows it there: for prefetching what a loop is likely to load next.
    int first_row = 0, first_col = 0, rows_below = 0, cols_right = 0;
};

/// Where a product's final sums go instead of into a tile: the `rows` x `cols` corner of a matrix in memory, whose rows are
/// `stride` bytes apart.
struct sum_sink {
    std::byte* data;
    std::int64_t stride;
    int rows, cols, element_bytes;
    /// The tensor is too large to be in a core's own caches.
    bool far;
    /// Memory holds sums as they are: whole blocks may be written there without `take`.
    bool as_they_are;
    /// Converts and writes what lies inside of a block of `n_rows` x `n_cols` sums (32-bit units, rows `pitch` apart) at (row, col).
    void (*take)(const sum_sink& self, const void* sums, std::int64_t pitch, int row, int col, int n_rows, int n_cols);

    std::byte* at(int row, int col) const { return data + row * stride + std::int64_t(col) * element_bytes; }
};

/// A product that is still to be added to a tile. Its operands do not change during the launch.
struct waiting_product {
    /// Adds it to `tile`, or, where `sink` is given, sends the sum of both there and leaves the tile as it is.
    void (*run)(const void* tile, const waiting_product& self, const sum_sink* sink) = nullptr;
    int rows = 0, cols = 0;
    alignas(8) std::byte left[56], right[56];
};
struct nothing_waits {};

template <class T, int M, int N, layout L, base_shape S>
struct tile_storage {
    using storage_base = tile_storage;
    /// Only sums can wait.
    static constexpr bool may_wait = std::is_same_v<T, float> || std::is_same_v<T, int32>;
    /// The matrix engine writes whole blocks of 16 rows.
    static constexpr int stored_rows = (M + 15) / 16 * 16;
    /// A line more where rows would start a power of two apart and so compete for few sets of the cache.
    static constexpr int pitch = N + (N * sizeof(T) % 1024 == 0 ? 64 / int(sizeof(T)) : 0);

    mutable memory_block<T> borrowed;
    mutable int live_rows = M;
    [[no_unique_address]] mutable std::conditional_t<may_wait, waiting_product, nothing_waits> waiting;
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
        if (borrowed.data || live_rows < M || product_waits()) [[unlikely]] settle_now();
    }
    /// Makes the first `rows` rows hold their values.
    KITTENS_INLINE void settle_rows(int rows) const {
        if (borrowed.data || live_rows < rows || product_waits()) [[unlikely]] settle_now();
    }
    KITTENS_INLINE bool product_waits() const {
        if constexpr (may_wait) return waiting.run != nullptr;
        else return false;
    }
    KITTENS_INLINE void add_waiting() const {
        if constexpr (may_wait)
            if (waiting.run) {
                const waiting_product product = waiting;
                waiting.run = nullptr;
                product.run(this, product, nullptr);
            }
    }
    /// Called before all elements are overwritten.
    KITTENS_INLINE void overwrite() {
        forget_product();
        borrowed.data = nullptr;
        live_rows = M;
    }
    KITTENS_INLINE void set_zero() {
        forget_product();
        borrowed.data = nullptr;
        live_rows = 0;
    }
    KITTENS_INLINE void borrow(const memory_block<T>& from) {
        forget_product();
        borrowed = from;
        live_rows = M;
    }
    /// Called before a product adds to the first `rows` rows: afterwards either none of them count as zero, or all rows do.
    KITTENS_INLINE void settle_for_sum(int rows) const {
        add_waiting();
        if (borrowed.data || (live_rows > 0 && live_rows < rows)) settle_now();
    }
    /// Copies from memory, now.
    KITTENS_NOINLINE void fetch(const memory_block<T>& from) const {
        if (from.packed) {
            constexpr int pack = sizeof(T) < 4 ? 4 / int(sizeof(T)) : 1;
            for (int i = 0; i < M; ++i)
                for (int j = 0; j < N; ++j) row(i)[j] = i < from.rows && j < from.cols ? from.data[i / pack * from.stride + j * pack + i % pack] : zero_element();
            return;
        }
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

    KITTENS_INLINE void forget_product() const {
        if constexpr (may_wait) waiting.run = nullptr;
    }
    KITTENS_NOINLINE void settle_now() const {
        add_waiting();
        if (borrowed.data) {
            const auto from = borrowed;
            borrowed.data = nullptr;
            fetch(from);
        } else if (live_rows < M) {
            std::memset(static_cast<void*>(row(live_rows)), 0, std::size_t(M - live_rows) * pitch * sizeof(T));
        }
        live_rows = M;
    }
    KITTENS_NOINLINE void assign(const tile_storage& o) {
        o.add_waiting();
        forget_product();
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
