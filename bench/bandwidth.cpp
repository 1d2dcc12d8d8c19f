// SPDX-License-Identifier: Apache-2.0
#include "bandwidth.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kittens::bench {

class thread_team {
public:
    explicit thread_team(int threads) {
        for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
    }
    ~thread_team() {
        {
            const std::lock_guard lock(mutex_);
            stop_ = true;
            ++generation_;
        }
        start_.notify_all();
        for (auto& w : workers_) w.join();
    }
    int size() const { return static_cast<int>(workers_.size()) + 1; }

    void run(const std::function<void(int)>& body) {
        {
            const std::lock_guard lock(mutex_);
            body_ = &body;
            left_ = static_cast<int>(workers_.size());
            ++generation_;
        }
        start_.notify_all();
        body(0);
        std::unique_lock lock(mutex_);
        done_.wait(lock, [&] { return left_ == 0; });
    }

private:
    void work(int i) {
        std::uint64_t seen = 0;
        for (;;) {
            const std::function<void(int)>* body;
            {
                std::unique_lock lock(mutex_);
                start_.wait(lock, [&] { return generation_ != seen; });
                seen = generation_;
                if (stop_) return;
                body = body_;
            }
            (*body)(i);
            const std::lock_guard lock(mutex_);
            if (--left_ == 0) done_.notify_one();
        }
    }

    std::mutex mutex_;
    std::condition_variable start_, done_;
    const std::function<void(int)>* body_ = nullptr;
    std::uint64_t generation_ = 0;
    int left_ = 0;
    bool stop_ = false;
    std::vector<std::thread> workers_;
};

namespace {

constexpr std::size_t block = 4096;

#if defined(__x86_64__)
struct alignas(32) vector {
    char bytes[32];
};
__attribute__((target("avx2"))) void read_block(const char* from, std::size_t bytes, vector& sum) {
    const auto* p = reinterpret_cast<const __m256i*>(from);
    __m256i a = _mm256_load_si256(reinterpret_cast<const __m256i*>(&sum)), b = a, c = a, d = a;
    std::size_t i = 0;
    for (; i + 4 <= bytes / 32; i += 4) {
        a = _mm256_or_si256(a, _mm256_loadu_si256(p + i));
        b = _mm256_or_si256(b, _mm256_loadu_si256(p + i + 1));
        c = _mm256_or_si256(c, _mm256_loadu_si256(p + i + 2));
        d = _mm256_or_si256(d, _mm256_loadu_si256(p + i + 3));
    }
    for (; i < bytes / 32; ++i) a = _mm256_or_si256(a, _mm256_loadu_si256(p + i));
    _mm256_store_si256(reinterpret_cast<__m256i*>(&sum), _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d)));
}
/// Rows of this many bytes are read at once, so many, and lines asked for so far ahead of their use: what was fastest.
constexpr std::size_t row_bytes = 8192, rows_at_once = 8, bytes_ahead = 512;
__attribute__((target("avx2"))) void read_rows(const char* from, std::size_t bytes, vector& sum) {
    __m256i a[rows_at_once];
    for (auto& x : a) x = _mm256_load_si256(reinterpret_cast<const __m256i*>(&sum));
    for (; bytes >= rows_at_once * row_bytes; from += rows_at_once * row_bytes, bytes -= rows_at_once * row_bytes)
        for (std::size_t i = 0; i < row_bytes; i += 64)
            for (std::size_t r = 0; r < rows_at_once; ++r) {
                const char* p = from + r * row_bytes + i;
                __builtin_prefetch(p + bytes_ahead, 0, 3);
                a[r] = _mm256_or_si256(a[r], _mm256_or_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32))));
            }
    for (std::size_t r = 1; r < rows_at_once; ++r) a[0] = _mm256_or_si256(a[0], a[r]);
    _mm256_store_si256(reinterpret_cast<__m256i*>(&sum), a[0]);
    read_block(from, bytes, sum);
}
/// `to` is a multiple of 32, as all buffers are.
__attribute__((target("avx2"))) void write_block(char* to, std::size_t bytes, const vector& from, bool streaming) {
    const __m256i value = _mm256_load_si256(reinterpret_cast<const __m256i*>(&from));
    auto* p = reinterpret_cast<__m256i*>(to);
    if (streaming)
        for (std::size_t i = 0; i < bytes / 32; ++i) _mm256_stream_si256(p + i, value);
    else
        for (std::size_t i = 0; i < bytes / 32; ++i) _mm256_store_si256(p + i, value);
}
#endif

/// The parts of spans of memory that lie in [begin, end) when they are put end to end.
template <class F> void for_parts(std::span<const memory_span> spans, std::size_t begin, std::size_t end, F f) {
    for (const memory_span& s : spans) {
        if (begin < s.bytes && end > 0) f(static_cast<char*>(s.data) + begin, std::min(end, s.bytes) - begin);
        begin -= std::min(begin, s.bytes);
        if (end <= s.bytes) return;
        end -= s.bytes;
    }
}

std::size_t total(std::span<const memory_span> spans) {
    std::size_t sum = 0;
    for (const memory_span& s : spans) sum += s.bytes;
    return sum;
}

#if defined(__x86_64__)
/// Goes through the lines of [begin, end) of spans that are put end to end; stays at the last one.
class line_cursor {
public:
    line_cursor(std::span<const memory_span> spans, std::size_t begin, std::size_t end) {
        for_parts(spans, begin, end, [&](char* p, std::size_t bytes) {
            if (bytes >= 64) parts_.push_back({p, bytes / 64});
        });
        if (!parts_.empty()) at_ = parts_[0].from, left_ = parts_[0].lines;
    }
    std::size_t lines() const {
        std::size_t sum = 0;
        for (const part& p : parts_) sum += p.lines;
        return sum;
    }
    char* next() {
        if (left_ == 0 && part_ + 1 < parts_.size()) ++part_, at_ = parts_[part_].from, left_ = parts_[part_].lines;
        if (left_ > 0) --left_, at_ += 64;
        return at_ - 64;
    }

private:
    struct part {
        char* from;
        std::size_t lines;
    };
    std::vector<part> parts_;
    char* at_ = nullptr;
    std::size_t left_ = 0, part_ = 0;
};

constexpr int streams_at_once = 4;

/// Lines of several streams in turns, each written as soon as as much has been read as belongs to it.
__attribute__((target("avx2"))) void copy_streams(line_cursor (&read)[streams_at_once], line_cursor (&write)[streams_at_once], vector& value) {
    std::size_t reads = 0, writes = 0;
    for (const line_cursor& c : read) reads = std::max(reads, c.lines());
    for (const line_cursor& c : write) writes = std::max(writes, c.lines());
    const std::size_t steps = std::max(reads, writes);
    __m256i low = _mm256_setzero_si256(), high = low;
    std::size_t due_reads = 0, due_writes = 0;
    for (std::size_t i = 0; i < steps; ++i) {
        const bool reading = (due_reads += reads) >= steps, writing = (due_writes += writes) >= steps;
        if (reading) due_reads -= steps;
        if (writing) due_writes -= steps;
        for (int s = 0; s < streams_at_once; ++s) {
            if (reading) {
                const auto* p = reinterpret_cast<const __m256i*>(read[s].next());
                // Every line has to be wanted by somebody.
                low = _mm256_or_si256(low, _mm256_loadu_si256(p)), high = _mm256_or_si256(high, _mm256_loadu_si256(p + 1));
            }
            if (writing) {
                auto* p = reinterpret_cast<__m256i*>(write[s].next());
                _mm256_stream_si256(p, low), _mm256_stream_si256(p + 1, high);
            }
        }
    }
    _mm256_store_si256(reinterpret_cast<__m256i*>(&value), _mm256_or_si256(low, high));
}

/// Thread `i` of `n`: blocks of what is written, and in between its share of what is read.
void share(int i, int n, std::span<const memory_span> read, std::span<const memory_span> write, traffic_way way) {
    const auto part = [&](std::size_t bytes, std::size_t k, std::size_t of) { return std::min(bytes, (bytes * k / of) / 64 * 64 + (k == of ? 64 : 0)); };
    const std::size_t r0 = part(total(read), static_cast<std::size_t>(i), static_cast<std::size_t>(n)), r1 = part(total(read), static_cast<std::size_t>(i) + 1, static_cast<std::size_t>(n));
    const std::size_t w0 = part(total(write), static_cast<std::size_t>(i), static_cast<std::size_t>(n)), w1 = part(total(write), static_cast<std::size_t>(i) + 1, static_cast<std::size_t>(n));
    vector value{};
    if (way == traffic_way::many_streams) {
        if ((w1 - w0) * 16 < r1 - r0) {
            for_parts(read, r0, r1, [&](char* p, std::size_t bytes) { read_rows(p, bytes, value); });
            for_parts(write, w0, w1, [&](char* p, std::size_t bytes) { write_block(p, bytes, value, false); });
        } else {
            const auto cursor = [&](std::span<const memory_span> of, std::size_t begin, std::size_t end, std::size_t s) {
                return line_cursor(of, begin + part(end - begin, s, streams_at_once), begin + part(end - begin, s + 1, streams_at_once));
            };
            line_cursor from[] = {cursor(read, r0, r1, 0), cursor(read, r0, r1, 1), cursor(read, r0, r1, 2), cursor(read, r0, r1, 3)};
            line_cursor to[] = {cursor(write, w0, w1, 0), cursor(write, w0, w1, 1), cursor(write, w0, w1, 2), cursor(write, w0, w1, 3)};
            copy_streams(from, to, value);
            _mm_sfence();
        }
        asm volatile("" ::"m"(value));
        return;
    }
    const bool streaming = way == traffic_way::past_caches;
    const std::size_t steps = std::max<std::size_t>(1, std::max(r1 - r0, w1 - w0) / block);
    for (std::size_t s = 0; s < steps; ++s) {
        for_parts(read, r0 + part(r1 - r0, s, steps), r0 + part(r1 - r0, s + 1, steps), [&](char* p, std::size_t bytes) { read_block(p, bytes, value); });
        for_parts(write, w0 + part(w1 - w0, s, steps), w0 + part(w1 - w0, s + 1, steps), [&](char* p, std::size_t bytes) { write_block(p, bytes, value, streaming); });
    }
    if (streaming) _mm_sfence();
    // The value has to be wanted by somebody.
    asm volatile("" ::"m"(value));
}
#endif

}  // namespace

memory_traffic::memory_traffic(int threads) : team_(std::make_unique<thread_team>(threads)) {}
memory_traffic::~memory_traffic() = default;

void memory_traffic::run(std::span<const memory_span> read, std::span<const memory_span> write, traffic_way way) {
#if defined(__x86_64__)
    team_->run([&](int i) { share(i, team_->size(), read, write, way); });
#endif
}

std::size_t largest_cache() {
    std::size_t largest = 0;
    for (int i = 0; i < 8; ++i) {
        std::ifstream in("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/size");
        std::size_t n = 0;
        char unit = 0;
        if (in >> n) {
            in >> unit;
            largest = std::max(largest, n << (unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0));
        }
    }
    return largest ? largest : std::size_t{32} << 20;
}

}  // namespace kittens::bench
