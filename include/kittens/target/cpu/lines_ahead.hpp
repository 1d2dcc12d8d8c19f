// SPDX-License-Identifier: Apache-2.0
// Memory that was asked for ahead of its use. Asked for all at once, many lines would stop the thread until they have come, and
// while it then computes, memory would idle: products that read each operand once therefore ask for a few lines in each of their
// steps.
#pragma once

#include <kittens/base/target.hpp>
#include <kittens/target/cpu/intrinsics.hpp>

#include <cstddef>
#include <cstdint>

namespace kittens::inline KITTENS_NS::lower {

/// Areas of memory whose lines are still to be brought into the second-level cache, in order.
class lines_ahead {
  public:
    /// `rows` rows of `bytes` bytes, `stride` bytes apart. What does not exist may be asked for: a prefetch does not fault.
    KITTENS_INLINE void add(const void* first, std::int64_t stride, int rows, int bytes) {
        if (count_ == most) flush();
        const auto* line = reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(first) & ~std::uintptr_t(63));
        bytes += int(static_cast<const std::byte*>(first) - line);
        // Rows without gaps are one.
        if (stride == bytes) bytes *= rows, rows = 1;
        areas_[(first_ + count_++) % most] = {line, stride, rows, bytes};
    }
    /// Asks for the next `lines` lines.
    KITTENS_INLINE void some(int lines) {
        if (count_ == 0) return;
        area& now = areas_[first_];
        if (offset_ + 64 * lines < now.bytes) [[likely]] {
            for (int i = 0; i < lines; ++i) __builtin_prefetch(now.row + offset_ + 64 * i, 0, 2);
            offset_ += 64 * lines;
        } else rest(lines);
    }
    KITTENS_INLINE void flush() {
        if (count_ > 0) [[unlikely]] rest(1 << 30);
    }

  private:
    KITTENS_NOINLINE void rest(int lines) {
        while (count_ > 0 && lines > 0) {
            area& a = areas_[first_];
            const int n = (a.bytes - offset_ + 63) / 64 < lines ? (a.bytes - offset_ + 63) / 64 : lines;
            for (int i = 0; i < n; ++i) __builtin_prefetch(a.row + offset_ + 64 * i, 0, 2);
            lines -= n;
            offset_ += 64 * n;
            if (offset_ < a.bytes) return;
            offset_ = 0;
            a.row += a.stride;
            if (--a.rows > 0) continue;
            first_ = (first_ + 1) % most;
            --count_;
        }
    }

    static constexpr int most = 8;
    struct area {
        const std::byte* row;
        std::int64_t stride;
        int rows, bytes;
    };
    area areas_[most];
    int first_, count_, offset_;
};

/// This thread's.
inline thread_local lines_ahead asked_ahead;

}  // namespace kittens::inline KITTENS_NS::lower
