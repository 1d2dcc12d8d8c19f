// SPDX-License-Identifier: Apache-2.0
// Unified memory: one pointer, valid on the host and in kernels of its device.
#pragma once

#include <kittens/runtime/device.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace kittens {

/// `shared` is readable and writable on both sides and may migrate; `host` stays in host memory; `device` stays on
/// the device and is reached from the host by queue::copy only. On host back ends all three are the same.
enum class memory_kind { shared, host, device };

/// At least `bytes` bytes (1 where 0 is asked), 64-byte aligned, uninitialised. Throws memory_error where the
/// device has not as much.
void* allocate(const device& where, std::uint64_t bytes, memory_kind kind = memory_kind::shared);

/// Gives back what `allocate` returned; nothing for nullptr. No command that uses it may be running.
void deallocate(const device& where, void* pointer) noexcept;

/// Memory on `where` that is free now, in bytes: an estimate.
std::uint64_t available_memory(const device& where);

/// Throws memory_error where `bytes` in total do not fit into the memory that is free now. `what` names what wants
/// them, e.g. "gemm 65536x65536x65536".
void require_memory(const device& where, std::uint64_t bytes, std::string_view what);

/// `size` elements of unified memory, released at the end of the object's life. Moves, does not copy.
template <class T> class buffer {
    static_assert(std::is_trivially_copyable_v<T>, "buffer: elements are copied bytewise");

public:
    buffer() = default;
    buffer(device where, std::size_t size, memory_kind kind = memory_kind::shared)
        : where_(std::move(where)),
          size_(size),
          kind_(kind),
          data_(static_cast<T*>(allocate(where_, bytes_for(size), kind))) {}
    buffer(buffer&& other) noexcept { swap(other); }
    buffer& operator=(buffer&& other) noexcept {
        buffer taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~buffer() {
        if (data_) deallocate(where_, data_);
    }

    T* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    std::size_t bytes() const noexcept { return size_ * sizeof(T); }
    memory_kind kind() const noexcept { return kind_; }
    const device& where() const noexcept { return where_; }
    /// Host access; not for memory_kind::device.
    std::span<T> span() const noexcept { return {data_, size_}; }
    T& operator[](std::size_t i) const noexcept { return data_[i]; }
    T* begin() const noexcept { return data_; }
    T* end() const noexcept { return data_ + size_; }

    void swap(buffer& other) noexcept {
        std::swap(where_, other.where_);
        std::swap(size_, other.size_);
        std::swap(kind_, other.kind_);
        std::swap(data_, other.data_);
    }

private:
    static std::uint64_t bytes_for(std::size_t size) {
        std::uint64_t n = 0;
        return __builtin_mul_overflow(size, sizeof(T), &n) ? ~std::uint64_t{0} : n;
    }

    device where_{std::shared_ptr<detail::backend>{}};
    std::size_t size_ = 0;
    memory_kind kind_ = memory_kind::shared;
    T* data_ = nullptr;
};

/// Byte that outputs are poisoned with: all-ones words are NaN in every floating-point type.
inline constexpr unsigned char poison_byte = 0xff;

}  // namespace kittens
