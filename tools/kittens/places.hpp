// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace kittens::tool {

/// Where the library's headers and the kernels' sources are: beside an installed program, else in the source tree that
/// the program was built from.
struct source_places {
    std::filesystem::path include;       ///< holds kittens/
    std::filesystem::path kernels;       ///< holds gemm/
    std::filesystem::path freestanding;  ///< the standard headers that clang has none of for SPIR-V
};

/// Throws user_error where they are not there.
source_places find_sources();

}  // namespace kittens::tool
