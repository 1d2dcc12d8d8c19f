// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kittens/inspect/assembly.hpp"
#include "kittens/inspect/zebin.hpp"

namespace kittens::inspect {

/// What one 2-D message moves: `count` blocks side by side.
struct block_shape {
    unsigned element_bytes = 0;
    unsigned width = 0;   ///< elements
    unsigned height = 0;  ///< rows
    unsigned count = 1;

    unsigned bytes() const { return element_bytes * width * height * count; }
};

/// A 2-D send of a program, followed back to the constants and pointers that it was given.
struct block_send {
    std::size_t index = 0;  ///< in program::code
    /// Nothing when the shape is not a constant that the listing shows.
    std::optional<block_shape> shape;
    /// Where the base address comes from: "argument 0", "argument 0 + 16" (inside a by-value
    /// struct; also where something computed was added to it), "r1.8" (a register that no argument explains), or "" when
    /// it was not found.
    std::string surface;
    /// "operand A of dpas", "operand B of dpas", or "" for what feeds no dpas of the loop.
    std::string feeds;
};

/// All 2-D sends of the program. Loads are matched with dpas instructions inside `scope` (or in
/// all the code); a prefetch feeds what a load from the same surface in the scope feeds.
std::vector<block_send> find_block_sends(const program& code, const zebin_kernel& kernel, const loop* scope = nullptr);

}  // namespace kittens::inspect
