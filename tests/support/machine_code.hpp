// SPDX-License-Identifier: Apache-2.0
// What tests of machine code have in common: the compilers they need, and one kernel of a policy expression compiled by them.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>

#include "kittens/inspect/report.hpp"

namespace kittens::test {

/// Why tests that need these tools cannot run, or "".
inline std::string missing_tool(const inspect::toolchain& tools,
                                std::initializer_list<inspect::tool> needed = {inspect::tool::clang, inspect::tool::ocloc, inspect::tool::iga}) {
    for (const inspect::tool which : needed)
        if (!tools.has(which)) return inspect::toolchain::missing(which);
    return {};
}

/// Skips the test where the Intel compilers are missing; with KITTENS_REQUIRE_INTEL set, fails it.
#define KITTENS_REQUIRE_COMPILERS()                                                                                                        \
    do {                                                                                                                                   \
        if (const std::string missing_ = ::kittens::test::missing_tool(::kittens::inspect::toolchain::locate()); !missing_.empty()) {      \
            if (std::getenv("KITTENS_REQUIRE_INTEL") != nullptr) FAIL() << missing_;                                                       \
            GTEST_SKIP() << missing_;                                                                                                      \
        }                                                                                                                                  \
    } while (false)

/// Asks for one kernel of the suite: what stands before it (include lines, relative to kernels/), and the kernel as an expression.
inline inspect::inspect_options suite_kernel(const std::string& before, const std::string& kernel, inspect::gpu device, unsigned dpas_per_k_step) {
    const std::filesystem::path root = KITTENS_SOURCE_DIR;
    inspect::inspect_options ask;
    ask.source.emplace();
    ask.source->text = before + "KITTENS_KERNEL(kernel_under_test, kernels::" + kernel + ")\n";
    ask.source->include_dirs = {root / "include", root / "kernels"};
    ask.source->flags = {"-isystem", (root / "include/kittens/target/xe/freestanding").string()};
    ask.device = device;
    ask.dpas_per_k_step = dpas_per_k_step;
    return ask;
}

/// What every kernel of the suite promises: 16 lanes, the register file that it asks for, nothing spilt and nothing in scratch.
inline void expect_clean(const inspect::kernel_report& kernel, unsigned grf = 256) {
    EXPECT_EQ(kernel.simd, 16u);
    EXPECT_EQ(kernel.grf, grf);
    EXPECT_EQ(kernel.spill_bytes, 0u);
    EXPECT_EQ(kernel.private_bytes, 0u);
}

}  // namespace kittens::test
