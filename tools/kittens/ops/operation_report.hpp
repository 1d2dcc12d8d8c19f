// SPDX-License-Identifier: Apache-2.0
// What the tile operations become on a GPU.
#pragma once

#include "console.hpp"
#include "ops/operation_kernels.hpp"

#include <kittens/inspect/report.hpp>

#include <optional>
#include <string>
#include <vector>

namespace kittens::tool {

/// Figures of a kernel, and of an operation as the difference of two kernels.
struct operation_cost {
    int instructions = 0, dpas = 0, sends = 0, moves = 0, alu = 0, math = 0, compare = 0;
    int lane_moves = 0;  ///< moves of 4 to 15 lanes: how values go from lane to lane
};

struct compiled_operation {
    operation_kernel what;
    inspect::kernel_report kernel;
    operation_cost whole;               ///< of the kernel
    std::optional<operation_cost> own;  ///< less what the frame has
};

struct operations_report {
    inspect::gpu device{};
    std::vector<std::pair<std::string, std::string>> compiler;
    std::vector<compiled_operation> operations;
    std::vector<std::string> warnings;

    /// nullptr where there is none of the name.
    const compiled_operation* find(std::string_view name) const;
    /// Names of operations that spill or touch scratch memory.
    std::vector<std::string> in_memory() const;
};

operation_cost cost_of(const inspect::kernel_report& kernel);

/// Compiles the kernels for a device; `include_dirs` hold the library. Throws inspect_error.
operations_report compile_operations(inspect::gpu device, const std::filesystem::path& include, const std::filesystem::path& freestanding);

std::string to_text(const operations_report& report);
json to_json(const operations_report& report);

}  // namespace kittens::tool
