// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

namespace grid {
namespace {

void copy_tiles(context& c, dtype type, int m, int n, int subgroups) {
    tensor &in1 = c.input(type, 2 * m, 2 * n), &in2 = c.input(type, 2 * m, 2 * n);
    tensor &out1 = c.output(type, 2 * m, 2 * n), &out2 = c.output(type, 2 * m, 2 * n);
    in1.fill_coded(c.seed());
    in2.fill_coded(c.seed() + 1);
    c.run(fmt::format("grid_global_shared_{}_{}x{}", name_of(type), m, n), launch_of(2, 2, subgroups), {&in1, &in2, &out1, &out2});
    expect_bits("loaded together, stored by one", out1, [&](int i, int j) { return in1.bits(i, j); });
    expect_bits("loaded by one, stored together", out2, [&](int i, int j) { return in2.bits(i, j); });
}

const family tiles("tile-global-shared", [](std::vector<grid_case>& to) {
    for (const dtype t : {dtype::bf16, dtype::f16, dtype::f32})
        for_cells([&](int h, int w, int subgroups) {
            add(to, "tile-global-shared", fmt::format("{}/{}x{}/{}", name_of(t), 16 * h, 16 * w, subgroups), true,
                [=](context& c) { copy_tiles(c, t, 16 * h, 16 * w, subgroups); });
        });
});

/// Smaller inputs give zeros; smaller outputs take nothing. Shared by all subgroups, and by one.
void unequal(context& c, dtype type, int m, int n, int subgroups, bool small_input) {
    const int less = 4 / size_of(type) * 5, few_m = 2 * m - 7, few_n = 2 * n - less;
    const auto make = [&](bool input) -> tensor& {
        const bool small = input == small_input;
        return input ? c.input(type, small ? few_m : 2 * m, small ? few_n : 2 * n) : c.output(type, small ? few_m : 2 * m, small ? few_n : 2 * n);
    };
    tensor &in1 = make(true), &in2 = make(true), &out1 = make(false), &out2 = make(false);
    in1.fill_coded(c.seed());
    in2.fill_coded(c.seed() + 1);
    c.run(fmt::format("grid_global_shared_{}_{}x{}", name_of(type), m, n), launch_of(2, 2, subgroups), {&in1, &in2, &out1, &out2});
    const auto expected = [](const tensor& in) {
        return [&in](int i, int j) { return i < in.rows() && j < in.cols() ? in.bits(i, j) : 0U; };
    };
    expect_bits("loaded together, stored by one", out1, expected(in1));
    expect_bits("loaded by one, stored together", out2, expected(in2));
}

const family edges("edge-shared", [](std::vector<grid_case>& to) {
    for (const dtype t : {dtype::bf16, dtype::f16, dtype::f32})
        for (const auto& [m, n] : {std::pair(16, 32), std::pair(48, 16), std::pair(64, 64)})
            for (const int subgroups : {1, 4})
                for (const bool small_input : {true, false})
                    add(to, "edge", fmt::format("shared-{}/{}/{}x{}/{}", small_input ? "zeros-in" : "dropped-out", name_of(t), m, n, subgroups), false,
                        [=, m = m, n = n](context& c) { unequal(c, t, m, n, subgroups, small_input); });
});

}  // namespace
}  // namespace grid
