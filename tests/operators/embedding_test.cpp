// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <operators/embedding_operation.hpp>

#include <embedding/embedding.hpp>

namespace operator_tests {
namespace {

using tool::embedding_problem;
using tool::embedding_shape;

embedding_problem problem(const embedding_shape& s) { return {s, "test", bench::cache_state::warm}; }

/// Any bits: NaNs with payloads and subnormal numbers among them.
void fill_with_bits(const tensors& t, const embedding_shape& s) {
    std::mt19937_64 random(seed());
    for (int i = 0; i < s.rows * s.cols; ++i) static_cast<std::uint16_t*>(t["table"])[i] = static_cast<std::uint16_t>(random());
}

TEST(embedding, widths_and_types_of_ids_bit_for_bit) {
    for (const device& d : all_devices())
        for (const bool wide_ids : {false, true})
            for (const int cols : {1, 7, 128, 1000, 1032}) {
                const embedding_shape s{.type = dtype::bf16, .tokens = 5, .rows = 9, .cols = cols, .wide_ids = wide_ids, .ids = {}};
                run_and_check(d, problem(s), [&](const tensors& t) { fill_with_bits(t, s); });
            }
}

TEST(embedding, random_shapes) {
    std::mt19937_64 random(seed());
    const auto uniform = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
    for (int i = 0; i < 40; ++i)
        for (const device& d : all_devices(false)) {
            const embedding_shape s{.type = dtype::f16, .tokens = uniform(1, 60), .rows = uniform(1, 100), .cols = uniform(1, 3000), .wide_ids = uniform(0, 1) == 1, .ids = {}};
            run_and_check(d, problem(s), [&](const tensors& t) { fill_with_bits(t, s); });
        }
}

TEST(embedding, repeated_first_and_last_rows) {
    for (const device& d : all_devices()) run_and_check(d, problem({.type = dtype::bf16, .tokens = 5, .rows = 4, .cols = 130, .wide_ids = false, .ids = {3, 0, 3, 3, 0}}));
}

TEST(embedding, streaming_stores) {
    for (const device& d : all_devices(false)) run_and_check(d, problem({.type = dtype::bf16, .tokens = 1100, .rows = 50, .cols = 4088, .wide_ids = false, .ids = {}}));
}

TEST(embedding, ids_that_are_no_rows_are_refused) {
    const auto message_of = [](std::vector<std::int64_t> ids) {
        try {
            kernels::check_ids(ids.data(), ids.size(), 10);
        } catch (const std::invalid_argument& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    EXPECT_EQ(message_of({0, 9, 3}), "");
    EXPECT_EQ(message_of({0, 10}), "embedding: id 10 (number 1) is not from 0 to 9");
    EXPECT_EQ(message_of({-1}), "embedding: id -1 (number 0) is not from 0 to 9");
    EXPECT_EQ(message_of({std::int64_t{1} << 32}), "embedding: id 4294967296 (number 0) is not from 0 to 9");
    EXPECT_THROW(problem({.type = dtype::bf16, .tokens = 1, .rows = 4, .cols = 8, .wide_ids = false, .ids = {4}}), std::invalid_argument);
}

}  // namespace
}  // namespace operator_tests
