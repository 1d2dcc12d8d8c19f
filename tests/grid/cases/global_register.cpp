// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

namespace grid {
namespace {

/// A grid of two tile columns and one workgroup more than one, copied through registers.
void copy_tiles(context& c, const std::string& kernel, dtype type, int m, int n, int subgroups) {
    tensor& in = c.input(type, 2 * m * subgroups, 2 * n);
    tensor& out = c.output(type, in.rows(), in.cols());
    in.fill_coded(c.seed());
    c.run(kernel, launch_of(2, 2, subgroups), {&in, &out});
    expect_bits("copy", out, [&](int i, int j) { return in.bits(i, j); });
}

const family movement("tile-global-register", [](std::vector<grid_case>& to) {
    for (const dtype t : {dtype::bf16, dtype::f16, dtype::f32})
        for (const char* l : {"row", "col"})
            for_cells([&](int h, int w, int subgroups) {
                const int m = 16 * h / subgroups, n = 16 * w;
                add(to, "tile-global-register", fmt::format("{}/{}/{}x{}/{}", name_of(t), l, 16 * h, n, subgroups), true,
                    [=, kernel = fmt::format("grid_global_register_{}_{}_{}x{}", name_of(t), l, m, n)](context& c) { copy_tiles(c, kernel, t, m, n, subgroups); });
            });
});

/// A smaller input gives zeros; a smaller output takes nothing.
void unequal(context& c, const std::string& kernel, dtype type, int m, int n, bool small_input) {
    const int less = 4 / size_of(type) * 5;
    tensor& in = small_input ? c.input(type, 2 * m - 7, 4 * n - less) : c.input(type, 2 * m, 4 * n);
    tensor& out = small_input ? c.output(type, 2 * m, 4 * n) : c.output(type, 2 * m - 7, 4 * n - less);
    in.fill_coded(c.seed());
    c.run(kernel, launch_of(4, 2, 1), {&in, &out});
    expect_bits("copy", out, [&](int i, int j) { return i < in.rows() && j < in.cols() ? in.bits(i, j) : 0U; });
}

const family zeros("edge-zeros", [](std::vector<grid_case>& to) {
    for (const dtype t : {dtype::bf16, dtype::f16, dtype::f32})
        for (const char* l : {"row", "col"})
            for (const auto& [m, n] : {std::pair(16, 16), std::pair(32, 48), std::pair(48, 32), std::pair(64, 64)})
                for (const bool small_input : {true, false})
                    add(to, "edge", fmt::format("{}/{}/{}/{}x{}", small_input ? "zeros-in" : "dropped-out", name_of(t), l, m, n), false,
                        [=, m = m, n = n, kernel = fmt::format("grid_global_register_{}_{}_{}x{}", name_of(t), l, m, n)](context& c) { unequal(c, kernel, t, m, n, small_input); });
});

}  // namespace
}  // namespace grid
