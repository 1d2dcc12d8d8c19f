// SPDX-License-Identifier: Apache-2.0
// Memory that was asked for ahead of its use. Asked for all at once, many lines would stop the thread until they have come, and
// while it then computes, memory would idle: products that read each operand once therefore ask for a few lines in each of their
// steps.
//
// They go through several streams in turns: the second-level cache's prefetcher runs ahead in each page by itself, but stops at its
// end, so that one stream waits for memory at each page.
#pragma once

#include <kittens/base/target.hpp>
#include <kittens/target/cpu/intrinsics.hpp>

#include <cstddef>
#include <cstdint>

namespace kittens::inline KITTENS_NS::lower {

/// Streams in which neighbouring memory is asked for.
inline constexpr int request_streams = 4;

/// Areas of memory whose lines are still to be brought into the second-level cache: the first two in turns, each in several streams.
class lines_ahead {
  public:
    /// `rows` rows of `bytes` bytes, `stride` bytes apart. What does not exist may be asked for: a prefetch does not fault.
    KITTENS_INLINE void add(const void* first, std::int64_t stride, int rows, int bytes) {
        if (count_ == most) flush();
        const auto* line = reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(first) & ~std::uintptr_t(63));
        bytes += int(static_cast<const std::byte*>(first) - line);
        if (stride == bytes) {  // rows without gaps are one, which is cut
            const int lines = (bytes * rows + 63) / 64;
            rows = streams;
            bytes = (lines + streams - 1) / streams * 64;
            stride = bytes;
        }
        const int each = (rows + streams - 1) / streams, lines = (bytes + 63) / 64;
        areas_[count_++] = {line, stride, each * stride, each, lines, lines};
    }
    /// Asks for the next `lines` lines, in portions: what is less than one counts for the next call.
    KITTENS_INLINE void some(int lines) {
        if (lines % portion) {
            owed_ += lines;
            lines = owed_ / portion * portion;
            owed_ %= portion;
        }
        while (count_ > 0 && lines > 0) {
            lines -= ask(areas_[count_ > 1]);
            if (count_ > 0 && lines > 0) lines -= ask(areas_[0]);
        }
    }
    /// Asks for all that is left.
    KITTENS_INLINE void flush() {
        while (count_ > 0) [[unlikely]] some(portion);
    }

  private:
    static constexpr int most = 8, streams = request_streams, portion = 4 * streams;
    struct area {
        const std::byte* line;
        std::int64_t stride, stream;  ///< from a row to the next, and from a stream to the next
        int rows, lines, left;        ///< rows of a stream, lines of a row, those of this row that are still to come
    };
    /// One or two lines of each stream; returns how many.
    KITTENS_INLINE int ask(area& a) {
        const bool two = a.left > 1;
        KITTENS_UNROLL
        for (int s = 0; s < streams; ++s) __builtin_prefetch(a.line + s * a.stream, 0, 2);
        if (two) [[likely]] {
            KITTENS_UNROLL
            for (int s = 0; s < streams; ++s) __builtin_prefetch(a.line + s * a.stream + 64, 0, 2);
        }
        a.line += two ? 128 : 64;
        a.left -= two ? 2 : 1;
        if (a.left == 0) {
            a.line += a.stride - std::int64_t(64) * a.lines;
            a.left = a.lines;
            if (--a.rows == 0) [[unlikely]] end(a);
        }
        return two ? 2 * streams : streams;
    }
    KITTENS_NOINLINE void end(area& a) {
        --count_;
        for (area* next = &a; next < areas_ + count_; ++next) next[0] = next[1];
    }

    area areas_[most];
    int count_, owed_;
};

/// This thread's.
inline thread_local lines_ahead asked_ahead;

}  // namespace kittens::inline KITTENS_NS::lower
