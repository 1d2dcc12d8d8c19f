// SPDX-License-Identifier: Apache-2.0
// Data that a kernel is run on: random inputs, and outputs that show what was not written and what was written beside.
#pragma once

#include <kittens/base/types.hpp>
#include <kittens/runtime/runtime.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kittens::tool {

/// `count` random elements. Floating point: normally distributed, times `scale`, rounded to the type; integers: uniform over
/// all values. The same seed and stream give the same data on every machine and number of threads.
std::vector<std::byte> random_operand(dtype type, std::size_t count, std::uint64_t seed, std::uint64_t stream,
                                      double scale = 1.0);

/// Device memory with a zone on either side that nothing may write.
class guarded_buffer {
public:
    /// `guard` bytes on each side, rounded up to a multiple of 64.
    guarded_buffer(const device& where, std::uint64_t bytes, std::uint64_t guard);

    /// Past the front zone; 64-byte aligned.
    void* data() const { return memory_.data() + guard_; }
    std::size_t bytes() const { return bytes_; }

    /// Fills everything, zones included, with the poison byte.
    void poison(queue& on) const;
    /// Poison in the zones, `content` between them.
    void upload(queue& on, std::span<const std::byte> content) const;

    struct content {
        std::vector<std::byte> data;
        std::uint64_t guard_bytes_written = 0;  ///< bytes of the zones that are poison no more
    };
    content download(queue& on) const;

    /// Memory that such a buffer takes; saturates.
    static std::uint64_t footprint(std::uint64_t bytes, std::uint64_t guard);

private:
    std::size_t bytes_, guard_;
    buffer<std::byte> memory_;
};

/// Bytes of a rows x cols matrix; the largest value where that overflows.
std::uint64_t matrix_bytes(std::int64_t rows, std::int64_t cols, dtype type);
/// Sum that stays at the largest value instead of overflowing.
std::uint64_t saturating_sum(std::initializer_list<std::uint64_t> terms);

/// Zone for an output of such rows: wide enough that a tile which hangs over the end writes into it. None on target
/// emulated, where the emulator knows the exact ends of the allocation.
std::uint64_t guard_bytes(const device& where, std::int64_t row_bytes);

}  // namespace kittens::tool
