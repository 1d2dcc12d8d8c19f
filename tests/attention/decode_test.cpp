// SPDX-License-Identifier: Apache-2.0
// Attention whose keys are cut into parts that are merged, and decoding: few queries at the end of a long cache, contiguous or in pages.
#include "problem.hpp"

namespace attention_tests {
namespace {

class cpu_decode : public cpu_attention {};
class emulated_decode : public emulated_attention {};
class xe_decode : public xe_attention {};

void run_all(const device& where, const std::vector<setup>& all, std::mt19937& random) {
    for (const setup& s : all) {
        SCOPED_TRACE(::testing::PrintToString(s));
        problem(where, s, random).run_and_check();
    }
}

/// Any decoding problem of up to `most` keys.
setup random_decode(std::mt19937& random, int most) {
    const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
    setup s;
    s.decode = true;
    s.type = pick(0, 1) ? dtype::bf16 : dtype::f16;
    s.dim = std::vector<int>{64, 96, 128, 256}[std::size_t(pick(0, 3))];
    s.batch = pick(1, 3);
    s.key_heads = pick(1, 2);
    s.heads = s.key_heads * pick(1, 9);
    s.queries = pick(0, 1) ? 1 : pick(2, 16);
    s.keys = pick(1, most);
    s.bnhd = pick(0, 1), s.causal = pick(0, 1), s.lse = pick(0, 1);
    s.splits = pick(0, 1) ? 0 : pick(1, 9);
    s.threads = pick(0, 3);
    if (pick(0, 2) == 0) s.window = pick(1, most);
    if (pick(0, 3) == 0) s.soft_cap = pick(1, 30);
    s.data_scale = std::vector<double>{0.1, 1, 1, 3}[std::size_t(pick(0, 3))];
    if (pick(0, 1))
        for (int n = 0; n < s.batch; ++n) s.lengths.push_back(pick(1, s.keys));
    if (pick(0, 1)) s.page_size = 64 * pick(1, 3);
    return s;
}

TEST_F(cpu_decode, splits) {
    std::vector<setup> all;
    for (const dtype t : {dtype::bf16, dtype::f16}) {
        all.push_back({.type = t, .dim = 64, .batch = 2, .heads = 4, .key_heads = 2, .queries = 70, .keys = 3000, .splits = 4});
        all.push_back({.type = t, .dim = 128, .heads = 2, .key_heads = 1, .queries = 300, .keys = 2100, .causal = true, .bnhd = true, .query_offset = 1800, .splits = 3});
        // More parts than there are steps, and rows that see nothing.
        all.push_back({.type = t, .dim = 96, .heads = 2, .key_heads = 2, .queries = 65, .keys = 1100, .causal = true, .key_offset = 20, .splits = 7});
        all.push_back({.type = t, .dim = 256, .heads = 1, .key_heads = 1, .queries = 33, .keys = 1100, .mask = true, .soft_cap = 5, .splits = 2});
        all.push_back({.type = t, .dim = 64, .heads = 2, .key_heads = 1, .queries = 100, .keys = 1900, .causal = true, .query_starts = {0, 1, 40, 100}, .key_starts = {0, 1200, 1240, 1900}, .align_ends = true, .splits = 3});
        all.push_back({.type = t, .dim = 128, .heads = 2, .key_heads = 1, .queries = 40, .keys = 2000, .data_scale = 6, .splits = 4});
    }
    run_all(where, all, random);
}

TEST_F(cpu_decode, features) {
    std::vector<setup> all;
    for (const dtype t : {dtype::bf16, dtype::f16})
        for (const int dim : {64, 96, 128, 256}) {
            all.push_back({.type = t, .dim = dim, .batch = 2, .heads = 8, .key_heads = 2, .queries = 1, .keys = 1000, .bnhd = true, .decode = true, .lengths = {1000, 333}});
            all.push_back({.type = t, .dim = dim, .batch = 3, .heads = 4, .key_heads = 1, .queries = 4, .keys = 700, .causal = true, .splits = 3, .decode = true, .lengths = {700, 3, 64}, .page_size = 128});
            all.push_back({.type = t, .dim = dim, .heads = 6, .key_heads = 2, .queries = 16, .keys = 500, .causal = true, .bnhd = true, .window = 100, .splits = 2, .decode = true, .page_size = 64});
        }
    all.push_back({.dim = 128, .heads = 40, .key_heads = 1, .queries = 3, .keys = 300, .bnhd = true, .soft_cap = 3, .decode = true});
    all.push_back({.dim = 128, .heads = 2, .key_heads = 2, .queries = 5, .keys = 65, .causal = true, .bnhd = true, .decode = true});
    run_all(where, all, random);
}

TEST_F(cpu_decode, other_steps) {
    std::vector<setup> all;
    for (const dtype t : {dtype::bf16, dtype::f16})
        for (const char* policy : {"keys256", "keys1024"}) {
            all.push_back({.type = t, .dim = 128, .heads = 2, .key_heads = 1, .queries = 150, .keys = 1500, .causal = true, .query_offset = 1350, .policy = policy});
            all.push_back({.type = t, .dim = 128, .queries = 70, .keys = 2300, .splits = 2, .policy = policy});
        }
    run_all(where, all, random);
}

TEST_F(cpu_decode, random_problems) {
    for (int i = 0; i < 30; ++i) {
        const setup s = random_decode(random, 900);
        SCOPED_TRACE(::testing::PrintToString(s));
        problem(where, s, random).run_and_check();
        if (HasFailure()) return;
    }
}

/// Split and unsplit agree: each is off by at most its bound, so they differ by at most two.
TEST_F(cpu_decode, splits_do_not_change_the_result) {
    for (const bool decode : {false, true}) {
        setup s{.dim = 64, .heads = 4, .key_heads = 2, .queries = 3, .keys = 2500, .causal = true, .query_offset = decode ? 0 : 2497, .decode = decode};
        problem p(where, s, random);
        p.request.splits = 1;
        p.run_and_check();
        std::vector<float> whole;
        for (int i = 0; i < 4 * 3 * 64; ++i) whole.push_back(p.o(i));
        for (const int splits : {2, 5, 64}) {
            p.request.splits = splits;
            p.run_and_check();
            // Weights sum to one, so o is at most the largest value; twice a rounding of weights and once of o each (bf16: 2^-8).
            float largest = 0;
            for (int i = 0; i < 2 * 2500 * 64; ++i) largest = std::max(largest, std::abs(p.number(p.v(i))));
            for (int i = 0; i < 4 * 3 * 64; ++i) EXPECT_LE(std::abs(p.o(i) - whole[std::size_t(i)]), 2 * largest * (2 * 0x1p-8f + 0x1p-10f)) << splits << ' ' << i;
        }
    }
}

TEST_F(emulated_decode, features) {
    run_all(where,
            {
                {.dim = 64, .heads = 2, .key_heads = 1, .queries = 20, .keys = 150, .causal = true, .query_offset = 130, .splits = 3},
                {.type = dtype::f16, .dim = 64, .queries = 9, .keys = 40, .causal = true, .key_offset = 5, .splits = 4},
                {.dim = 64, .heads = 4, .key_heads = 2, .queries = 1, .keys = 200, .bnhd = true, .splits = 3, .decode = true},
                {.type = dtype::f16, .dim = 96, .batch = 2, .heads = 2, .key_heads = 1, .queries = 3, .keys = 150, .causal = true, .bnhd = true, .splits = 2, .decode = true, .lengths = {150, 40}, .page_size = 64},
                {.dim = 128, .batch = 2, .heads = 4, .key_heads = 1, .queries = 4, .keys = 130, .causal = true, .window = 50, .splits = 2, .decode = true, .lengths = {2, 130}, .page_size = 128},
                {.type = dtype::f16, .dim = 128, .heads = 2, .key_heads = 1, .queries = 1, .keys = 70, .soft_cap = 4, .splits = 1, .decode = true},
                {.dim = 256, .heads = 9, .key_heads = 1, .queries = 1, .keys = 40, .splits = 2, .decode = true},
            },
            random);
}

TEST_F(emulated_decode, random_problems) {
    for (int i = 0; i < 6; ++i) {
        setup s = random_decode(random, 100);
        s.splits = std::min(s.splits ? s.splits : 2, 3);
        SCOPED_TRACE(::testing::PrintToString(s));
        problem(where, s, random).run_and_check();
    }
}

/// A page table that changes after it was checked: the emulator reports what reads outside of the cache.
TEST_F(emulated_decode, wrong_pages_are_reported) {
    problem p(where, {.dim = 64, .queries = 1, .keys = 100, .splits = 1, .decode = true, .page_size = 64, .spare = 0}, random);
    const auto launches = kernels::prepare_attention(p.request);
    p.page(0, 1) = 2;
    queue on(where);
    EXPECT_THROW(on.run(kernel_for(where, launches[0].kernel), launches[0].globals.data(), launches[0].globals.size()), std::exception);
}

// One module of each kind: an OpenCL device's compiler takes long for each.
TEST_F(xe_decode, bf16_64_in_pages) {
    run_all(find_device("xe"), {{.dim = 64, .batch = 2, .heads = 4, .key_heads = 2, .queries = 2, .keys = 140, .causal = true, .bnhd = true, .splits = 2, .decode = true, .lengths = {140, 30}, .page_size = 64}}, random);
}

/// The library's refusals name the argument and the legal values.
TEST(attention_requests, of_decoding_are_refused_where_they_make_no_sense) {
    const device where = find_device("emulated");
    std::mt19937 random{seed()};
    problem p(where, {.dim = 64, .batch = 2, .heads = 4, .key_heads = 2, .queries = 2, .keys = 130, .decode = true, .lengths = {130, 60}, .page_size = 64}, random);
    std::vector<std::byte> room(1 << 20);
    p.request.workspace = {reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(room.data()) + 63) / 64 * 64), room.size() - 64};
    EXPECT_NO_THROW(kernels::prepare_attention(p.request));
    const auto refused = [&](auto change, const std::string& words) { expect_refused(p.request, change, words); };
    refused([](auto& r) { r.queries = 17; }, "the number of queries when decoding must be from 1 to 16, not 17");
    refused([](auto& r) { r.page_size = 96; }, "the page size must be a positive multiple of 64, not 96");
    refused([](auto& r) { r.pages = 0; }, "the number of pages must be from 1");
    refused([](auto& r) { r.query_offset = 1; }, "must be 0 when decoding");
    refused([](auto& r) { r.splits = 300; }, "the number of splits must be from 0 to 256");
    refused([](auto& r) { r.policy = "rows8"; }, "the policy must be default when decoding");
    refused([](auto& r) { r.decode = false, r.lengths = {}, r.page_table = {}, r.policy = "rows9"; }, "the policy must be default, rows8, keys256 or keys1024, not rows9");
    refused([](auto& r) { r.splits = 2, r.workspace = {}; }, "the workspace must have");
    refused([](auto& r) { r.page_table = r.page_table.first(5); }, "page_table must have 3 entries for each of the 2 sequences, not 5");
    refused([](auto& r) { r.lengths = r.lengths.first(1); }, "lengths must have one entry for each of the 2 sequences, not 1");
    const std::vector<int32> empty{130, 0}, beyond{131, 1};
    refused([&](auto& r) { r.lengths = empty; }, "each of lengths must be from 1 to 130, not 0");
    refused([&](auto& r) { r.lengths = beyond; }, "each of lengths must be from 1 to 130, not 131");
    refused([](auto& r) { r.decode = false; }, "lengths are for decoding");
    p.page(0, 2) = 9;
    refused([](auto&) {}, "page_table must hold pages from 0 to 8: page 2 of sequence 0 is 9");
    p.page(0, 2) = -1;
    refused([](auto&) {}, "page_table must hold pages from 0 to 8: page 2 of sequence 0 is -1");
}

}  // namespace
}  // namespace attention_tests
