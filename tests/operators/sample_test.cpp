// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <operators/sample_operation.hpp>
#include <sample/philox.hpp>
#include <sample/weights.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace operator_tests {
namespace {

using tool::sample_problem;
using tool::sample_shape;

constexpr float infinity = std::numeric_limits<float>::infinity();

sample_problem problem(const sample_shape& s) { return {s, "test", bench::cache_state::warm}; }

std::vector<std::int32_t> results(const tensors& t, const char* name, int rows) {
    const auto* p = static_cast<const std::int32_t*>(t[name]);
    return {p, p + rows};
}

/// Runs on every device: each result is right, and all are the same.
void run_everywhere(const sample_shape& s, bool slow = true, const std::function<void(const tensors&)>& change = {}) {
    std::vector<std::int32_t> tokens, kept;
    for (const device& d : all_devices(slow)) {
        const tensors t = run_and_check(d, problem(s), change);
        if (tokens.empty()) tokens = results(t, "token", s.rows), kept = results(t, "kept", s.rows);
        EXPECT_EQ(results(t, "token", s.rows), tokens) << d.id();
        EXPECT_EQ(results(t, "kept", s.rows), kept) << d.id();
    }
}

// Known answers of the generator's authors (Random123, kat_vectors).
TEST(sample, philox_known_answers) {
    const auto expect = [](const kernels::philox_block& got, std::array<std::uint32_t, 4> right) {
        for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(got.x[i], right[i]);
    };
    expect(kernels::philox(0, 0, 0, 0, 0, 0), {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    constexpr std::uint32_t ones = 0xffffffff;
    expect(kernels::philox(ones, ones, ones, ones, ones, ones), {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    expect(kernels::philox(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0), {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST(sample, upper_half_of_products) {
    std::mt19937_64 random(seed());
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t a = random() >> (random() % 64), b = random() >> (7 + random() % 57);
        EXPECT_EQ(kernels::product_high(a, b), static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b >> 64));
    }
}

// Off by what weights.hpp says: exponents by 2^-20 and 2^-23 of themselves, the polynomial by 3e-9, rounding by a half.
TEST(sample, weights) {
    std::mt19937_64 random(seed());
    EXPECT_NEAR(kernels::weight_of(0, 1e6f), 0x1p30, 4);
    EXPECT_EQ(kernels::weight_of(infinity, 1e6f), 0);
    for (int i = 0; i < 100000; ++i) {
        const float exponent = std::uniform_real_distribution<float>(0, 40)(random);
        const double right = exponent >= 31 ? 0 : std::exp2(30 - static_cast<double>(exponent));
        const double bound = right * ((static_cast<double>(exponent) * 0x1p-22 + 0x1p-20) * std::log(2) + 3e-9) + 1;
        EXPECT_NEAR(kernels::weight_of(exponent, 0x1p20f), right, exponent >= 31 ? 1 : bound) << exponent;
    }
}

TEST(sample, keys_compare_as_numbers_do) {
    std::mt19937_64 random(seed());
    const auto any = [&] {
        bf16 x(0.0f);
        do x.bits = static_cast<std::uint16_t>(random());
        while (std::isnan(static_cast<float>(x)));
        return static_cast<float>(x);
    };
    const auto flushed = [](float x) { return std::fpclassify(x) == FP_SUBNORMAL ? 0.0f : x; };
    for (int i = 0; i < 100000; ++i) {
        const float a = any(), b = any();
        EXPECT_EQ(kernels::key_of(a) < kernels::key_of(b), flushed(a) < flushed(b)) << a << " and " << b;
        EXPECT_EQ(kernels::number_of(kernels::key_of(a)), flushed(a));
    }
    EXPECT_GT(kernels::key_of(-std::numeric_limits<float>::quiet_NaN()), kernels::key_of_infinity);
}

TEST(sample, sets_and_tokens_are_the_same_on_every_target) {
    std::uint64_t offset = 0;
    for (const auto& [k, p] : {std::pair{0, 1.0}, std::pair{1, 1.0}, std::pair{20, 1.0}, std::pair{0, 0.9}, std::pair{50, 0.5}, std::pair{5000, 0.99}, std::pair{0, 1e-6}})
        for (const int cols : {1, 9, 300, 1000})
            run_everywhere({.rows = 2, .cols = cols, .temperature = 0.7, .top_k = k, .top_p = p, .generator = seed(), .offset = offset++, .scale = 2.0f});
    run_everywhere({.type = dtype::f16, .rows = 2, .cols = 700, .top_k = 30, .top_p = 0.8, .generator = seed()});
}

TEST(sample, random_problems) {
    std::mt19937_64 random(seed());
    const auto uniform = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
    for (int i = 0; i < 40; ++i)
        run_everywhere({.type = uniform(0, 1) ? dtype::bf16 : dtype::f16, .rows = uniform(1, 5), .cols = uniform(1, 20000), .temperature = std::exp2(uniform(-6, 6)),
                        .top_k = uniform(0, 1) ? 0 : uniform(1, 300), .top_p = uniform(0, 1) ? 1 : 0.01 * uniform(1, 99), .generator = random(), .offset = random(),
                        .scale = static_cast<float>(uniform(1, 6))}, false);
}

// Few values, so that thresholds fall among equals: the first of them are kept.
TEST(sample, equal_logits) {
    std::mt19937_64 random(seed());
    for (const auto& [k, p] : {std::pair{100, 1.0}, std::pair{0, 0.7}, std::pair{333, 0.7}, std::pair{1, 1.0}, std::pair{0, 0.001}})
        run_everywhere({.rows = 3, .cols = 900, .top_k = k, .top_p = p, .generator = random()}, true, [](const tensors& t) {
            for (int i = 0; i < 3 * 900; ++i) {
                const float values[] = {2.0f, 1.0f, 0.0f, -0.0f, -infinity};
                static_cast<bf16*>(t["logits"])[i] = bf16(values[i * 7 % 11 % 5]);
            }
        });
}

// All weights are the largest that there are, in a row of more blocks than there are places for.
TEST(sample, a_large_vocabulary_of_equals) {
    std::mt19937_64 random(seed());
    for (const double p : {1.0, 0.5})
        run_everywhere({.rows = 2, .cols = 256000, .top_p = p, .generator = random()}, false, [](const tensors& t) {
            for (int i = 0; i < 2 * 256000; ++i) static_cast<bf16*>(t["logits"])[i] = bf16(1.0f);
        });
}

TEST(sample, vocabularies) {
    std::mt19937_64 random(seed());
    for (const int cols : {128256, 256000})
        for (const auto& [k, p] : {std::pair{50, 0.9}, std::pair{0, 0.9}, std::pair{0, 1.0}, std::pair{2000, 1.0}})
            run_everywhere({.rows = 2, .cols = cols, .temperature = 0.8, .top_k = k, .top_p = p, .generator = random(), .scale = 3.0f}, false);
}

TEST(sample, temperature_zero_takes_the_first_of_the_largest) {
    for (const device& d : all_devices()) {
        const tensors t = run_and_check(d, problem({.rows = 2, .cols = 600, .temperature = 0, .generator = seed()}), [](const tensors& in) {
            for (const int at : {77, 300, 600 + 5}) static_cast<bf16*>(in["logits"])[at] = bf16(50.0f);
        });
        EXPECT_EQ(results(t, "token", 2), (std::vector<std::int32_t>{77, 5})) << d.id();
        EXPECT_EQ(results(t, "kept", 2), (std::vector<std::int32_t>{1, 1})) << d.id();
    }
}

TEST(sample, rows_without_a_distribution) {
    for (const device& d : all_devices())
        for (const float bad : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity}) {
            const tensors t = run_and_check(d, problem({.rows = 3, .cols = 400, .top_k = 10, .top_p = 0.9, .generator = seed()}), [bad](const tensors& in) {
                for (int j = 0; j < 400; ++j)
                    if (bad == -infinity || j == 390) static_cast<bf16*>(in["logits"])[400 + j] = bf16(bad);
            });
            EXPECT_EQ(results(t, "token", 3)[1], -1) << d.id();
            EXPECT_EQ(results(t, "kept", 3)[1], 0) << d.id();
        }
}

/// What chi-square of `freedom` exceeds with probability 1e-6 (E. Wilson, M. Hilferty, "The distribution of chi-square", 1931; within
/// 1 % here).
double chi_square_limit(int freedom) {
    const double z = 4.753424, a = 2.0 / (9.0 * freedom);
    return freedom * std::pow(1 - a + z * std::sqrt(a), 3);
}

// Draws from the same logits are distributed as their softmax, cut to the set. False alarms: one in 10^6 for each distribution.
TEST(sample, distribution) {
    constexpr int rows = 40000, cols = 40;
    const device d = all_devices(false).back();
    for (const auto& [k, p] : {std::pair{0, 1.0}, std::pair{12, 1.0}, std::pair{0, 0.8}}) {
        const sample_shape s{.rows = rows, .cols = cols, .temperature = 1.3, .top_k = k, .top_p = p, .generator = seed()};
        const sample_problem one = problem(s);
        tensors t(d, one.tensors());
        one.fill(t.all(), seed());
        auto* x = static_cast<bf16*>(t["logits"]);
        for (int i = cols; i < rows * cols; ++i) x[i] = x[i % cols];
        one.candidate(d, t.all())();
        const std::vector<std::int32_t> tokens = results(t, "token", rows);
        const auto kept = static_cast<std::size_t>(results(t, "kept", 1)[0]);
        std::vector<int> order(cols);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int a, int b) { return static_cast<float>(x[a]) != static_cast<float>(x[b]) ? static_cast<float>(x[a]) > static_cast<float>(x[b]) : a < b; });
        order.resize(kept);
        double all = 0, chi = 0;
        const auto weight = [&](int i) { return std::exp(static_cast<double>(static_cast<float>(x[i])) / s.temperature); };
        for (const int i : order) all += weight(i);
        std::map<int, int> seen;
        for (const std::int32_t token : tokens) ++seen[token];
        int classes = 0, drawn = 0;
        double rest = 0, rest_seen = 0;
        for (const int i : order) {
            const double expected = rows * weight(i) / all;
            drawn += seen[i];
            if (expected < 10) rest += expected, rest_seen += seen[i];
            else ++classes, chi += (seen[i] - expected) * (seen[i] - expected) / expected;
        }
        if (rest >= 10) ++classes, chi += (rest_seen - rest) * (rest_seen - rest) / rest;
        EXPECT_EQ(drawn, rows) << "tokens from outside the set";
        ASSERT_GT(classes, 2);
        EXPECT_LT(chi, chi_square_limit(classes - 1)) << classes << " classes, top-k " << k << ", top-p " << p;
    }
}

// The counter moves with offset and row: no draw is another's.
TEST(sample, seeds_offsets_and_rows_are_independent) {
    const device d = all_devices(false).back();
    const auto draw = [&](std::uint64_t generator, std::uint64_t offset) {
        const tensors t = run_and_check(d, problem({.rows = 64, .cols = 4096, .generator = generator, .offset = offset}), [](const tensors& in) {
            for (int i = 0; i < 64 * 4096; ++i) static_cast<bf16*>(in["logits"])[i] = bf16(0.0f);
        });
        return results(t, "token", 64);
    };
    const auto equal = [](const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
        int n = 0;
        for (std::size_t i = 0; i < a.size(); ++i) n += a[i] == b[i];
        return n;
    };
    const std::uint64_t key = seed();
    const auto first = draw(key, 7);
    EXPECT_EQ(draw(key, 7), first);
    // 64 pairs are equal with probability 1/4096 each: six or more of them once in 10^15.
    EXPECT_LT(equal(first, draw(key, 8)), 6);
    EXPECT_LT(equal(first, draw(key + 1, 7)), 6);
    EXPECT_LT(equal(first, draw(key, 7 + (std::uint64_t{1} << 40))), 6);
    auto sorted = first;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_GT(std::unique(sorted.begin(), sorted.end()) - sorted.begin(), 50);
}

}  // namespace
}  // namespace operator_tests
