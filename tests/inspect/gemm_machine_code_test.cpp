// SPDX-License-Identifier: Apache-2.0
// The library's own GEMM as machine code: what its default policy promises must be in the instructions.
#include <gtest/gtest.h>

#include "support/machine_code.hpp"

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
    KITTENS_REQUIRE_COMPILERS();
    const auto result = run(kittens::test::suite_kernel("#include <gemm/gemm.hpp>\n#include <gemm/policies.hpp>\n",
                                                        "gemm<kernels::default_policy(kittens::dtype::" + std::string(GetParam().type) + ")>", GetParam().device, 32));

    ASSERT_EQ(result.kernels.size(), 1u);
    const auto& kernel = result.kernels[0];
    SCOPED_TRACE(to_text(result));
    kittens::test::expect_clean(kernel);
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
