// SPDX-License-Identifier: Apache-2.0
// Every form of a GEMM on chosen shapes: one tile, many, ragged edges, single rows and columns, batches, more parts than K steps.
#include "gemm/problem.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gemm_tests {
namespace {

using kittens::device;

bool of_ladder(const kernel_case& c) { return c.name.starts_with("test_ladder"); }

class forms : public ::testing::Test {
protected:
    void SetUp() override {
        if (devices_under_test().empty()) GTEST_SKIP() << "no device of the target under test";
    }
    std::mt19937 random{seed()};

    /// A problem of about these sizes that the kernel's access allows, with the random rest of it.
    problem sized(const kernel_case& c, int m, int n, int k) {
        problem p = random_problem(random, c.policy, 1);
        p.m = std::max(p.m, m);
        p.n = std::max(p.n, n);
        p.k = std::max(p.k, k);
        return p;
    }
    void expect_right(const device& where, const kernel_case& c, const problem& p) {
        EXPECT_EQ(run_and_compare(where, c, p, random), "") << c.name << " on " << where.id() << ": " << p.text();
    }
};

TEST_F(forms, shapes) {
    for (const device& where : devices_under_test())
        for (const kernel_case& c : kernel_cases()) {
            if (of_ladder(c)) continue;
            expect_right(where, c, sized(c, 1, 1, 1));
            expect_right(where, c, sized(c, 32, 64, 64));
            expect_right(where, c, sized(c, 68, 132, 100));
        }
}

TEST_F(forms, parts_and_batches) {
    for (const device& where : devices_under_test())
        for (const kernel_case& c : kernel_cases()) {
            if (of_ladder(c) || c.form == gemm_form::product || c.form == gemm_form::epilogue) continue;
            for (const int parts : {1, 3, 7})  // of 3 or 6 K steps
                for (const bool whole : {false, true}) {
                    problem p = sized(c, 36, 68, 96);
                    p.parts = parts;
                    p.whole = whole;
                    p.batch = parts == 3 ? 3 : 1;
                    p.shared_b = 0;
                    expect_right(where, c, p);
                }
        }
}

/// The second pass against sums in double, with every epilogue that an index can name.
template <kernels::reduce_policy R> void reduce(const device& where, const char* name, std::mt19937& random) {
    using namespace kittens;
    using kernel = kernels::reduce_planes<R>;
    using sum_t = type_of<R.sum>;
    using out_t = type_of<R.out>;
    constexpr int batch = 2, planes = 3, m = 37, n = 96;
    buffer<sum_t> in(where, batch * planes * m * n);
    buffer<out_t> out(where, batch * m * n);
    std::uniform_int_distribution<int> small(-1000, 1000);
    for (auto& x : in.span()) x = static_cast<sum_t>(small(random));
    for (const float alpha : {1.0f, 0.5f}) {
        std::fill(reinterpret_cast<unsigned char*>(out.begin()), reinterpret_cast<unsigned char*>(out.end()), poison_byte);
        typename kernel::globals g{{in.data(), batch, planes, m, n}, {out.data(), batch, 1, m, n}};
        if constexpr (!kernel::exact) g.epilogue.alpha = alpha;
        queue q(where);
        run(q, name, g);
        for (int b = 0; b < batch; ++b)
            for (int i = 0; i < m * n; ++i) {
                double sum = 0;
                for (int p = 0; p < planes; ++p) sum += static_cast<double>(in[static_cast<std::size_t>((b * planes + p) * m * n + i)]);
                // Sums are whole numbers and exact; only the output rounds.
                const out_t expected = kernel::exact ? static_cast<out_t>(sum) : out_t(static_cast<float>(sum * alpha));
                ASSERT_EQ(static_cast<float>(out[static_cast<std::size_t>(b * m * n + i)]), static_cast<float>(expected)) << name << " on " << where.id() << " at " << i;
            }
    }
}

TEST_F(forms, second_pass) {
    for (const device& where : devices_under_test()) {
#define REDUCE(NAME, SUM, OUT, ACCESS) \
    reduce<kernels::reduce_policy{.sum = dtype::SUM, .out = dtype::OUT, .subgroups = 2, .access = access::ACCESS}>(where, "test_" #NAME, random);
        GEMM_TEST_REDUCE(REDUCE)
    }
}

TEST(gemm_schedule, every_tile_once) {
    const auto check = [](auto tile, int rows, int cols) {
        std::vector<int> hits(static_cast<std::size_t>(rows * cols));
        for (int i = 0; i < rows * cols; ++i) {
            const kernels::tile_index t = tile(i, rows, cols);
            ASSERT_TRUE(t.m >= 0 && t.m < rows && t.n >= 0 && t.n < cols);
            ++hits[static_cast<std::size_t>(t.m * cols + t.n)];
        }
        for (const int h : hits) ASSERT_EQ(h, 1) << rows << " x " << cols;
    };
    for (int rows = 1; rows <= 19; ++rows)
        for (int cols = 1; cols <= 19; ++cols) {
            check(kernels::workgroup_tile<tile_order::linear, 1>, rows, cols);
            check(kernels::workgroup_tile<tile_order::snake, 4>, rows, cols);
            check(kernels::workgroup_tile<tile_order::snake, 8>, rows, cols);
            check(kernels::workgroup_tile<tile_order::grouped, 1>, rows, cols);
            check(kernels::workgroup_tile<tile_order::grouped, 4>, rows, cols);
        }
}

TEST(gemm_schedule, prefetch_parts_cover_a_panel_once) {
    const auto check = []<int Rows, int Cols, int Size, int Sharers, kittens::base_shape Wanted>() {
        using parts = kernels::panel_parts<Rows, Cols, Size, Sharers, Wanted>;
        std::vector<int> hits(static_cast<std::size_t>(Rows * Cols));
        for (int who = 0; who < Sharers; ++who)
            for (int i = 0; i < parts::each; ++i) {
                const auto at = parts::part(who, i);
                for (int r = 0; r < parts::block.rows; ++r)
                    for (int c = 0; c < parts::block.cols; ++c) ++hits.at(static_cast<std::size_t>((at.row + r) * Cols + at.col + c));
            }
        for (const int h : hits) ASSERT_EQ(h, 1);
    };
    check.operator()<32, 32, 2, 4, kittens::base_shape{0, 0}>();
    check.operator()<32, 64, 2, 8, kittens::base_shape{0, 0}>();
    check.operator()<32, 64, 2, 8, kittens::base_shape{4, 16}>();
    check.operator()<64, 32, 2, 8, kittens::base_shape{0, 0}>();
    check.operator()<16, 64, 4, 8, kittens::base_shape{0, 0}>();
    check.operator()<64, 64, 1, 8, kittens::base_shape{4, 32}>();
    check.operator()<128, 64, 2, 2, kittens::base_shape{0, 0}>();
}

}  // namespace
}  // namespace gemm_tests
