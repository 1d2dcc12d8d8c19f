// SPDX-License-Identifier: Apache-2.0
// Shared local memory of the running workgroup: storage, and for every byte who wrote and read it last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace kittens::emulated {

struct subgroup_state;

/// Who accesses.
struct slm_accessor {
    const std::vector<std::uint32_t>* clock;  // of the subgroup
    std::uint32_t round;
    std::uint16_t subgroup;
    std::uint8_t lane;
};

enum class slm_problem { none, out_of_bounds, uninitialized, race };

/// What an access found, and against whom.
struct slm_finding {
    slm_problem problem = slm_problem::none;
    std::size_t offset = 0;
    bool other_wrote = false;
    int other_subgroup = 0;
    int other_lane = 0;
};

class slm_state {
public:
    /// Starts a workgroup with `bytes` of SLM at the base; everything is unwritten.
    void reset(std::size_t bytes, std::size_t capacity);
    /// SLM for a key, behind the base's; nullptr when the capacity is exceeded.
    void* allocate(const void* key, std::size_t bytes);
    void* base() { return base_bytes_ ? storage_.get() : nullptr; }
    std::size_t used() const { return used_; }
    std::size_t capacity() const { return capacity_; }
    bool contains(const void* p) const;

    slm_finding access(const void* p, std::size_t bytes, bool write, bool atomic, const slm_accessor& who);

private:
    struct mark {
        std::uint32_t clock = 0;
        std::uint32_t round = 0;
        std::uint16_t subgroup = 0;
        std::uint8_t lane = 0;
        std::uint8_t state = 0;  // 0: none, 1: plain, 2: atomic
    };
    struct byte_state {
        mark written;
        mark read[2];  // two different readers are enough to see any race with a later writer but the rarest
    };
    static bool ordered(const mark& m, const slm_accessor& who);

    struct free_storage {
        void operator()(std::byte* p) const;
    };
    std::unique_ptr<std::byte, free_storage> storage_;
    std::size_t capacity_ = 0, used_ = 0, base_bytes_ = 0;
    std::vector<byte_state> bytes_;
    std::vector<std::pair<const void*, std::size_t>> keys_;
};

}  // namespace kittens::emulated
