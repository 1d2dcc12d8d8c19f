// SPDX-License-Identifier: Apache-2.0
// Packed operand panels in a worker's scratch memory.
//
// A product packs its operands into the form that its inner loop reads. Where an operand was loaded from gl<const T>, which
// does not change during a launch, the packed panel is kept and taken again by every later product of this worker on the
// same place, whichever subgroup it belongs to. Each side (A and B) has a ring of memory; the oldest panels are overwritten.
#pragma once

#include <algorithm>
#include <kittens/base/host_context.hpp>
#include <kittens/target/cpu/simd.hpp>
#include <kittens/target/cpu/subgroup.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kittens::inline KITTENS_NS::lower {

/// What a packed panel was made from, and its form.
struct panel_key {
    const void* data;
    std::int64_t stride;
    int lanes, depth;
    int form;

    friend bool operator==(const panel_key&, const panel_key&) = default;
    std::uint64_t hash() const {
        std::uint64_t h = reinterpret_cast<std::uintptr_t>(data) * 0x9e3779b97f4a7c15ull;
        h ^= (std::uint64_t(stride) << 20 ^ std::uint64_t(lanes) << 40 ^ std::uint64_t(depth) << 8 ^ std::uint64_t(form)) * 0xc2b2ae3d27d4eb4full;
        return h ^ h >> 32;
    }
};

/// The panels in one worker's scratch memory.
class panel_cache {
  public:
    /// Bounds of a ring's size, powers of two.
    static constexpr std::size_t least_ring = std::size_t(1) << 18, ring_bytes = std::size_t(16) << 20;

    /// `temporary` bytes for panels that are not kept. Panels found before this call are lost.
    explicit panel_cache(std::size_t temporary) : scratch_(*current_scratch) {
        if (!header_valid() || scratch_.bytes < layout_bytes(temporary)) {
            if (scratch_.bytes < layout_bytes(temporary)) scratch_.grow(scratch_, layout_bytes(temporary));
            std::memset(scratch_.data, 0, sizeof(header));
            head().self = scratch_.data;
            head().size[0] = head().size[1] = least_ring;
        }
        if (head().epoch != scratch_.epoch || !scratch_.words[0]) {
            scratch_.words[0] = 1;
            head().epoch = scratch_.epoch;
            head().generation++;
            for (int side = 0; side < 2; ++side) {
                if (head().written[side] < head().size[side] / 2 && head().size[side] > least_ring) head().size[side] /= 2;
                head().written[side] = head().next[side] = 0;
            }
        }
    }

    unit* temporary(std::size_t offset) const { return reinterpret_cast<unit*>(scratch_.data + layout_bytes(0) + offset); }

    static constexpr bool fits(std::size_t bytes) { return bytes <= ring_bytes; }

    /// The panel of `key`, or room for it (`*fresh`: the caller packs it now).
    unit* find(int side, const panel_key& key, std::size_t bytes, bool* fresh) {
        header& h = head();
        bytes = (bytes + 63) / 64 * 64;
        std::uint64_t &size = h.size[side], &written = h.written[side];
        while (size < bytes) size *= 2;
        entry* const bucket = h.entries[side][key.hash() % buckets];
        entry* victim = bucket;
        for (int i = 0; i < ways; ++i) {
            entry& e = bucket[i];
            if (e.generation == h.generation && e.key == key) {
                const std::uint64_t age = written - e.position;
                if (age <= e.ring_size) {
                    *fresh = false;
                    return ring(side, e.place);
                }
                // Overwritten, and wanted again.
                if (age <= ring_bytes)
                    while (size < age) size *= 2;
                victim = &e;
                break;
            }
            if (e.generation != h.generation) victim = &e;
            else if (victim->generation == h.generation && e.position < victim->position) victim = &e;
        }
        // A panel does not cross the end of the ring.
        std::uint64_t place = h.next[side];
        if (place + bytes > size) {
            written += size - std::min(place, size);
            place = 0;
        }
        *victim = {key, h.generation, written, place, size};
        written += bytes;
        h.next[side] = place + bytes;
        *fresh = true;
        return ring(side, place);
    }

  private:
    static constexpr int buckets = 256, ways = 4;
    struct entry {
        panel_key key;
        std::uint64_t generation;
        /// Bytes written to the ring before it; where it lies; the ring's size when it was written.
        std::uint64_t position, place, ring_size;
    };
    struct alignas(64) header {
        std::byte* self;
        std::uint64_t epoch, generation;
        std::uint64_t written[2], next[2], size[2];
        entry entries[2][buckets][ways];
    };

    static constexpr std::size_t header_bytes = (sizeof(header) + 4095) / 4096 * 4096;
    static constexpr std::size_t layout_bytes(std::size_t temporary) { return header_bytes + 2 * (ring_bytes + 4096) + temporary; }

    header& head() const { return *reinterpret_cast<header*>(scratch_.data); }
    bool header_valid() const { return scratch_.data && scratch_.bytes >= layout_bytes(0) && head().self == scratch_.data; }
    unit* ring(int side, std::uint64_t place) const {
        return reinterpret_cast<unit*>(scratch_.data + header_bytes + side * (ring_bytes + 4096) + place);
    }

    worker_scratch& scratch_;
};

}  // namespace kittens::inline KITTENS_NS::lower
