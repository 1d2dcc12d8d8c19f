// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kittens/inspect/spirv.hpp>

namespace kittens::inspect {

/// The module with every loop marked as not to be unrolled (OpLoopControlINTEL with DontUnroll, extension
/// SPV_INTEL_unstructured_loop_controls), which no compiler option says for a single module and clang's SPIR-V backend
/// leaves out. A loop's head is a block that a later block, or it itself, branches to; heads that end in a switch stay as they are.
spirv_module keep_loops(const spirv_module& module);

}  // namespace kittens::inspect
