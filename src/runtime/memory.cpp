// SPDX-License-Identifier: Apache-2.0
#include "backend.hpp"

#include <kittens/runtime/error.hpp>

#include <fmt/format.h>

namespace kittens {

namespace detail {

std::string size_text(std::uint64_t bytes) {
    static constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes);
    int unit = 0;
    for (; value >= 1024 && unit < 6; ++unit) value /= 1024;
    return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace detail

void* allocate(const device& where, std::uint64_t bytes, memory_kind kind) {
    // Asking the system what is free costs more than a small allocation.
    constexpr std::uint64_t small = std::uint64_t{16} << 20;
    if (bytes > small) require_memory(where, bytes, "an allocation");
    return where.impl().allocate(bytes, kind);
}

void deallocate(const device& where, void* pointer) noexcept {
    if (pointer) where.impl().deallocate(pointer);
}

std::uint64_t available_memory(const device& where) { return where.impl().available_memory(); }

void require_memory(const device& where, std::uint64_t bytes, std::string_view what) {
    const std::uint64_t free = available_memory(where);
    if (bytes > free)
        throw memory_error(fmt::format("{} needs {} but {} has {} free", what, detail::size_text(bytes), where.id(),
                                       detail::size_text(free)),
                           "use a smaller problem");
}

}  // namespace kittens
