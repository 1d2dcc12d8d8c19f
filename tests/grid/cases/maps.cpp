// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

namespace grid {
namespace {

void exponential(context& c, const std::string& kernel, int m, int n) {
    tensor& in = c.input(dtype::bf16, 2 * m, 2 * n);
    tensor& out = c.output(dtype::bf16, 2 * m, 2 * n);
    in.fill_uniform(c.seed(), -4, 4);
    c.run(kernel, launch_of(2, 2, 1), {&in, &out});
    expect_close("exp", out, [&](int i, int j) {
        const double e = std::exp(in.value(i, j));
        // exp2 of a product that was rounded: its argument is off by up to 6 units of 2^-24.
        return wanted{e, e * ulps(16) + rounding(dtype::bf16, e * (1 + ulps(16)))};
    });
}

struct mask {
    const char* name;
    int op;
    bool (*keeps)(int i, int j, int n, int n2);
};
constexpr mask masks[] = {
    {"tril", 1, [](int i, int j, int n, int) { return j <= i + n; }},
    {"triu", 2, [](int i, int j, int n, int) { return j >= i + n; }},
    {"left_fill", 3, [](int, int j, int n, int) { return j >= n; }},
    {"right_fill", 4, [](int, int j, int n, int) { return j < n; }},
    {"upper_fill", 5, [](int i, int, int n, int) { return i >= n; }},
    {"lower_fill", 6, [](int i, int, int n, int) { return i < n; }},
    {"upper_right_fill", 7, [](int i, int j, int n, int n2) { return !(i < n && j >= n2); }},
};

/// At the corner, at every kind of border, beyond both ends, and somewhere.
void masked(context& c, const std::string& kernel, const mask& f, int m, int n) {
    tensor& in = c.input(dtype::bf16, 2 * m, 2 * n);
    in.fill_coded(c.seed(), true);
    const int middle = 1 + static_cast<int>(c.random(static_cast<unsigned>(std::min(m, n) - 2)));
    for (const int position : {0, 1, -1, 8, 16, middle, -middle, n, m, -m, -n, 1000, -1000}) {
        tensor& out = c.output(dtype::bf16, 2 * m, 2 * n);
        globals g = launch_of(2, 2, 1);
        g.number[0] = f.op;
        g.number[1] = position;
        g.number[2] = n / 2;
        g.scalar = -0.75f;
        c.run(kernel, g, {&in, &out});
        expect_bits(fmt::format("{} at {}", f.name, position).c_str(), out, [&](int i, int j) {
            return f.keeps(i % m, j % n, position, n / 2) ? in.bits(i, j) : encode(dtype::bf16, g.scalar);
        });
    }
}

const family maps("register-map", [](std::vector<grid_case>& to) {
    for (const char* l : {"row", "col"})
        for_sizes([&](int m, int n) {
            const std::string kernel = fmt::format("grid_map_bf16_{}_{}x{}", l, m, n);
            add(to, "register-map", fmt::format("exp/bf16/{}/{}x{}", l, m, n), true, [=](context& c) { exponential(c, kernel, m, n); });
            for (const mask& f : masks)
                add(to, "register-map", fmt::format("{}/bf16/{}/{}x{}", f.name, l, m, n), m == n && f.op < 7, [=, &f](context& c) { masked(c, kernel, f, m, n); });
        });
});

}  // namespace
}  // namespace grid
