// SPDX-License-Identifier: Apache-2.0
#include <bench/statistics.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace kittens::bench {
namespace {

TEST(statistics, quartiles_interpolate) {
    const summary odd = summarise({5, 1, 3, 2, 4});
    EXPECT_DOUBLE_EQ(odd.q1, 2);
    EXPECT_DOUBLE_EQ(odd.median, 3);
    EXPECT_DOUBLE_EQ(odd.q3, 4);
    const summary even = summarise({4, 1, 3, 2});
    EXPECT_DOUBLE_EQ(even.q1, 1.75);
    EXPECT_DOUBLE_EQ(even.median, 2.5);
    EXPECT_DOUBLE_EQ(even.q3, 3.25);
    const summary one = summarise({7});
    EXPECT_DOUBLE_EQ(one.q1, 7);
    EXPECT_DOUBLE_EQ(one.q3, 7);
}

TEST(statistics, nothing_has_no_summary) {
    EXPECT_TRUE(std::isnan(summarise({}).median));
    EXPECT_TRUE(std::isnan(geometric_mean({})));
}

TEST(statistics, a_few_wild_samples_do_not_move_the_median) {
    std::vector<double> samples(30, 1.0);
    samples[3] = 1000;
    samples[17] = 0.001;
    EXPECT_DOUBLE_EQ(summarise(samples).median, 1.0);
}

TEST(statistics, ratios_are_paired) {
    const std::vector<double> a{2, 9}, b{1, 3};
    EXPECT_EQ(ratios(a, b), (std::vector<double>{2, 3}));
    EXPECT_THROW(ratios(a, std::vector<double>{1}), std::invalid_argument);
}

TEST(statistics, geometric_mean) {
    EXPECT_NEAR(geometric_mean(std::vector<double>{0.5, 2}), 1.0, 1e-15);
    EXPECT_NEAR(geometric_mean(std::vector<double>{1, 8, 27}), 6.0, 1e-12);
}

}  // namespace
}  // namespace kittens::bench
