// SPDX-License-Identifier: Apache-2.0
// The correctness gate: it has to let right results through and nothing else.
#include "plain_gemm.hpp"

#include <kittens/runtime/device.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace kittens::bench {
namespace {

using test::plain_gemm;

class gate_test : public testing::Test {
protected:
    const gemm_shape shape_{96, 80, 64, ""};
    gemm_data data_{find_device("cpu"), shape_, dtype::bf16, 1234};
    buffer<std::byte> c_ = data_.output(dtype::bf16);
    bf16* values_ = reinterpret_cast<bf16*>(c_.data());

    void SetUp() override { plain_gemm<bf16, bf16>(shape_, data_.a(dtype::bf16), data_.b(dtype::bf16), values_); }
    verdict check() { return data_.check(values_, dtype::bf16); }
};

TEST_F(gate_test, right_results_pass_with_the_error_of_rounding) {
    const verdict v = check();
    EXPECT_TRUE(v.passed()) << v.failure;
    EXPECT_GT(v.relative_frobenius, 1e-3);
    EXPECT_LT(v.relative_frobenius, 2.2e-3);
}

TEST_F(gate_test, single_precision_passes_with_the_same_operands) {
    buffer<std::byte> c = data_.output(dtype::f32);
    plain_gemm<float, float>(shape_, data_.a(dtype::f32), data_.b(dtype::f32), c.data());
    const verdict v = data_.check(c.data(), dtype::f32);
    EXPECT_TRUE(v.passed()) << v.failure;
    EXPECT_LT(v.relative_frobenius, 1e-6);
}

TEST_F(gate_test, an_element_that_was_never_written_fails) {
    values_[95 * 80 + 79] = bf16::from_bits(0xffff);
    EXPECT_NE(check().failure.find("never written"), std::string::npos);
}

TEST_F(gate_test, results_that_are_too_coarse_fail) {
    for (int i = 0; i < 96 * 80; ++i) values_[i] = bf16(static_cast<float>(values_[i]) * (i % 2 ? 1.03f : 0.97f));
    const verdict v = check();
    EXPECT_NE(v.failure.find("gate"), std::string::npos);
    EXPECT_NEAR(v.relative_frobenius, 0.03, 0.005);
}

TEST_F(gate_test, other_operands_fail) {
    gemm_data other(find_device("cpu"), shape_, dtype::bf16, 1235);
    EXPECT_FALSE(other.check(values_, dtype::bf16).passed());
}

TEST(gate, a_wrong_row_anywhere_fails_where_only_some_are_compared) {
    // Large enough that few rows are compared element by element, so that the sign vectors have to find it.
    const gemm_shape shape{1024, 512, 512, ""};
    gemm_data data(find_device("cpu"), shape, dtype::i8, 7);
    buffer<std::byte> c = data.output(dtype::i32);
    auto* values = reinterpret_cast<int32*>(c.data());
    const auto *a = static_cast<const int8*>(data.a(dtype::i8)), *b = static_cast<const int8*>(data.b(dtype::i8));
    std::memset(values, 0, c.size());
    for (int i = 0; i < shape.m; ++i)
        for (int k = 0; k < shape.k; ++k)
            for (int j = 0; j < shape.n; ++j) values[i * shape.n + j] += a[i * shape.k + k] * b[k * shape.n + j];
    ASSERT_TRUE(data.check(values, dtype::i32).passed()) << data.check(values, dtype::i32).failure;
    int found = 0;
    for (const int row : {1, 100, 101, 102, 511, 777, 778, 1022}) {
        int32& element = values[row * shape.n + 333];
        element += 1;
        found += !data.check(values, dtype::i32).passed();
        element -= 1;
    }
    EXPECT_EQ(found, 8) << "one integer that is off by one";
    EXPECT_TRUE(data.check(values, dtype::i32).passed());
}

TEST(gate, a_wrong_row_of_a_float_product_fails) {
    const gemm_shape shape{512, 512, 1024, ""};
    gemm_data data(find_device("cpu"), shape, dtype::bf16, 8);
    buffer<std::byte> c = data.output(dtype::f32);
    auto* values = reinterpret_cast<float*>(c.data());
    const auto *a = static_cast<const float*>(data.a(dtype::f32)), *b = static_cast<const float*>(data.b(dtype::f32));
    std::memset(values, 0, c.size());
    for (int i = 0; i < shape.m; ++i)
        for (int k = 0; k < shape.k; ++k)
            for (int j = 0; j < shape.n; ++j) values[i * shape.n + j] += a[i * shape.k + k] * b[k * shape.n + j];
    ASSERT_TRUE(data.check(values, dtype::f32).passed());
    // One row of 512 is less than the gate in the whole, so it is the row's own share that has to show.
    for (const int row : {1, 200, 201, 333, 334}) {
        std::vector<float> kept(values + row * shape.n, values + (row + 1) * shape.n);
        std::fill_n(values + row * shape.n, shape.n, 0.0f);
        EXPECT_FALSE(data.check(values, dtype::f32).passed()) << row;
        std::copy(kept.begin(), kept.end(), values + row * shape.n);
    }
}

}  // namespace
}  // namespace kittens::bench
