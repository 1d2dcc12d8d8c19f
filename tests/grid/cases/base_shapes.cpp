// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

namespace grid {
namespace {

struct shape {
    dtype type;
    const char* layout;
    int rows, cols;
};

enum way { block, plain, transposed, transform, transposed_plain };

/// `rows_less` and `cols_less`: how much the tensors lack to whole tiles.
void move(context& c, const shape& s, way how, int rows_less, int cols_less) {
    // A surface is at least 64 bytes wide.
    const int down = s.rows == 8 ? 8 : 4, across = 4;
    const int m = 2 * s.rows * down - rows_less, n = 2 * s.cols * across - cols_less;
    tensor& in = how == transposed ? c.input(s.type, n, m) : c.input(s.type, m, n);
    tensor& out = c.output(s.type, m, n);
    tensor& again = c.output(s.type, m, n);
    in.fill_coded(c.seed());
    globals g = launch_of(across, down, 1);
    g.number[0] = how;
    c.run(fmt::format("grid_base_{}_{}_{}x{}", name_of(s.type), s.layout, s.rows, s.cols), g, {&in, &out, &again});
    expect_bits("copy", out, [&](int i, int j) { return how == transposed ? in.bits(j, i) : in.bits(i, j); });
    // Bytes in 16 columns have no row-layout tile to be packed from.
    if (how == transform && !(size_of(s.type) == 1 && s.cols == 16)) expect_bits("load and swap_layout", again, [&](int i, int j) { return in.bits(i, j); });
}

/// The input ends inside tiles that are stored whole: zeros come in, and what lies beyond it (NaN, guard) does not.
void zeros_in(context& c, const shape& s, way how, int rows_less, int cols_less) {
    const int down = s.rows == 8 ? 8 : 4, across = 4;
    const int m = 2 * s.rows * down, n = 2 * s.cols * across;
    const bool turned = how == transposed || how == transposed_plain;
    tensor& in = turned ? c.input(s.type, n - cols_less, m - rows_less) : c.input(s.type, m - rows_less, n - cols_less);
    tensor& out = c.output(s.type, m, n);
    in.fill_coded(c.seed());
    globals g = launch_of(across, down, 1);
    g.number[0] = how;
    c.run(fmt::format("grid_base_{}_{}_{}x{}", name_of(s.type), s.layout, s.rows, s.cols), g, {&in, &out});
    expect_bits("copy", out, [&](int i, int j) { return i >= m - rows_less || j >= n - cols_less ? 0U : turned ? in.bits(j, i) : in.bits(i, j); });
}

std::vector<shape> shapes() {
    std::vector<shape> list;
    for (const dtype t : {dtype::bf16, dtype::f32})
        for (const char* l : {"row", "col"})
            for (const int r : {8, 16, 32})
                for (const int c : {16, 32})
                    if (r > 8 || l[0] == 'r') list.push_back({t, l, r, c});
    list.insert(list.end(), {{dtype::f16, "row", 8, 16}, {dtype::f16, "row", 16, 32}, {dtype::f16, "col", 32, 16}, {dtype::f16, "col", 16, 32},
                             {dtype::tf32, "row", 8, 16}, {dtype::tf32, "col", 16, 16}, {dtype::i32, "row", 16, 32},
                             {dtype::i8, "row", 8, 32}, {dtype::i8, "row", 16, 32}, {dtype::i8, "row", 32, 32}, {dtype::i8, "col", 32, 16}, {dtype::i8, "col", 32, 32},
                             {dtype::u8, "row", 16, 32}, {dtype::u8, "col", 32, 16}, {dtype::e4m3, "row", 16, 32}, {dtype::e5m2, "col", 32, 32}});
    return list;
}

const family base_shapes("base-shape", [](std::vector<grid_case>& to) {
    for (const shape& s : shapes()) {
        const int word = 4 / size_of(s.type);  // a row of a block surface is a multiple of four bytes
        const auto named = [&](const char* what) { return fmt::format("{}/{}/{}/{}x{}", what, name_of(s.type), s.layout, s.rows, s.cols); };
        add(to, "base-shape", named("load-store"), false, [=](context& c) { move(c, s, block, 0, 0); });
        add(to, "base-shape", named("plain"), false, [=](context& c) { move(c, s, plain, 0, 0); });
        add(to, "base-shape", named("load_transpose"), false, [=](context& c) { move(c, s, transposed, 0, 0); });
        if (s.layout[0] == 'c' && size_of(s.type) <= 2) {
            add(to, "load-transform", named("load_transform"), false, [=](context& c) { move(c, s, transform, 0, 0); });
            add(to, "load-transform", named("edge"), false, [=](context& c) { move(c, s, transform, 5, 3 * word); });
        }
        add(to, "edge", named("load-store"), false, [=](context& c) { move(c, s, block, 5, 3 * word); });
        add(to, "edge", named("last-row"), false, [=](context& c) { move(c, s, block, 2 * s.rows - 1, 0); });
        add(to, "edge", named("load_transpose"), false, [=](context& c) { move(c, s, transposed, 3 * word, 5 * word); });
        add(to, "edge", named("plain"), false, [=](context& c) { move(c, s, plain, 3, 7); });
        // Stored as cut as it was loaded, a tile does not show what came from outside: whole ones do.
        add(to, "edge", named("plain-zeros-in"), false, [=](context& c) { zeros_in(c, s, plain, 3, 7); });
        add(to, "edge", named("load_transpose-zeros-in"), false, [=](context& c) { zeros_in(c, s, transposed, 3 * word, 5 * word); });
        add(to, "edge", named("load_transpose-plain-zeros-in"), false, [=](context& c) { zeros_in(c, s, transposed_plain, 3, 7); });
    }
});

}  // namespace
}  // namespace grid
