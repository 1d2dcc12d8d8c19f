// SPDX-License-Identifier: Apache-2.0
#include "operands.hpp"

#include "parallel.hpp"

#include <bench/elements.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace kittens::tool {

namespace {

using bench::mix;

/// (0, 1], from the upper 53 bits.
double unit(std::uint64_t x) { return static_cast<double>((x >> 11) + 1) * 0x1p-53; }

template <class T>
void fill(T* to, std::size_t count, std::uint64_t key, double scale) {
    constexpr std::size_t block = 1 << 16;
    parallel_for(static_cast<std::int64_t>((count + block - 1) / block), [&](std::int64_t b) {
        const std::size_t first = static_cast<std::size_t>(b) * block, last = std::min(first + block, count);
        for (std::size_t i = first; i < last; i += 2) {
            const std::uint64_t u = mix(key + i), v = mix(key + i + 1);
            if constexpr (std::is_same_v<T, int8>) {
                to[i] = static_cast<int8>(u >> 56);
                if (i + 1 < last) to[i + 1] = static_cast<int8>(v >> 56);
            } else {
                const double radius = scale * std::sqrt(-2 * std::log(unit(u)));
                const double angle = 2 * std::numbers::pi * unit(v);
                to[i] = T(static_cast<float>(radius * std::cos(angle)));
                if (i + 1 < last) to[i + 1] = T(static_cast<float>(radius * std::sin(angle)));
            }
        }
    });
}

std::size_t rounded_guard(std::uint64_t guard) { return static_cast<std::size_t>((guard + 63) / 64 * 64); }

}  // namespace

std::vector<std::byte> random_operand(dtype type, std::size_t count, std::uint64_t seed, std::uint64_t stream,
                                      double scale) {
    std::vector<std::byte> result(count * static_cast<std::size_t>(size_of(type)));
    const std::uint64_t key = mix(mix(seed) ^ mix(~stream));
    switch (type) {
    case dtype::bf16: fill(reinterpret_cast<bf16*>(result.data()), count, key, scale); break;
    case dtype::f16: fill(reinterpret_cast<half*>(result.data()), count, key, scale); break;
    case dtype::f32: fill(reinterpret_cast<float*>(result.data()), count, key, scale); break;
    case dtype::tf32: fill(reinterpret_cast<tf32*>(result.data()), count, key, scale); break;
    case dtype::i8: fill(reinterpret_cast<int8*>(result.data()), count, key, scale); break;
    default: throw std::invalid_argument(std::string("random_operand: no generator for ") + name_of(type));
    }
    return result;
}

guarded_buffer::guarded_buffer(const device& where, std::uint64_t bytes, std::uint64_t guard)
    : bytes_(bytes),
      guard_(rounded_guard(guard)),
      memory_(where, bytes_ + 2 * guard_, memory_kind::device) {}

void guarded_buffer::poison(queue& on) const { on.poison(memory_); }

void guarded_buffer::upload(queue& on, std::span<const std::byte> content) const {
    on.fill(memory_.data(), poison_byte, guard_);
    on.copy(data(), content.data(), content.size());
    on.fill(memory_.data() + guard_ + bytes_, poison_byte, guard_);
    on.wait();
}

guarded_buffer::content guarded_buffer::download(queue& on) const {
    content result;
    result.data.resize(bytes_);
    std::vector<std::byte> zones(2 * guard_);
    on.copy(result.data.data(), data(), bytes_);
    on.copy(zones.data(), memory_.data(), guard_);
    on.copy(zones.data() + guard_, memory_.data() + guard_ + bytes_, guard_);
    on.wait();
    result.guard_bytes_written =
        zones.size() - static_cast<std::size_t>(std::count(zones.begin(), zones.end(), std::byte{poison_byte}));
    return result;
}

std::uint64_t guarded_buffer::footprint(std::uint64_t bytes, std::uint64_t guard) {
    return saturating_sum({bytes, rounded_guard(guard), rounded_guard(guard)});
}

std::uint64_t matrix_bytes(std::int64_t rows, std::int64_t cols, dtype type) {
    std::uint64_t n = 0;
    if (__builtin_mul_overflow(static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(cols), &n) ||
        __builtin_mul_overflow(n, static_cast<std::uint64_t>(size_of(type)), &n))
        return UINT64_MAX;
    return n;
}

std::uint64_t saturating_sum(std::initializer_list<std::uint64_t> terms) {
    std::uint64_t sum = 0;
    for (const std::uint64_t t : terms)
        if (__builtin_add_overflow(sum, t, &sum)) return UINT64_MAX;
    return sum;
}

std::uint64_t guard_bytes(const device& where, std::int64_t row_bytes) {
    if (where.target() == "emulated") return 0;
    constexpr std::int64_t rows = 64, least = 4096, most = 4 << 20;
    return static_cast<std::uint64_t>(std::clamp(std::min(row_bytes, most) * rows, least, most));
}

}  // namespace kittens::tool
