// SPDX-License-Identifier: Apache-2.0
// The steps of the GEMM ladder, and the forms of a GEMM, as machine code of every GPU.
#include <gtest/gtest.h>

#include <string>

#include "support/machine_code.hpp"

namespace {

using namespace kittens::inspect;

class gemm_ladder : public ::testing::TestWithParam<gpu> {
protected:
    void SetUp() override { KITTENS_REQUIRE_COMPILERS(); }

    /// The one kernel of a policy expression, with a main loop; none of it may spill.
    kernel_report compiled(const std::string& kernel, bool products = true) {
        const auto result = run(kittens::test::suite_kernel("#include <gemm/forms.hpp>\n#include <gemm/gemm.hpp>\n#include <gemm/split_k.hpp>\n"
                                                            "using enum kernels::gemm_form;\nusing enum kernels::stored;\nusing enum kittens::dtype;\n",
                                                            kernel, GetParam(), products ? 32 : 0));
        EXPECT_EQ(result.kernels.size(), 1u);
        const kernel_report& k = result.kernels[0];
        EXPECT_EQ(k.simd, 16u) << kernel;
        EXPECT_EQ(k.spill_bytes, 0u) << kernel << "\n" << to_text(result);
        EXPECT_EQ(k.private_bytes, 0u) << kernel;
        if (!k.main_loop) throw std::runtime_error(kernel + ": no loop");
        if (products) {
            EXPECT_NE(k.main_loop->k_steps, 0u) << kernel;
        }
        return k;
    }
    kernel_report step(const std::string& policy) { return compiled("gemm<kernels::" + policy + "(bf16)>"); }
    kernel_report form(const std::string& arguments) { return compiled("gemm<kernels::form_policy(" + arguments + ")>"); }

    static void expect_sends(const loop_report& l, unsigned plain, unsigned packed, unsigned prefetches) {
        EXPECT_EQ(l.counts.block_loads, plain * l.k_steps);
        EXPECT_EQ(l.counts.transform_loads, packed * l.k_steps);
        EXPECT_EQ(l.counts.prefetches, prefetches * l.k_steps);
        EXPECT_EQ(l.counts.sends(), (plain + packed + prefetches) * l.k_steps) << "and no other send";
    }
};

TEST_P(gemm_ladder, steps) {
    const auto base_16x16 = step("base_16x16"), base_32x32 = step("base_32x32"), masked = step("masked"), unroll_32 = step("unroll_32"),
               snake = step("snake"), cooperative = step("cooperative"), shape_distance = step("shape_distance");
    {
        SCOPED_TRACE("base_16x16");  // 32 x 32 of A and 32 x 64 of B in blocks of 16 x 16
        expect_sends(*base_16x16.main_loop, 4, 8, 0);
        EXPECT_EQ(base_16x16.main_loop->loaded_bytes, 6144u);
    }
    {
        SCOPED_TRACE("base_32x32");  // the same bytes by a quarter of the loads
        expect_sends(*base_32x32.main_loop, 1, 2, 0);
        EXPECT_EQ(base_32x32.main_loop->loaded_bytes, 6144u);
        EXPECT_LT(base_32x32.main_loop->counts.instructions, base_16x16.main_loop->counts.instructions);
    }
    {
        SCOPED_TRACE("masked");  // A in one message, B in two, under conditions
        expect_sends(*masked.main_loop, 1, 2, 3);
        EXPECT_EQ(masked.main_loop->prefetched_bytes, 6144u);
    }
    for (const auto* k : {&unroll_32, &snake}) {
        SCOPED_TRACE("unroll_32, snake");
        EXPECT_EQ(k->main_loop->k_steps, 32u);
        expect_sends(*k->main_loop, 1, 2, 3);
    }
    for (const auto* k : {&cooperative, &shape_distance}) {
        SCOPED_TRACE("cooperative, shape_distance");
        const loop_report& l = *k->main_loop;
        EXPECT_EQ(l.k_steps, 32u);
        expect_sends(l, 1, 2, 2);
        EXPECT_EQ(l.prefetched_bytes, 1024u * l.k_steps);
        EXPECT_GE(static_cast<double>(l.counts.dpas) / l.counts.instructions, 0.45);
    }
}

TEST_P(gemm_ladder, every_prefetch_is_known_for_what_it_is) {
    for (const auto& k : {step("masked"), compiled("gemm<kernels::default_policy(bf16)>")}) {
        std::vector<std::string> feeds;
        for (const auto& b : k.main_loop->blocks) {
            EXPECT_TRUE(b.feeds == "operand A of dpas" || b.feeds == "operand B of dpas") << b.feeds;
            EXPECT_TRUE(b.surface.starts_with("argument 0")) << b.surface;
        }
    }
}

TEST_P(gemm_ladder, forms_keep_the_loop) {
    for (const char* f : {"bf16, epilogue", "f16, epilogue", "bf16, sums", "bf16, atomic", "bf16, stream"}) {
        SCOPED_TRACE(f);
        const auto k = form(f);
        expect_sends(*k.main_loop, 1, 2, 2);
        EXPECT_EQ(k.counts.other.contains("atomic"), std::string(f).find("atomic") != std::string::npos || std::string(f).find("stream") != std::string::npos);
    }
    {
        SCOPED_TRACE("tf32");
        const auto k = form("tf32, product");  // 32 bits: a 16 x 32 block of B by load; lanes exchange rows for A
        EXPECT_EQ(k.main_loop->counts.transform_loads, 0u);
        EXPECT_EQ(k.main_loop->counts.other_sends, 0u);
    }
}

TEST_P(gemm_ladder, transposed_operands_are_transposed_by_the_load) {
    // 16 x 16 blocks: 8 of B, 4 of A, and no load per lane.
    for (const auto& [f, transposing] : {std::pair{"bf16, product, normal, transposed", 8u}, {"bf16, product, transposed, normal", 4u}, {"bf16, product, transposed, transposed", 12u},
                                         {"i8, product, normal, transposed", 8u}, {"f16, epilogue, transposed, transposed", 12u}}) {
        SCOPED_TRACE(f);
        const auto k = form(f);
        const auto& l = *k.main_loop;
        EXPECT_EQ(l.counts.transpose_loads, transposing * l.k_steps);
        EXPECT_EQ(l.counts.prefetches, 2 * l.k_steps);
        EXPECT_EQ(l.counts.other_sends, 0u);
    }
}

TEST_P(gemm_ladder, second_pass) {
    const auto k = compiled("reduce_planes<kernels::reduce_policy{}>", false);
    EXPECT_EQ(k.counts.other.count("gather_load"), 1u) << "the bias";
    EXPECT_EQ(k.main_loop->counts.other_sends, 0u);
}

INSTANTIATE_TEST_SUITE_P(all, gemm_ladder, ::testing::Values(gpu::pvc, gpu::bmg, gpu::cri), [](const auto& info) { return std::string(gpu_name(info.param)); });

}  // namespace
