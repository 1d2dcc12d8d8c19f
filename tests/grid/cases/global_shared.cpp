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

}  // namespace
}  // namespace grid
