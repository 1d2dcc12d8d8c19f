// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <operators/swiglu_operation.hpp>

#include <cmath>
#include <limits>

namespace operator_tests {
namespace {

using tool::gate_layout;
using tool::swiglu_problem;
using tool::swiglu_shape;

constexpr gate_layout layouts[] = {gate_layout::separate, gate_layout::packed, gate_layout::interleaved};

swiglu_problem problem(const swiglu_shape& s) { return {s, "test", bench::cache_state::warm}; }

TEST(swiglu, widths_of_every_layout) {
    for (const device& d : all_devices())
        for (const gate_layout layout : layouts)
            for (const int cols : {1, 7, 128, 300, 1030}) run_and_check(d, problem({.layout = layout, .rows = 2, .cols = cols}));
}

TEST(swiglu, fp16) {
    for (const device& d : all_devices())
        for (const gate_layout layout : layouts) run_and_check(d, problem({.type = dtype::f16, .layout = layout, .rows = 3, .cols = 520}));
}

TEST(swiglu, random_shapes) {
    std::mt19937_64 random(seed());
    const auto uniform = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
    for (int i = 0; i < 40; ++i)
        for (const device& d : all_devices(false))
            run_and_check(d, problem({.type = uniform(0, 1) ? dtype::bf16 : dtype::f16, .layout = layouts[uniform(0, 2)], .rows = uniform(1, 40), .cols = uniform(1, 5000),
                                      .scale = uniform(0, 1) ? 1.0f : 30.0f}));
}

// The results are larger than second-level caches, so they go past them.
TEST(swiglu, streaming_stores) {
    for (const device& d : all_devices(false))
        for (const gate_layout layout : layouts) run_and_check(d, problem({.layout = layout, .rows = 1030, .cols = 4088}));
}

// As PyTorch: silu(-infinity) is NaN, silu(infinity) infinity, silu of a large negative number zero; what is not a number
// stays where it is.
TEST(swiglu, special_values_stay_in_their_element) {
    const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    for (const device& d : all_devices())
        for (const gate_layout layout : layouts) {
            constexpr int cols = 150;
            const swiglu_problem p = problem({.layout = layout, .rows = 2, .cols = cols});
            tensors t(d, p.tensors());
            p.fill(t.all(), seed());
            const auto gate = [&](int r, int c) -> bf16& {
                if (layout == gate_layout::separate) return static_cast<bf16*>(t["gate"])[r * cols + c];
                return static_cast<bf16*>(t["gate_up"])[r * 2 * cols + (layout == gate_layout::packed ? c : 2 * c)];
            };
            const auto up = [&](int r, int c) -> bf16& {
                if (layout == gate_layout::separate) return static_cast<bf16*>(t["up"])[r * cols + c];
                return static_cast<bf16*>(t["gate_up"])[r * 2 * cols + (layout == gate_layout::packed ? cols + c : 2 * c + 1)];
            };
            gate(0, 3) = bf16(-infinity), gate(0, 70) = bf16(infinity), up(0, 70) = bf16(2.0f), gate(1, 40) = bf16(-200.0f), up(1, 149) = bf16(nan);
            p.candidate(d, t.all())();
            const auto* out = static_cast<bf16*>(t["out"]);
            for (int i = 0; i < 2 * cols; ++i) {
                const auto v = static_cast<float>(out[i]);
                if (i == 3 || i == cols + 149) EXPECT_TRUE(std::isnan(v)) << d.id() << " element " << i;
                else if (i == 70) EXPECT_EQ(v, infinity) << d.id();
                else if (i == cols + 40) EXPECT_EQ(v, 0.0f) << d.id();
                else EXPECT_TRUE(std::isfinite(v)) << d.id() << " element " << i;
            }
        }
}

}  // namespace
}  // namespace operator_tests
