// SPDX-License-Identifier: Apache-2.0
// The policies of the ladder, as they are, on every target; and on the emulator what each prefetches.
#include "gemm/problem.hpp"

#include <kittens/target/emulated/report.hpp>

#include <gtest/gtest.h>

namespace gemm_tests {
namespace {

TEST(ladder, every_step_is_right) {
    if (devices_under_test().empty()) GTEST_SKIP() << "no device of the target under test";
    std::mt19937 random(seed());
    for (const kittens::device& where : devices_under_test())
        for (const kernel_case& c : kernel_cases()) {
            if (!c.name.starts_with("test_ladder")) continue;
            // Two workgroups down, one across; edges in both; an unrolled iteration and a rest.
            const problem p{.m = 260, .n = 200, .k = c.policy.unroll > 1 ? 33 * 32 + 8 : 72};
            EXPECT_EQ(run_and_compare(where, c, p, random), "") << c.name << " on " << where.id() << ": " << p.text();
        }
}

/// Bytes that one workgroup of a 256 x 256 tile prefetches per K step of 32, as the emulator counts them.
template <gemm_policy P> double warmed(const char* name) {
    using namespace kittens;
    constexpr int m = 256, n = 256, k = 64;
    const device where = find_device("emulated");
    buffer<bf16> a(where, m * k), b(where, k * n), c(where, m * n);
    for (auto* operand : {&a, &b})
        for (bf16& x : operand->span()) x = bf16(1);
    queue q(where);
    const typename kernels::gemm<P>::globals g{{a.data(), 1, 1, m, k}, {b.data(), 1, 1, k, n}, {c.data(), 1, 1, m, n}};
    event done = launch(q, name, g);
    done.wait();
    return static_cast<double>(done.report()->count.prefetched_bytes) / (k / P.k_step);
}

TEST(ladder, bytes_warmed) {
    bool emulated = false;
    for (const kittens::device& d : devices_under_test()) emulated |= d.target() == "emulated";
    if (!emulated) GTEST_SKIP() << "counted on target emulated";
    constexpr auto in = dtype::bf16;
    EXPECT_EQ(warmed<kernels::base_16x16(in)>("test_ladder_base_16x16"), 0);
    EXPECT_EQ(warmed<kernels::base_32x32(in)>("test_ladder_base_32x32"), 0);
    // A: of 32 subgroups the 25 with id % 5 != 0, 32 x 32 each; B: the 16 with id & 8, 32 x 64 each.
    constexpr double masked = 25 * 32 * 32 * 2 + 16 * 32 * 64 * 2;
    static_assert(masked == 116736);
    EXPECT_EQ(warmed<kernels::masked(in)>("test_ladder_masked"), masked);
    EXPECT_EQ(warmed<kernels::unroll_32(in)>("test_ladder_unroll_32"), masked);
    EXPECT_EQ(warmed<kernels::snake(in)>("test_ladder_snake"), masked);
    // Each byte of 256 x 32 and 32 x 256 once.
    EXPECT_EQ(warmed<kernels::cooperative(in)>("test_ladder_cooperative"), 32768);
    EXPECT_EQ(warmed<kernels::shape_distance(in)>("test_ladder_shape_distance"), 32768);
}

TEST(ladder, distance_by_shape) {
    EXPECT_EQ(kernels::distance_for(1024, 1024, 32), 2);
    EXPECT_EQ(kernels::distance_for(1024, 4096, 32), 3);
    EXPECT_EQ(kernels::distance_for(1024, 4096, 1), 1);
}

}  // namespace
}  // namespace gemm_tests
