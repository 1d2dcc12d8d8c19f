// SPDX-License-Identifier: Apache-2.0
#include "places.hpp"

#include "build_config.hpp"
#include "console.hpp"

#include <fmt/format.h>

namespace kittens::tool {

namespace fs = std::filesystem;

source_places find_sources() {
    std::error_code error;
    const fs::path prefix = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
    const std::pair<fs::path, fs::path> candidates[] = {
        {prefix / config::installed_include, prefix / config::installed_kernels},
        {config::source_include, config::source_kernels}};
    for (const auto& [include, kernels] : candidates)
        if (fs::exists(include / "kittens/kittens.hpp", error) && fs::exists(kernels / "gemm/gemm.hpp", error))
            return {include, kernels, include / "kittens/target/xe/freestanding"};
    throw user_error(fmt::format(
        "the kernels' sources are neither in {} nor in {}; install the program with cmake --install, or build it again",
        candidates[0].second.string(), candidates[1].second.string()));
}

}  // namespace kittens::tool
