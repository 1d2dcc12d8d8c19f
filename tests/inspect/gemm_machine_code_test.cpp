// SPDX-License-Identifier: Apache-2.0
// The library's own GEMM as machine code: what its default policy promises must be in the instructions.
#include <gtest/gtest.h>

#include <cstdlib>

#include "kittens/inspect/report.hpp"

namespace {

using namespace kittens::inspect;

struct gemm_case {
    gpu device;
    const char* type;
    /// Per step of K, which is 64 bytes: 32 columns of A are one load of two blocks for 16 bits, two of one for 8 bits.
    unsigned loads, transform_loads;
    unsigned most_instructions;
};

void PrintTo(const gemm_case& c, std::ostream* out) { *out << gpu_name(c.device) << ' ' << c.type; }

class gemm_machine_code : public ::testing::TestWithParam<gemm_case> {};

TEST_P(gemm_machine_code, default_policy) {
    const auto tools = toolchain::locate();
    for (const tool which : {tool::clang, tool::ocloc, tool::iga}) {
        if (tools.has(which)) continue;
        if (std::getenv("KITTENS_REQUIRE_INTEL") != nullptr) FAIL() << toolchain::missing(which);
        GTEST_SKIP() << toolchain::missing(which);
    }
    const std::filesystem::path root = KITTENS_SOURCE_DIR;
    inspect_options ask;
    ask.source.emplace();
    ask.source->text =
        "#include <gemm/gemm.hpp>\n#include <gemm/policies.hpp>\n"
        "KITTENS_KERNEL(gemm_under_test, kernels::gemm<kernels::default_policy(kittens::dtype::" +
        std::string(GetParam().type) + ")>)\n";
    ask.source->include_dirs = {root / "include", root / "kernels"};
    ask.source->flags = {"-isystem", (root / "include/kittens/target/xe/freestanding").string()};
    ask.device = GetParam().device;
    ask.dpas_per_k_step = 32;
    const auto result = run(ask);

    ASSERT_EQ(result.kernels.size(), 1u);
    const auto& kernel = result.kernels[0];
    SCOPED_TRACE(to_text(result));
    EXPECT_EQ(kernel.simd, 16u);
    EXPECT_EQ(kernel.grf, 256u);
    EXPECT_EQ(kernel.spill_bytes, 0u);
    EXPECT_EQ(kernel.private_bytes, 0u);
    ASSERT_TRUE(kernel.main_loop);
    const auto& loop = *kernel.main_loop;
    ASSERT_NE(loop.k_steps, 0u);
    EXPECT_EQ(loop.counts.dpas, 32 * loop.k_steps);
    EXPECT_EQ(loop.counts.block_loads, GetParam().loads * loop.k_steps);
    EXPECT_EQ(loop.counts.transform_loads, GetParam().transform_loads * loop.k_steps);
    EXPECT_EQ(loop.counts.prefetches, 2 * loop.k_steps);
    EXPECT_EQ(loop.counts.sends(), (GetParam().loads + GetParam().transform_loads + 2) * loop.k_steps)
        << "the demand loads and two prefetches, and nothing else";
    EXPECT_LE(loop.counts.instructions, GetParam().most_instructions * loop.k_steps);
    // 32 subgroups share the panels: 32 x 1024 B is each byte of 256x32 and 32x256 once.
    EXPECT_EQ(loop.prefetched_bytes, 1024u * loop.k_steps);
    EXPECT_EQ(loop.loaded_bytes, 6144u * loop.k_steps);
}

INSTANTIATE_TEST_SUITE_P(all, gemm_machine_code,
                         ::testing::Values(gemm_case{gpu::pvc, "bf16", 1, 2, 70}, gemm_case{gpu::bmg, "bf16", 1, 2, 70},
                                           gemm_case{gpu::cri, "bf16", 1, 2, 70}, gemm_case{gpu::pvc, "f16", 1, 2, 70},
                                           gemm_case{gpu::bmg, "f16", 1, 2, 70}, gemm_case{gpu::cri, "f16", 1, 2, 70},
                                           gemm_case{gpu::pvc, "i8", 2, 4, 90}, gemm_case{gpu::bmg, "i8", 2, 4, 70},
                                           gemm_case{gpu::cri, "i8", 2, 4, 70}),
                         [](const auto& info) {
                             return std::string(gpu_name(info.param.device)) + "_" + info.param.type;
                         });

}  // namespace
