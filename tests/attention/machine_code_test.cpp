// SPDX-License-Identifier: Apache-2.0
// Attention as machine code: what its policies promise must be in the instructions.
#include <gtest/gtest.h>

#include "support/machine_code.hpp"

namespace {

using namespace kittens::inspect;

struct attention_case {
    gpu device;
    const char* policy;
    int rows;
    /// Loads of one step of 32 keys, in 2-D blocks: queries where they are not preloaded (32 columns each), keys (8 x 16 words each),
    /// values (32 x 32 each).
    unsigned query_loads, key_loads, value_loads;
};

void PrintTo(const attention_case& c, std::ostream* out) { *out << gpu_name(c.device) << ' ' << c.policy; }

class attention_machine_code : public ::testing::TestWithParam<attention_case> {};

TEST_P(attention_machine_code, head_dimension_128) {
    KITTENS_REQUIRE_COMPILERS();
    const unsigned dpas = unsigned(2 * (GetParam().rows / 8) * (32 / 16) * (128 / 16));
    const auto result =
        run(kittens::test::suite_kernel("#include <attention/attention.hpp>\n#include <attention/policies.hpp>\n",
                                        "attention<kernels::attention_" + std::string(GetParam().policy) + "(kittens::dtype::bf16, 128)>", GetParam().device, dpas));

    ASSERT_EQ(result.kernels.size(), 1u);
    const auto& kernel = result.kernels[0];
    SCOPED_TRACE(to_text(result));
    kittens::test::expect_clean(kernel);
    ASSERT_TRUE(kernel.main_loop);
    const auto& loop = *kernel.main_loop;
    EXPECT_EQ(loop.counts.dpas, dpas) << "both products";
    EXPECT_EQ(loop.counts.block_loads, GetParam().query_loads);
    EXPECT_EQ(loop.counts.transpose_loads, GetParam().key_loads);
    EXPECT_EQ(loop.counts.transform_loads, GetParam().value_loads);
    EXPECT_EQ(loop.counts.prefetches, 2u * 128 / 32);
    EXPECT_EQ(loop.counts.block_stores, 0u);
    // Of 16 lanes each: two for a row's weights, two for its soft cap (tanh), and one for the factors of all rows.
    unsigned exponentials = 0;
    for (const auto& line : loop.lines) exponentials += line.text.find("math.exp") != std::string::npos;
    EXPECT_EQ(exponentials, unsigned(4 * GetParam().rows + 1));
}

INSTANTIATE_TEST_SUITE_P(all, attention_machine_code,
                         ::testing::Values(attention_case{gpu::pvc, "default", 16, 4, 16, 4}, attention_case{gpu::bmg, "default", 16, 4, 16, 4}, attention_case{gpu::cri, "default", 16, 4, 16, 4},
                                           attention_case{gpu::pvc, "decode", 16, 4, 16, 4}, attention_case{gpu::bmg, "decode", 16, 4, 16, 4}, attention_case{gpu::cri, "decode", 16, 4, 16, 4},
                                           attention_case{gpu::pvc, "rows8", 8, 0, 16, 4}, attention_case{gpu::bmg, "rows8", 8, 0, 16, 4}, attention_case{gpu::cri, "rows8", 8, 0, 16, 4}));

class merge_machine_code : public ::testing::TestWithParam<gpu> {};

TEST_P(merge_machine_code, is_clean) {
    KITTENS_REQUIRE_COMPILERS();
    for (const char* kernel : {"attention_merge", "attention_gather"}) {
        auto ask = kittens::test::suite_kernel("#include <attention/merge.hpp>\n", std::string(kernel) + "<kernels::default_merge(kittens::dtype::bf16)>", GetParam(), 0);
        ask.native.grf = 128;
        const auto result = run(ask);
        ASSERT_EQ(result.kernels.size(), 1u);
        SCOPED_TRACE(to_text(result));
        kittens::test::expect_clean(result.kernels[0], 128);
    }
}

INSTANTIATE_TEST_SUITE_P(all, merge_machine_code, ::testing::Values(gpu::pvc, gpu::bmg, gpu::cri));

}  // namespace
