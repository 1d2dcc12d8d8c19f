// SPDX-License-Identifier: Apache-2.0
#include "emulated/slm.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "emulated/state.hpp"

namespace kittens::emulated {

namespace {
constexpr std::size_t alignment = 64;
}

void slm_state::free_storage::operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{alignment}); }

void slm_state::reset(std::size_t bytes, std::size_t capacity) {
    if (capacity > capacity_ || !storage_) {
        storage_.reset(
            static_cast<std::byte*>(::operator new(std::max(capacity, alignment), std::align_val_t{alignment})));
        bytes_.clear();
    } else {
        std::fill(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(std::min(used_, bytes_.size())),
                  byte_state{});
    }
    capacity_ = capacity;
    bytes_.resize(capacity);
    used_ = base_bytes_ = bytes;
    keys_.clear();
    for (std::size_t i = 0; i + 2 <= capacity; i += 2) std::memcpy(storage_.get() + i, &undefined_pattern, 2);
}

void* slm_state::allocate(const void* key, std::size_t bytes) {
    for (const auto& [k, offset] : keys_)
        if (k == key) return storage_.get() + offset;
    const std::size_t offset = (used_ + alignment - 1) / alignment * alignment;
    if (offset + bytes > capacity_) return nullptr;
    keys_.emplace_back(key, offset);
    used_ = offset + bytes;
    return storage_.get() + offset;
}

bool slm_state::contains(const void* p) const {
    return p >= storage_.get() && p < storage_.get() + std::max(capacity_, std::size_t{1});
}

bool slm_state::ordered(const mark& m, const slm_accessor& who) {
    if (m.subgroup == who.subgroup) return m.lane == who.lane || m.round != who.round;
    return (*who.clock)[m.subgroup] >= m.clock;
}

slm_finding slm_state::access(const void* p, std::size_t bytes, bool write, bool atomic, const slm_accessor& who) {
    const auto at = reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(storage_.get());
    if (at >= used_ || bytes > used_ - at) return {slm_problem::out_of_bounds, at, false, 0, 0};
    slm_finding found;
    const auto note = [&](slm_problem problem, std::size_t offset, const mark& m, bool wrote) {
        if (found.problem == slm_problem::none) found = {problem, offset, wrote, m.subgroup, m.lane};
    };
    const mark self{(*who.clock)[who.subgroup], who.round, who.subgroup, who.lane,
                    static_cast<std::uint8_t>(atomic ? 2 : 1)};
    for (std::size_t i = at; i < at + bytes; ++i) {
        byte_state& b = bytes_[i];
        const auto races = [&](const mark& m) { return m.state != 0 && !(m.state == 2 && atomic) && !ordered(m, who); };
        if (races(b.written)) note(slm_problem::race, i, b.written, true);
        if (write) {
            for (const mark& r : b.read)
                if (races(r)) note(slm_problem::race, i, r, false);
            b.written = self;
            b.read[0] = b.read[1] = mark{};
        } else {
            if (b.written.state == 0) note(slm_problem::uninitialized, i, b.written, false);
            if (b.read[0].state == 0 || b.read[0].subgroup == who.subgroup) b.read[0] = self;
            else b.read[1] = self;
        }
    }
    return found;
}

}  // namespace kittens::emulated
