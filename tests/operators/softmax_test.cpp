// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <operators/softmax_operation.hpp>

#include <cmath>
#include <limits>

namespace operator_tests {
namespace {

using tool::softmax_problem;
using tool::softmax_shape;

constexpr float infinity = std::numeric_limits<float>::infinity();

softmax_problem problem(const softmax_shape& s) { return {s, "test", bench::cache_state::warm}; }

TEST(softmax, widths) {
    for (const device& d : all_devices())
        for (const int cols : {1, 7, 128, 1000, 4096 + 24}) run_and_check(d, problem({.rows = 2, .cols = cols}));
}

TEST(softmax, fp16_with_scale_and_temperature) {
    for (const device& d : all_devices()) {
        run_and_check(d, problem({.type = dtype::f16, .rows = 3, .cols = 520, .score_scale = 0.125f}));
        run_and_check(d, problem({.type = dtype::f16, .rows = 3, .cols = 520, .temperature = 0.5f}));
    }
}

TEST(softmax, random_shapes) {
    std::mt19937_64 random(seed());
    const auto uniform = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
    for (int i = 0; i < 40; ++i)
        for (const device& d : all_devices(false))
            run_and_check(d, problem({.type = uniform(0, 1) ? dtype::bf16 : dtype::f16, .rows = uniform(1, 40), .cols = uniform(1, 9000),
                                      .score_scale = 0.1f * static_cast<float>(uniform(1, 30)), .temperature = 0.1f * static_cast<float>(uniform(1, 30))}));
}

// Wider than a workgroup holds: rows are read in rounds.
TEST(softmax, rows_that_are_read_twice) {
    for (const device& d : all_devices()) run_and_check(d, problem({.rows = 1, .cols = 17000}));
}

// Scores so far apart that most weights vanish, and so large that differences are what counts.
TEST(softmax, large_scores) {
    for (const device& d : all_devices(false)) {
        run_and_check(d, problem({.rows = 4, .cols = 1024, .scale = 1e4f}));
        run_and_check(d, problem({.rows = 4, .cols = 1024, .score_scale = 1e-30f, .scale = 1e30f}));
        run_and_check(d, problem({.type = dtype::f16, .rows = 4, .cols = 1024}), [](const tensors& t) {
            for (int i = 0; i < 4 * 1024; ++i) static_cast<half*>(t["x"])[i] = half(60000.0f + 32.0f * static_cast<float>(i % 7));
        });
    }
}

TEST(softmax, equal_scores) {
    for (const device& d : all_devices())
        for (const int cols : {1, 64, 1000}) {
            const tensors t = run_and_check(d, problem({.rows = 1, .cols = cols}), [cols](const tensors& in) {
                for (int i = 0; i < cols; ++i) static_cast<bf16*>(in["x"])[i] = bf16(-7.0f);
            });
            for (int i = 0; i < cols; ++i) EXPECT_EQ(static_cast<bf16*>(t["out"])[i].bits, bf16(1.0f / static_cast<float>(cols)).bits) << d.id() << " of " << cols;
        }
}

// What is masked with -infinity weighs nothing, also where all that one subgroup holds, or one chunk, is masked.
TEST(softmax, masked_elements) {
    for (const device& d : all_devices())
        for (const auto& [first, last] : {std::pair{0, 1}, std::pair{0, 1100}, std::pair{512, 2500}, std::pair{1, 2500}}) {
            const tensors t = run_and_check(d, problem({.rows = 2, .cols = 2500}), [first = first, last = last](const tensors& in) {
                for (int i = first; i < last; ++i) static_cast<bf16*>(in["x"])[i] = bf16(-infinity);
            });
            for (int i = first; i < last; ++i) ASSERT_EQ(static_cast<float>(static_cast<bf16*>(t["out"])[i]), 0.0f) << d.id() << " element " << i;
        }
}

// As PyTorch: a row that is masked whole, a NaN and +infinity make their row NaN, and no other.
TEST(softmax, what_is_no_distribution_is_not_a_number) {
    for (const device& d : all_devices())
        for (const float bad : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity})
            for (const int cols : {5, 1200}) {
                const softmax_problem p = problem({.rows = 3, .cols = cols});
                tensors t(d, p.tensors());
                p.fill(t.all(), seed());
                for (int j = 0; j < cols; ++j)
                    if (bad == -infinity || j == cols / 2) static_cast<bf16*>(t["x"])[cols + j] = bf16(bad);
                p.candidate(d, t.all())();
                for (int i = 0; i < 3 * cols; ++i)
                    ASSERT_EQ(std::isnan(static_cast<float>(static_cast<bf16*>(t["out"])[i])), i / cols == 1) << d.id() << " with " << bad << ", element " << i;
            }
}

TEST(softmax, streaming_stores) {
    for (const device& d : all_devices(false)) run_and_check(d, problem({.rows = 1030, .cols = 4088}));
}

}  // namespace
}  // namespace operator_tests
