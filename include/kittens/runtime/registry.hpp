// SPDX-License-Identifier: Apache-2.0
// The compiled kernels of this program. Kernel translation units register themselves with register_kernel and
// register_module (base/launch.hpp) from static initialisers.
#pragma once

#include <kittens/base/launch.hpp>

#include <string_view>
#include <vector>

namespace kittens {

/// The kernel `name` for `target` ("cpu", "emulated", "xe") compiled for exactly `isa` ("" except on cpu), or nullptr.
const kernel_record* find_kernel(std::string_view name, std::string_view target, std::string_view isa = "");

/// The kernel `name` for `target`; on cpu the one with the highest instruction set that is not above `max_isa`.
/// nullptr where there is none.
const kernel_record* best_kernel(std::string_view name, std::string_view target, std::string_view max_isa = "");

/// All kernels, ordered by name, target and instruction set.
std::vector<const kernel_record*> kernels();

/// All different kernel names, ordered.
std::vector<std::string_view> kernel_names();

/// The embedded SPIR-V module `name`, or nullptr.
const module_record* find_module(std::string_view name);

/// All modules, ordered by name.
std::vector<const module_record*> modules();

}  // namespace kittens
