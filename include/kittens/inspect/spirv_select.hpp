// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kittens/inspect/spirv.hpp>

#include <string_view>

namespace kittens::inspect {

/// The module with the kernel `name` alone and the functions that it calls: what a device's compiler must look at to
/// build one kernel. Global variables and types stay. Throws spirv_error when there is no such kernel.
spirv_module select_kernel(const spirv_module& module, std::string_view name);

/// Whether the module waits at named barriers (barriers of some subgroups of a workgroup), which only GPUs have: other OpenCL
/// devices run the subgroups of a workgroup one after another.
bool has_named_barriers(const spirv_module& module);

}  // namespace kittens::inspect
