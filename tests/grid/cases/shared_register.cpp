// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

namespace grid {
namespace {

void copy_tiles(context& c, const std::string& kernel, dtype type, int rows, int n, int subgroups) {
    tensor& in = c.input(type, 2 * rows, 2 * n);
    tensor &out1 = c.output(type, 2 * rows, 2 * n), &out2 = c.output(type, 2 * rows, 2 * n);
    in.fill_coded(c.seed());
    c.run(kernel, launch_of(2, 2, subgroups), {&in, &out1, &out2});
    expect_bits("shared memory to registers", out1, [&](int i, int j) { return in.bits(i, j); });
    expect_bits("registers to shared memory", out2, [&](int i, int j) { return in.bits(i, j); });
}

const family tiles("tile-shared-register", [](std::vector<grid_case>& to) {
    for (const dtype t : {dtype::bf16, dtype::f16, dtype::f32})
        for (const char* l : {"row", "col"})
            for_cells([&](int h, int w, int subgroups) {
                add(to, "tile-shared-register", fmt::format("{}/{}/{}x{}/{}", name_of(t), l, 16 * h, 16 * w, subgroups), true,
                    [=, kernel = fmt::format("grid_shared_register_{}_{}_{}x{}", name_of(t), l, 16 * h / subgroups, 16 * w)](context& c) {
                        copy_tiles(c, kernel, t, 16 * h, 16 * w, subgroups);
                    });
            });
});

}  // namespace
}  // namespace grid
