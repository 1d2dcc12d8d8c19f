// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <operators/gemv_operation.hpp>

#include <cmath>

namespace operator_tests {
namespace {

using tool::gemv_problem;
using tool::gemv_shape;

gemv_problem problem(const gemv_shape& s) { return {s, "test", bench::cache_state::warm}; }

TEST(gemv, one_row) {
    for (const device& d : all_devices())
        for (const auto& [n, k] : {std::pair{16, 512}, std::pair{19, 520}, std::pair{1, 1}, std::pair{8, 2500}}) run_and_check(d, problem({.n = n, .k = k}));
}

TEST(gemv, few_rows) {
    for (const device& d : all_devices())
        for (const int m : {2, 5, 8}) run_and_check(d, problem({.m = m, .n = 11, .k = 300}));
}

// Whole blocks of rows and what is left of them, and depths that end inside a line and inside a tile.
TEST(gemv, blocks_of_rows_and_what_is_left) {
    for (const device& d : all_devices(false))
        for (int m = 1; m <= 8; ++m)
            for (const auto& [n, k] : {std::pair{32, 1024}, std::pair{43, 1062}, std::pair{16, 33}, std::pair{17, 7}}) run_and_check(d, problem({.m = m, .n = n, .k = k}));
}

TEST(gemv, bias_and_residual) {
    for (const device& d : all_devices()) {
        run_and_check(d, problem({.n = 13, .k = 256, .bias = true, .residual = true}));
        run_and_check(d, problem({.type = dtype::f16, .m = 3, .n = 13, .k = 256, .bias = true, .residual = true}));
    }
}

TEST(gemv, gate_and_up) {
    for (const device& d : all_devices())
        for (const int m : {1, 3}) run_and_check(d, problem({.m = m, .n = 10, .k = 264, .gated = true}));
}

TEST(gemv, random_shapes) {
    std::mt19937_64 random(seed());
    const auto uniform = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
    for (int i = 0; i < 12; ++i)
        for (const device& d : all_devices(false)) {
            const bool gated = uniform(0, 3) == 0;
            run_and_check(d, problem({.type = uniform(0, 1) ? dtype::bf16 : dtype::f16, .m = uniform(1, 8), .n = uniform(1, 300), .k = uniform(1, 3000), .gated = gated,
                                      .bias = !gated && uniform(0, 1) == 1, .residual = !gated && uniform(0, 1) == 1}));
        }
}

TEST(gemv, not_a_number_stays_in_its_column) {
    for (const device& d : all_devices()) {
        const gemv_problem p = problem({.n = 12, .k = 300});
        tensors t(d, p.tensors());
        p.fill(t.all(), seed());
        static_cast<bf16*>(t["weight"])[5 * 300 + 123] = bf16(std::numeric_limits<float>::quiet_NaN());
        p.candidate(d, t.all())();
        for (int j = 0; j < 12; ++j) EXPECT_EQ(std::isnan(static_cast<float>(static_cast<bf16*>(t["out"])[j])), j == 5) << d.id() << " column " << j;
    }
}

}  // namespace
}  // namespace operator_tests
