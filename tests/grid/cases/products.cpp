// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

namespace grid {
namespace {

constexpr const char* orientation_names[4] = {"AB", "ABt", "AtB", "AtBt"};

struct problem {
    dtype a, b;
    int m, n, k;  ///< of a tile
    int orientation, steps, subgroups;
};

/// Several tiles in both directions, and a step or two along K. A surface is at least 64 bytes wide.
void multiply(context& c, const problem& p) {
    const bool a_transposed = p.orientation >= 2, b_transposed = p.orientation % 2 == 1;
    const int across = size_of(p.b) == 1 ? 4 : 2, m = 2 * p.m * p.subgroups, n = across * p.n, k = p.k * p.steps;
    const dtype sum = accumulator_of(p.a);
    tensor& a = a_transposed ? c.input(p.a, k, m) : c.input(p.a, m, k);
    tensor& b = b_transposed ? c.input(p.b, n, k) : c.input(p.b, k, n);
    tensor& start = c.input(sum, m, n);
    tensor& out = c.output(sum, m, n);
    const bool integers = sum == dtype::i32;
    a.fill_uniform(c.seed(), integers ? (p.a == dtype::u8 ? 0 : -128) : -1, integers ? (p.a == dtype::u8 ? 255 : 127) : 1);
    b.fill_uniform(c.seed() + 1, integers ? (p.b == dtype::u8 ? 0 : -128) : -1, integers ? (p.b == dtype::u8 ? 255 : 127) : 1);
    start.fill_uniform(c.seed() + 2, integers ? -1000 : -1, integers ? 1000 : 1);

    globals g = launch_of(across, 2, p.subgroups);
    g.number[0] = p.orientation;
    g.number[1] = p.steps;
    c.run(fmt::format("grid_product_{}_{}_{}x{}x{}", name_of(p.a), name_of(p.b), p.m, p.n, p.k), g, {&a, &b, &start, &out});

    std::vector<double> av(std::size_t(m) * k), bv(std::size_t(k) * n);
    for (int i = 0; i < m; ++i)
        for (int l = 0; l < k; ++l) av[std::size_t(i) * k + l] = a_transposed ? a.value(l, i) : a.value(i, l);
    for (int l = 0; l < k; ++l)
        for (int j = 0; j < n; ++j) bv[std::size_t(l) * n + j] = b_transposed ? b.value(j, l) : b.value(l, j);
    expect_close("product", out, [&](int i, int j) {
        double value = start.value(i, j), magnitude = std::fabs(value);
        for (int l = 0; l < k; ++l) {
            const double term = av[std::size_t(i) * k + l] * bv[std::size_t(l) * n + j];
            value += term;
            magnitude += std::fabs(term);
        }
        // The products are exact in float; each of the k additions may round. Integers are exact.
        return wanted{value, integers ? 0 : ulps(k + 1) * magnitude};
    });
}

const family products("product", [](std::vector<grid_case>& to) {
    for (int orientation = 0; orientation < 4; ++orientation)
        for (int k = 16; k <= 64; k += 16)
            for_sizes([&](int m, int n) {
                const problem p{dtype::bf16, dtype::bf16, m, n, k, orientation, k == 16 ? 2 : 1 + (m + n + k) / 16 % 2, 1};
                add(to, "product", fmt::format("bf16/{}/{}x{}x{}", orientation_names[orientation], m, n, k), true, [=](context& c) { multiply(c, p); });
            });
    const std::pair<dtype, dtype> pairs[] = {
        {dtype::f16, dtype::f16}, {dtype::tf32, dtype::tf32}, {dtype::i8, dtype::i8}, {dtype::i8, dtype::u8}, {dtype::u8, dtype::i8}, {dtype::u8, dtype::u8},
        {dtype::e4m3, dtype::e4m3}, {dtype::e4m3, dtype::e5m2}, {dtype::e5m2, dtype::e4m3}, {dtype::e5m2, dtype::e5m2}};
    constexpr int sizes[][3] = {{16, 16, 32}, {32, 32, 32}, {16, 48, 64}};
    for (const auto& [a, b] : pairs)
        for (int orientation = 0; orientation < 4; ++orientation)
            for (const auto& s : sizes) {
                const problem p{a, b, s[0], s[1], s[2], orientation, 2, 2};
                add(to, "product", fmt::format("{}x{}/{}/{}x{}x{}", name_of(a), name_of(b), orientation_names[orientation], s[0], s[1], s[2]), false, [=](context& c) { multiply(c, p); });
            }
});

}  // namespace
}  // namespace grid
