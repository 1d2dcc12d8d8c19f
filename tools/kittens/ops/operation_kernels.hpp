// SPDX-License-Identifier: Apache-2.0
// One small kernel per tile operation, as source: what `kittens inspect --ops` compiles. Each loads its operands, does the
// operation once and stores the result.
#pragma once

#include <kittens/inspect/compile.hpp>

#include <span>
#include <string>
#include <vector>

namespace kittens::tool {

struct operation_kernel {
    const char* name;       ///< identifier, unique
    const char* operation;  ///< function of the tile interface
    const char* shape;      ///< operands, for people
    const char* types;      ///< element types of g.a, g.b and g.c
    const char* body;       ///< of the kernel; declares what it uses
    /// Kernel of the same list that differs by the operation alone: the operation's cost is the difference. nullptr where
    /// the messages of the kernel are the operation.
    const char* frame = nullptr;
    int slm_bytes = 0;
    bool cri_only = false;
    bool pvc_only = false;
};

/// All, by family.
std::span<const operation_kernel> operation_kernels();

/// Those that exist on a device.
std::vector<operation_kernel> operation_kernels_for(inspect::gpu device);

/// A translation unit with these kernels, for a device; each is registered as `op_<name>`.
std::string operation_source(std::span<const operation_kernel> kernels, inspect::gpu device);

}  // namespace kittens::tool
