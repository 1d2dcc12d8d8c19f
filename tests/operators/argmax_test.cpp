// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <operators/argmax_operation.hpp>

#include <limits>

namespace operator_tests {
namespace {

using tool::argmax_problem;
using tool::argmax_shape;

constexpr float infinity = std::numeric_limits<float>::infinity();

argmax_problem problem(const argmax_shape& s) { return {s, "test", bench::cache_state::warm}; }

TEST(argmax, widths) {
    for (const device& d : all_devices())
        for (const int cols : {1, 7, 512, 1000, 9000}) {
            run_and_check(d, problem({.rows = 3, .cols = cols}));
            run_and_check(d, problem({.type = dtype::f16, .rows = 2, .cols = cols}));
        }
}

// 16-bit elements repeat in long rows: here half of them are one of three values, zeros of both signs among them.
TEST(argmax, the_first_among_equals) {
    std::mt19937_64 random(seed());
    for (const device& d : all_devices())
        for (int i = 0; i < 6; ++i)
            run_and_check(d, problem({.rows = 4, .cols = 2000}), [&](const tensors& t) {
                const float values[] = {-1.0f, 0.0f, -0.0f};
                for (int j = 0; j < 4 * 2000; ++j) static_cast<bf16*>(t["x"])[j] = bf16(values[random() % 3]);
            });
}

TEST(argmax, infinities_and_not_a_number) {
    std::mt19937_64 random(seed());
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const device& d : all_devices())
        for (const float value : {nan, -nan, infinity})
            for (const int cols : {5, 700, 3000})
                run_and_check(d, problem({.rows = 3, .cols = cols}), [&](const tensors& t) {
                    auto* x = static_cast<bf16*>(t["x"]);
                    for (int k = 0; k < 3; ++k) x[random() % static_cast<unsigned>(3 * cols)] = bf16(value);
                    x[cols + static_cast<int>(random() % static_cast<unsigned>(cols))] = bf16(infinity);
                });
    for (const device& d : all_devices())
        for (const int cols : {5, 3000}) {
            const tensors t = run_and_check(d, problem({.rows = 1, .cols = cols}), [cols](const tensors& in) {
                for (int j = 0; j < cols; ++j) static_cast<bf16*>(in["x"])[j] = bf16(-infinity);
            });
            EXPECT_EQ(*static_cast<std::int32_t*>(t["out"]), 0);
        }
}

TEST(argmax, a_vocabulary) {
    for (const device& d : all_devices(false)) run_and_check(d, problem({.rows = 3, .cols = 128256}));
}

}  // namespace
}  // namespace operator_tests
