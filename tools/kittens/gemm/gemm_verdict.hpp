// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../operation.hpp"
#include "gemm_check.hpp"

namespace kittens::tool {

/// Puts a comparison into an outcome: passed or not, the JSON, and words. `guard_bytes_written` are bytes outside C.
void judge(run_outcome& to, const gemm_comparison& c, std::uint64_t guard_bytes_written);

}  // namespace kittens::tool
