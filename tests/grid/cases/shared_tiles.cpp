// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

namespace grid {
namespace {

constexpr const char* ops[] = {"copy", "square", "row_sum", "row_max", "col_sum", "col_min"};

void work(context& c, int m, int n, int subgroups, int op) {
    constexpr dtype type = dtype::bf16;
    tensor& in = c.input(type, 2 * m, 2 * n);
    tensor& tiles = c.output(type, 2 * m, 2 * n);
    tensor& vectors = op < 4 ? c.output(type, 2, 2 * m) : c.output(type, 2 * subgroups, 2 * n);
    in.fill_uniform(c.seed(), -4, 4);
    globals g = launch_of(2, 2, subgroups);
    g.number[0] = op;
    c.run(fmt::format("grid_shared_tile_bf16_{}x{}", m, n), g, {&in, &tiles, &vectors});
    if (op == 0) return expect_bits("copy", tiles, [&](int i, int j) { return in.bits(i, j); });
    if (op == 1)
        return expect_close("square", tiles, [&](int i, int j) {
            const double x = in.value(i, j);
            return wanted{x * x, rounding(type, x * x)};
        });
    const int band = m / subgroups;
    expect_close(ops[op], vectors, [&](int a, int b) -> wanted {
        // Rows of `vectors`: tile columns, or bands of rows of the tiles.
        const int count = op < 4 ? n : band;
        double value = 0, magnitude = 0;
        for (int k = 0; k < count; ++k) {
            const double x = op < 4 ? in.value(b, a * n + k) : in.value(a * band + k, b);
            magnitude += std::fabs(x);
            value = k == 0 ? x : op == 3 ? std::max(value, x) : op == 5 ? std::min(value, x) : value + x;
        }
        return {value, op == 2 || op == 4 ? ulps(count) * magnitude + rounding(type, std::fabs(value) + ulps(count) * magnitude) : 0};
    });
}

const family tiles("shared-tile", [](std::vector<grid_case>& to) {
    for (int op = 0; op < 6; ++op)
        for_cells([&](int h, int w, int subgroups) {
            add(to, "shared-tile", fmt::format("{}/bf16/{}x{}/{}", ops[op], 16 * h, 16 * w, subgroups), false, [=](context& c) { work(c, 16 * h, 16 * w, subgroups, op); });
        });
});

}  // namespace
}  // namespace grid
