// SPDX-License-Identifier: Apache-2.0
// Options that say which products a command is about.
#pragma once

#include <bench/suites.hpp>
#include <kittens/base/types.hpp>

#include <string>
#include <vector>

namespace kittens::tool {

/// "512x4096x1024": M, N, K. Throws user_error.
bench::gemm_shape parse_gemm_shape(const std::string& text);
/// The shapes given, or, where there are none, those of the suite.
std::vector<bench::gemm_shape> gemm_shapes(const std::string& suite, const std::vector<std::string>& given);
/// bf16, fp16 or int8.
dtype parse_gemm_type(const std::string& name);

}  // namespace kittens::tool
