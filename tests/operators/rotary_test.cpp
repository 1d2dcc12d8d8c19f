// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <operators/rotary_operation.hpp>
#include <rotary/rotary.hpp>

#include <numbers>

namespace operator_tests {
namespace {

using tool::rotary_problem;
using tool::rotary_shape;

rotary_problem problem(const rotary_shape& s) { return {s, "test", bench::cache_state::warm}; }

// The check of a rotary problem asks for equal bits.
TEST(rotary, is_exact_in_both_conventions) {
    for (const device& d : all_devices())
        for (const bool interleaved : {false, true})
            for (const int dim : {64, 128, 256})
                run_and_check(d, problem({.interleaved = interleaved, .tokens = 3, .heads = 4, .kv_heads = 2, .head_dim = dim, .rotated = dim, .position = 5, .sequence = 2}));
}

TEST(rotary, fp16_and_heads_that_do_not_fill_a_vector) {
    for (const device& d : all_devices()) {
        run_and_check(d, problem({.type = dtype::f16, .tokens = 2, .heads = 3, .kv_heads = 1, .head_dim = 64, .rotated = 64, .sequence = 2}));
        run_and_check(d, problem({.type = dtype::f16, .interleaved = true, .tokens = 2, .heads = 3, .kv_heads = 0, .head_dim = 64, .rotated = 64, .sequence = 2}));
    }
}

TEST(rotary, partial) {
    for (const device& d : all_devices())
        for (const int rotated : {16, 32, 64}) run_and_check(d, problem({.tokens = 2, .heads = 2, .kv_heads = 2, .rotated = rotated, .position = 100, .sequence = 2}));
    for (const device& d : all_devices(false))
        for (const int rotated : {2, 30, 126}) run_and_check(d, problem({.interleaved = true, .tokens = 2, .heads = 2, .kv_heads = 2, .rotated = rotated, .sequence = 2}));
}

TEST(rotary, what_is_not_rotated_does_not_meet_an_infinity) {
    for (const device& d : all_devices()) {
        const rotary_problem p = problem({.tokens = 1, .heads = 1, .kv_heads = 0, .rotated = 64, .position = 3, .sequence = 1});
        tensors t(d, p.tensors());
        p.fill(t.all(), seed());
        static_cast<bf16*>(t["q"])[100] = bf16(std::numeric_limits<float>::infinity());
        p.candidate(d, t.all())();
        for (int i = 0; i < 128; ++i) EXPECT_EQ(std::isinf(static_cast<float>(static_cast<bf16*>(t["q_out"])[i])), i == 100) << d.id() << " element " << i;
    }
}

TEST(rotary, random_shapes) {
    std::mt19937_64 random(seed());
    const auto uniform = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
    for (int i = 0; i < 40; ++i)
        for (const device& d : all_devices(false)) {
            const int dim = 64 << uniform(0, 2), tokens = uniform(1, 30);
            const bool interleaved = uniform(0, 1) == 1;
            run_and_check(d, problem({.type = uniform(0, 1) ? dtype::bf16 : dtype::f16, .interleaved = interleaved, .tokens = tokens, .heads = uniform(1, 9), .kv_heads = uniform(0, 3),
                                      .head_dim = dim, .rotated = interleaved ? 2 * uniform(1, dim / 2) : dim, .position = uniform(0, 50), .sequence = uniform(1, tokens)}));
        }
}

// Given positions, one for each token, instead of a first one.
TEST(rotary, positions_of_their_own) {
    for (const device& d : all_devices()) {
        constexpr int tokens = 19, heads = 2, rows = 40;
        const rotary_problem tables = problem({.tokens = rows, .heads = heads, .kv_heads = 0, .sequence = rows});
        tensors all(d, tables.tensors());
        tables.fill(all.all(), seed());
        // The reference: every position in turn. What is asked for: these positions.
        tables.candidate(d, all.all())();
        buffer<int32> positions(d, tokens);
        buffer<bf16> q(d, tokens * heads * 128), out(d, tokens * heads * 128);
        const auto* from = static_cast<const bf16*>(all["q"]);
        for (int t = 0; t < tokens; ++t) {
            positions[static_cast<std::size_t>(t)] = (t * 7 + 3) % rows;
            std::memcpy(q.data() + t * heads * 128, from + positions[static_cast<std::size_t>(t)] * heads * 128, sizeof(bf16) * heads * 128);
        }
        const kernels::rotary_globals<dtype::bf16> g{{q.data(), 1, 1, tokens, heads * 128}, {q.data(), 1, 1, tokens, heads * 128}, {out.data(), 1, 1, tokens, heads * 128},
                                                     {out.data(), 1, 1, tokens, heads * 128}, {static_cast<bf16*>(all["cosines"]), 1, 1, rows, 128},
                                                     {static_cast<bf16*>(all["sines"]), 1, 1, rows, 128}, {positions.data(), 1, 1, 1, tokens}, 1, 0, 0, 1, 128, 128, store_policy::cached};
        queue on(d);
        run(on, "rotary_near_bf16", g);
        const auto* right = static_cast<const bf16*>(all["q_out"]);
        for (int t = 0; t < tokens; ++t)
            EXPECT_EQ(std::memcmp(out.data() + t * heads * 128, right + positions[static_cast<std::size_t>(t)] * heads * 128, sizeof(bf16) * heads * 128), 0) << d.id() << " token " << t;
    }
}

// Wave lengths of 2 pi, 20 pi, ... with the scaling of Llama 3.1 (factor 8, 1 to 4 waves in 8192): short waves stay, long
// ones are eight times as long, and one in between is between.
TEST(rotary, frequency_scaling) {
    const kernels::rotary_scaling scaling{8, 1, 4, 8192};
    const auto plain = kernels::rotary_frequencies(128, 500000), scaled = kernels::rotary_frequencies(128, 500000, scaling);
    int between = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        const double wave = 2 * std::numbers::pi / static_cast<double>(plain[i]);
        if (wave < 2048) EXPECT_EQ(scaled[i], plain[i]);
        else if (wave > 8192) EXPECT_FLOAT_EQ(scaled[i], plain[i] / 8);
        else {
            EXPECT_LT(scaled[i], plain[i]);
            EXPECT_GT(scaled[i], plain[i] / 8);
            ++between;
        }
    }
    EXPECT_GT(between, 0);
    EXPECT_FLOAT_EQ(plain[0], 1.0f);
    EXPECT_FLOAT_EQ(plain[32], static_cast<float>(1 / std::sqrt(500000.0)));
    EXPECT_THROW(kernels::rotary_frequencies(3, 10000), std::invalid_argument);
}

}  // namespace
}  // namespace operator_tests
