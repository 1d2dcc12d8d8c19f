// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

namespace grid {
namespace {

void change_layout(context& c, int m, int n, int op) {
    const bool transposed = op >= 2;
    tensor& in = c.input(dtype::bf16, 2 * m, 2 * n);
    tensor& out = transposed ? c.output(dtype::bf16, 2 * n, 2 * m) : c.output(dtype::bf16, 2 * m, 2 * n);
    in.fill_coded(c.seed());
    globals g = launch_of(2, 2, 1);
    g.number[0] = op;
    c.run(fmt::format("grid_layout_change_bf16_{}x{}", m, n), g, {&in, &out});
    expect_bits(transposed ? "transpose" : "swap_layout", out, [&](int i, int j) { return transposed ? in.bits(j, i) : in.bits(i, j); });
}

constexpr std::pair<dtype, dtype> pairs[] = {{dtype::f32, dtype::bf16}, {dtype::bf16, dtype::f32}, {dtype::f32, dtype::f16},
                                             {dtype::f16, dtype::f32}, {dtype::bf16, dtype::f16}, {dtype::f16, dtype::bf16}};

void convert_type(context& c, int m, int n, int pair) {
    const auto [from, to] = pairs[pair];
    tensor& in = c.input(from, 2 * m, 2 * n);
    tensor& out = c.output(to, 2 * m, 2 * n);
    fill_for_conversion(in, to, c.seed());
    globals g = launch_of(2, 2, 1);
    g.number[0] = pair;
    c.run(fmt::format("grid_float_conversion_{}x{}", m, n), g, {&in, &out});
    expect_bits("conversion", out, [&](int i, int j) { return nearest(to, in.value(i, j)); });
}

void exchange_blocks(context& c, const std::string& kernel, int m, int n) {
    tensor& in = c.input(dtype::bf16, 2 * m, 2 * n);
    tensor& out = c.output(dtype::bf16, 2 * m, 2 * n);
    in.fill_coded(c.seed());
    c.run(kernel, launch_of(2, 2, 1), {&in, &out});
    expect_bits("subtile and insert", out, [&](int i, int j) {
        const int ti = i / m * m, tj = j / n * n, bi = m / 16 - 1 - (i - ti) / 16, bj = n / 16 - 1 - (j - tj) / 16;
        return in.bits(ti + bi * 16 + i % 16, tj + bj * 16 + j % 16);
    });
}

const family conversions("register-conversion", [](std::vector<grid_case>& to) {
    constexpr const char* name = "register-conversion";
    constexpr const char* changes[] = {"swap_layout/row-col", "swap_layout/col-row", "transpose/row-row", "transpose/col-col", "transpose/row-col", "transpose/col-row"};
    for_sizes([&](int m, int n) {
        for (int op = 0; op < 6; ++op)
            add(to, name, fmt::format("{}/bf16/{}x{}", changes[op], m, n), false, [=](context& c) { change_layout(c, m, n, op); });
        for (int pair = 0; pair < 6; ++pair)
            add(to, name, fmt::format("copy/{}-{}/{}x{}", name_of(pairs[pair].first), name_of(pairs[pair].second), m, n), false, [=](context& c) { convert_type(c, m, n, pair); });
        for (const char* l : {"row", "col"})
            add(to, name, fmt::format("subtile/bf16/{}/{}x{}", l, m, n), false,
                [=, kernel = fmt::format("grid_block_exchange_bf16_{}_{}x{}", l, m, n)](context& c) { exchange_blocks(c, kernel, m, n); });
    });
});

}  // namespace
}  // namespace grid
