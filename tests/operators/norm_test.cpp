// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <operators/norm_operation.hpp>

#include <cmath>
#include <limits>

namespace operator_tests {
namespace {

using kernels::norm_kind;
using tool::norm_problem;
using tool::norm_shape;

norm_problem problem(const norm_shape& s) { return {s, "test", bench::cache_state::warm}; }

TEST(norm, widths_of_every_kind) {
    for (const device& d : all_devices())
        for (const norm_kind kind : {norm_kind::rms, norm_kind::layer})
            for (const bool residual : {false, true})
                for (const int cols : {1, 7, 128, 1000, 4096 + 24}) run_and_check(d, problem({.kind = kind, .residual = residual, .rows = 2, .cols = cols}));
}

TEST(norm, fp16) {
    for (const device& d : all_devices())
        for (const norm_kind kind : {norm_kind::rms, norm_kind::layer}) run_and_check(d, problem({.kind = kind, .type = dtype::f16, .residual = true, .rows = 3, .cols = 520}));
}

TEST(norm, random_shapes) {
    std::mt19937_64 random(seed());
    const auto uniform = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
    for (int i = 0; i < 40; ++i)
        for (const device& d : all_devices(false))
            run_and_check(d, problem({.kind = uniform(0, 1) ? norm_kind::rms : norm_kind::layer, .type = uniform(0, 1) ? dtype::bf16 : dtype::f16, .residual = uniform(0, 1) == 1,
                                      .rows = uniform(1, 40), .cols = uniform(1, 9000)}));
}

// Wider than a workgroup holds: rows are read in rounds (17000 elements on cpu, 16384 and more on xe).
TEST(norm, rows_that_are_read_twice) {
    for (const device& d : all_devices())
        for (const norm_kind kind : {norm_kind::rms, norm_kind::layer})
            for (const bool residual : {false, true}) run_and_check(d, problem({.kind = kind, .residual = residual, .rows = 1, .cols = 17000}));
}

TEST(norm, large_scale) {
    for (const device& d : all_devices(false)) {
        run_and_check(d, problem({.kind = norm_kind::rms, .rows = 4, .cols = 1024, .scale = 1e15f}));
        run_and_check(d, problem({.kind = norm_kind::layer, .rows = 4, .cols = 1024, .scale = 1e15f}));
    }
}

// A variance that is the difference of two large numbers would be gone.
TEST(norm, mean_far_above_the_deviation) {
    for (const device& d : all_devices(false))
        for (const bool residual : {false, true})
            run_and_check(d, problem({.kind = norm_kind::layer, .type = dtype::f16, .residual = residual, .rows = 5, .cols = 3000}), [](const tensors& t) {
                auto* x = static_cast<half*>(t["x"]);
                for (int i = 0; i < 5 * 3000; ++i) x[i] = half(1000.0f + static_cast<float>(x[i]));
            });
}

// The first elements say nothing of the others: rows that begin far from their mean, or are pieces with means of their own; and one of large numbers.
TEST(norm, first_elements_unlike_the_rest) {
    for (const device& d : all_devices(false))
        for (const dtype type : {dtype::f16, dtype::bf16})
            for (const bool residual : {false, true})
                run_and_check(d, problem({.kind = norm_kind::layer, .type = type, .residual = residual, .rows = 4, .cols = 4096}), [&](const tensors& t) {
                    const auto put = [&](int i, float v) {
                        if (type == dtype::f16) static_cast<half*>(t["x"])[i] = half(v);
                        else static_cast<bf16*>(t["x"])[i] = bf16(v);
                    };
                    for (int i = 0; i < 4096; ++i) {
                        const float small = std::sin(static_cast<float>(i * i % 1013));
                        put(i, i < 128 ? 8.0f : 7.0f + small / 16);
                        put(4096 + i, i < 128 ? -300.0f + small : 300.0f + small);
                        put(2 * 4096 + i, static_cast<float>(i / 1024) * 100.0f + small);
                        put(3 * 4096 + i, (type == dtype::f16 ? 3e4f : 1e17f) * small);
                    }
                });
}

TEST(norm, equal_elements) {
    for (const device& d : all_devices(false)) {
        for (const int cols : {300, 2048}) {
            const norm_problem p = problem({.kind = norm_kind::layer, .rows = 2, .cols = cols});
            const tensors t = run_and_check(d, p, [&](const tensors& in) {
                for (int i = 0; i < 2 * cols; ++i) static_cast<bf16*>(in["x"])[i] = bf16(3.0f);
            });
            for (int i = 0; i < 2 * cols; ++i) EXPECT_EQ(static_cast<bf16*>(t["out"])[i].bits, static_cast<bf16*>(t["bias"])[i % cols].bits);
        }
    }
}

// As PyTorch: a NaN or an infinity spoils its own row and no other.
TEST(norm, not_a_number_stays_in_its_row) {
    for (const device& d : all_devices())
        for (const norm_kind kind : {norm_kind::rms, norm_kind::layer})
            for (const int cols : {200, 2048})
                for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
                    const norm_problem p = problem({.kind = kind, .rows = 3, .cols = cols});
                    tensors t(d, p.tensors());
                    p.fill(t.all(), seed());
                    static_cast<bf16*>(t["x"])[cols + 177] = bf16(bad);
                    p.candidate(d, t.all())();
                    const auto* out = static_cast<bf16*>(t["out"]);
                    for (int r = 0; r < 3; ++r)
                        for (int j = 0; j < cols; ++j) {
                            const float v = static_cast<float>(out[r * cols + j]);
                            if (r != 1) EXPECT_TRUE(std::isfinite(v)) << d.id() << " row " << r;
                            else if (std::isnan(bad) || kind == norm_kind::layer || j == 177) EXPECT_TRUE(std::isnan(v)) << d.id() << " column " << j;
                            else EXPECT_EQ(v, 0.0f) << d.id() << " column " << j;
                        }
                }
}

// The results are larger than second-level caches, so they go past them.
TEST(norm, streaming_stores) {
    for (const device& d : all_devices(false)) run_and_check(d, problem({.residual = true, .rows = 1030, .cols = 4088}));
}

// Rows that begin at a line, in the middle of one, and elsewhere; whole chunks and rests.
TEST(norm, streaming_stores_at_any_alignment) {
    for (const device& d : all_devices(false))
        for (const norm_kind kind : {norm_kind::rms, norm_kind::layer})
            for (const dtype type : {dtype::bf16, dtype::f16})
                for (const int cols : {2048, 2064, 2056, 2051}) run_and_check(d, problem({.kind = kind, .type = type, .residual = cols != 2056, .rows = 2060, .cols = cols}));
}

}  // namespace
}  // namespace operator_tests
