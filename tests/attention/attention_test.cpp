// SPDX-License-Identifier: Apache-2.0
// Attention against a reference in double precision. Element bounds are derived from the types (attention_check.hpp). On cpu the tests
// run once for each instruction set, which KITTENS_MAX_CPU_ISA chooses.
#include "problem.hpp"

#include <limits>

namespace attention_tests {
namespace {

/// Problems that together touch every feature; sizes are for cpu, whose steps are of 512 keys.
std::vector<setup> features() {
    std::vector<setup> all;
    for (const dtype t : {dtype::bf16, dtype::f16}) {
        for (const int dim : {64, 96, 128, 256}) {
            all.push_back({.type = t, .dim = dim, .batch = 2, .heads = 2, .key_heads = 2, .queries = 70, .keys = 70});
            all.push_back({.type = t, .dim = dim, .heads = 4, .key_heads = 2, .queries = 150, .keys = 700, .causal = true, .bnhd = true, .query_offset = 550});
        }
        all.push_back({.type = t, .dim = 128, .heads = 3, .key_heads = 1, .queries = 600, .keys = 600, .causal = true, .threads = 2});
        all.push_back({.type = t, .dim = 128, .heads = 2, .key_heads = 1, .queries = 90, .keys = 1100, .rows8 = true});
        all.push_back({.type = t, .dim = 64, .heads = 2, .key_heads = 2, .queries = 65, .keys = 530, .mask = true});
        all.push_back({.type = t, .dim = 64, .heads = 2, .key_heads = 2, .queries = 65, .keys = 530, .causal = true, .key_offset = 17, .soft_cap = 3});
        all.push_back({.type = t, .dim = 128, .heads = 2, .key_heads = 2, .queries = 300, .keys = 1300, .causal = true, .query_offset = 1000, .window = 100});
        all.push_back({.type = t, .dim = 128, .heads = 1, .key_heads = 1, .queries = 700, .keys = 700, .window = 33});
        all.push_back({.type = t, .dim = 64, .heads = 2, .key_heads = 1, .queries = 100, .keys = 900, .causal = true, .query_starts = {0, 1, 40, 100}, .key_starts = {0, 600, 640, 900}, .align_ends = true});
        all.push_back({.type = t, .dim = 96, .heads = 1, .key_heads = 1, .queries = 90, .keys = 90, .bnhd = true, .scale = 0.3, .query_starts = {0, 33, 90}, .key_starts = {0, 50, 90}});
        all.push_back({.type = t, .dim = 128, .heads = 1, .key_heads = 1, .queries = 70, .keys = 1600, .data_scale = 6});
        all.push_back({.type = t, .dim = 128, .heads = 2, .key_heads = 1, .queries = 1, .keys = 513});
        all.push_back({.type = t, .dim = 128, .heads = 1, .key_heads = 1, .queries = 33, .keys = 1});
    }
    return all;
}

/// Any problem: a few hundred keys at most.
setup random_setup(std::mt19937& random, int most) {
    const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
    setup s;
    s.type = pick(0, 1) ? dtype::bf16 : dtype::f16;
    s.dim = std::vector<int>{64, 96, 128, 256}[std::size_t(pick(0, 3))];
    s.key_heads = pick(1, 2);
    s.heads = s.key_heads * pick(1, 3);
    s.queries = pick(1, most);
    s.keys = pick(1, 3 * most);
    s.bnhd = pick(0, 1), s.causal = pick(0, 1), s.rows8 = pick(0, 1), s.lse = pick(0, 1);
    if (pick(0, 2) == 0) s.window = pick(1, 2 * most);
    if (pick(0, 2) == 0) s.key_offset = pick(0, most);
    if (pick(0, 1) == 0) s.query_offset = pick(0, s.key_offset + s.keys - 1);
    if (pick(0, 3) == 0) s.soft_cap = pick(1, 30);
    if (pick(0, 3) == 0) s.scale = 0.01 * pick(1, 100);
    s.data_scale = std::vector<double>{0.1, 1, 1, 3}[std::size_t(pick(0, 3))];
    s.threads = pick(0, 3);
    if (pick(0, 2) == 0) {
        s.query_starts = s.key_starts = {0};
        s.queries = s.keys = 0;
        s.query_offset = s.key_offset = 0;
        for (int n = pick(1, 4); n > 0; --n) {
            s.query_starts.push_back(s.queries += pick(1, most / 2));
            s.key_starts.push_back(s.keys += pick(1, most));
        }
        s.align_ends = pick(0, 1);
    } else {
        s.batch = pick(1, 2);
        s.mask = pick(0, 3) == 0;
    }
    return s;
}

TEST_F(cpu_attention, features) {
    for (const setup& s : features()) {
        SCOPED_TRACE(::testing::PrintToString(s));
        problem(where, s, random).run_and_check();
    }
}

TEST_F(cpu_attention, random_problems) {
    for (int i = 0; i < 60; ++i) {
        const setup s = random_setup(random, 260);
        SCOPED_TRACE(::testing::PrintToString(s));
        problem(where, s, random).run_and_check();
        if (HasFailure()) return;
    }
}

TEST_F(cpu_attention, scores_far_apart) {
    for (const double scale : {0.01, 20.0, 60.0})
        for (const bool causal : {false, true}) {
            const setup s{.dim = 128, .heads = 2, .key_heads = 1, .queries = 130, .keys = 1200, .causal = causal, .query_offset = causal ? 1070 : 0, .data_scale = scale};
            SCOPED_TRACE(::testing::PrintToString(s));
            problem(where, s, random).run_and_check();
        }
}

/// A row's largest scores come last, so that the reference has to follow.
TEST_F(cpu_attention, rising_scores) {
    problem p(where, {.dim = 64, .queries = 40, .keys = 2100}, random);
    for (int j = 0; j < 2100; ++j)
        for (int d = 0; d < 64; ++d) p.k(j * 64 + d) = p.bits(p.number(p.k(j * 64 + d)) * float(j) / 100);
    p.run_and_check();
}

/// Scores that are all far from zero, on either side; and values at both ends of what a reference far from the largest score leaves room for.
TEST_F(cpu_attention, scores_far_from_zero) {
    for (const float offset : {40.0f, -40.0f})
        for (const float of_values : {1.0f, 0x1p40f, 0x1p-40f}) {
            SCOPED_TRACE(::testing::Message() << offset << ' ' << of_values);
            problem p(where, {.dim = 64, .queries = 70, .keys = 1100, .causal = true, .query_offset = 1030, .data_scale = 4}, random);
            for (int i = 0; i < 70; ++i) p.q(i * 64) = p.bits(offset);
            for (int j = 0; j < 1100; ++j) p.k(j * 64) = p.bits(64);
            for (int i = 0; i < 1100 * 64; ++i) p.v(i) = p.bits(p.number(p.v(i)) * of_values);
            p.run_and_check();
        }
}

TEST_F(cpu_attention, equal_scores_average) {
    problem p(where, {.dim = 64, .queries = 5, .keys = 600}, random);
    for (int i = 0; i < 5 * 64; ++i) p.q(i) = p.bits(0);
    p.run_and_check();
}

TEST_F(cpu_attention, one_key_is_its_value) {
    for (const dtype t : {dtype::bf16, dtype::f16}) {
        problem p(where, {.type = t, .dim = 64, .queries = 33, .keys = 1}, random);
        p.run();
        for (int i = 0; i < 33 * 64; ++i) ASSERT_EQ(p.o(i), p.number(p.v(i % 64)));
    }
}

template <class Test> void masked_rows_are_zero(const device& where, Test& test) {
    // Keys 20 to 59 and queries 0 to 39: the first twenty queries see none.
    problem p(where, {.dim = 64, .queries = 40, .keys = 40, .causal = true, .key_offset = 20}, test);
    p.run_and_check();
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(p.lse(i), -std::numeric_limits<float>::infinity());
        for (int d = 0; d < 64; ++d) EXPECT_EQ(p.o(i * 64 + d), 0.0f);
    }
    // The same by a mask of -infinity.
    problem m(where, {.dim = 64, .queries = 17, .keys = 40, .mask = true}, test);
    for (int j = 0; j < 40; ++j) m.mask(3 * 40 + j) = m.bits(-std::numeric_limits<float>::infinity());
    m.run_and_check();
    for (int d = 0; d < 64; ++d) EXPECT_EQ(m.o(3 * 64 + d), 0.0f);
}
TEST_F(cpu_attention, masked_rows_are_zero) { masked_rows_are_zero(where, random); }
TEST_F(emulated_attention, masked_rows_are_zero) { masked_rows_are_zero(where, random); }

template <class Test> void not_a_number(const device& where, Test& test) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    for (const float odd : {nan, inf, -inf}) {
        SCOPED_TRACE(odd);
        // In a query: its row. In a key: the queries that see it, and no others.
        problem p(where, {.dim = 64, .queries = 40, .keys = 40, .causal = true}, test);
        p.q(7 * 64 + 3) = p.bits(odd);
        p.k(30 * 64 + 5) = p.bits(odd);
        p.run_and_check();
        for (int d = 0; d < 64; ++d) {
            EXPECT_TRUE(std::isfinite(p.o(6 * 64 + d)));
            EXPECT_TRUE(std::isfinite(p.o(29 * 64 + d)));
            if (std::isnan(odd)) EXPECT_TRUE(std::isnan(p.o(7 * 64 + d)) && std::isnan(p.o(35 * 64 + d)));
        }
        // In a value that every query sees: its column.
        problem v(where, {.dim = 64, .queries = 5, .keys = 40}, test);
        v.v(9 * 64 + 11) = v.bits(odd);
        v.run_and_check();
        for (int i = 0; i < 5; ++i) EXPECT_FALSE(std::isfinite(v.o(i * 64 + 11)));
    }
}
TEST_F(cpu_attention, not_a_number) { not_a_number(where, random); }
TEST_F(emulated_attention, not_a_number) { not_a_number(where, random); }

TEST_F(cpu_attention, the_check_sees_errors) {
    problem p(where, {.dim = 64, .queries = 40, .keys = 300}, random);
    p.run_and_check();
    const float right = p.o(5 * 64 + 7);
    p.set_o(5 * 64 + 7, right + 0.02f);
    EXPECT_EQ(tool::compare_attention(p.request).wrong, 1);
    p.set_o(5 * 64 + 7, std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(tool::compare_attention(p.request).wrong, 1);
}

TEST_F(emulated_attention, features) {
    for (const setup& s : std::vector<setup>{
             {.dim = 64, .heads = 2, .key_heads = 1, .queries = 33, .keys = 50, .causal = true, .query_offset = 17},
             {.type = dtype::f16, .dim = 64, .queries = 17, .keys = 40, .bnhd = true, .mask = true, .soft_cap = 4},
             {.dim = 96, .heads = 2, .key_heads = 2, .queries = 20, .keys = 70, .bnhd = true, .window = 20},
             {.type = dtype::f16, .dim = 96, .queries = 20, .keys = 33},
             {.dim = 128, .queries = 40, .keys = 65, .causal = true, .query_offset = 25},
             {.type = dtype::f16, .dim = 128, .queries = 17, .keys = 33, .rows8 = true},
             {.dim = 128, .queries = 20, .keys = 40, .soft_cap = 2, .query_starts = {0, 3, 20}, .key_starts = {0, 33, 40}, .align_ends = true},
             {.dim = 256, .queries = 9, .keys = 40, .causal = true, .query_offset = 31},
             {.type = dtype::f16, .dim = 256, .queries = 9, .keys = 33, .data_scale = 6},
         }) {
        SCOPED_TRACE(::testing::PrintToString(s));
        problem(where, s, random).run_and_check();
    }
}

TEST_F(emulated_attention, random_problems) {
    for (int i = 0; i < 6; ++i) {
        const setup s = random_setup(random, 40);
        SCOPED_TRACE(::testing::PrintToString(s));
        problem(where, s, random).run_and_check();
    }
}

// An OpenCL device's compiler takes long for a module: one of each element type.
TEST_F(xe_attention, bf16_64) {
    const device where = find_device("xe");
    for (const setup& s : std::vector<setup>{{.dim = 64, .heads = 2, .key_heads = 1, .queries = 70, .keys = 90, .causal = true, .query_offset = 20},
                                             {.dim = 64, .queries = 20, .keys = 45, .bnhd = true, .mask = true, .soft_cap = 4}}) {
        SCOPED_TRACE(::testing::PrintToString(s));
        problem(where, s, random).run_and_check();
    }
}
TEST_F(xe_attention, fp16_64) {
    const setup s{.type = dtype::f16, .dim = 64, .queries = 40, .keys = 70, .causal = true, .window = 30};
    SCOPED_TRACE(::testing::PrintToString(s));
    problem(find_device("xe"), s, random).run_and_check();
}

/// The tile operations that the lazy way is made of, on every target.
void lazy_problems(const device& where, std::mt19937& random) {
    for (const setup& s : std::vector<setup>{{.dim = 64, .queries = 40, .keys = 200, .causal = true, .query_offset = 160},
                                             {.dim = 64, .queries = 20, .keys = 150, .data_scale = 6},
                                             {.dim = 64, .queries = 17, .keys = 100, .mask = true, .window = 30, .soft_cap = 4}}) {
        SCOPED_TRACE(::testing::PrintToString(s));
        problem(where, s, random).run_and_check("attention_lazy");
    }
}
TEST_F(cpu_attention, lazy_small_tiles) { lazy_problems(where, random); }
TEST_F(emulated_attention, lazy_small_tiles) { lazy_problems(where, random); }
TEST_F(xe_attention, lazy_small_tiles) { lazy_problems(find_device("xe"), random); }

/// The library's refusals name the argument and the legal values.
TEST(attention_requests, are_refused_where_they_make_no_sense) {
    const device where = find_device("emulated");
    std::mt19937 random{seed()};
    problem p(where, {.dim = 64, .heads = 4, .key_heads = 2, .queries = 16, .keys = 32}, random);
    const auto refused = [&](auto change, const std::string& words) { expect_refused(p.request, change, words); };
    refused([](auto& r) { r.key_heads = 3; }, "multiple of the number of key heads");
    refused([](auto& r) { r.dim = 80; }, "64, 96, 128 or 256");
    refused([](auto& r) { r.type = dtype::i8; }, "bf16 or fp16");
    refused([](auto& r) { r.queries = 0; }, "the number of queries must be from 1");
    refused([](auto& r) { r.keys = 0; }, "the number of keys must be from 1");
    refused([](auto& r) { r.query_offset = 32; }, "the query offset must be from 0 to 31");
    refused([](auto& r) { r.query_offset = -1; }, "the query offset must be from 0");
    refused([](auto& r) { r.key_offset = -1; }, "the key offset must be from 0");
    refused([](auto& r) { r.scale = -1; }, "the scale must be positive");
    refused([](auto& r) { r.soft_cap = std::numeric_limits<double>::quiet_NaN(); }, "the soft cap must be positive");
    refused([](auto& r) { r.q.data = nullptr; }, "q must not be null");
    refused([](auto& r) { r.k.row_stride = 60; }, "k: gl: the row pitch");
    refused([](auto& r) { r.v.data = static_cast<const char*>(r.v.data) + 2; }, "v: gl: the base address must be a multiple of 64");
    std::vector<int32> starts{0, 16}, bad{0, 20};
    refused([&](auto& r) { r.query_starts = starts; }, "both be given");
    refused([&](auto& r) { r.query_starts = starts, r.key_starts = bad; }, "key_starts must begin with 0 and end with the total length 32");
    const std::vector<int32> empty{0, 16, 16};
    const std::vector<int32> keys{0, 10, 32};
    refused([&](auto& r) { r.batch = 2, r.query_starts = empty, r.key_starts = keys; }, "sequence 1 is empty");
}

}  // namespace
}  // namespace attention_tests
