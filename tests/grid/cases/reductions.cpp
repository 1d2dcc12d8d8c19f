// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

#include <tuple>

namespace grid {
namespace {

enum op { normalise_rows, normalise_cols, broadcast_rows, broadcast_cols, row_max, row_min, row_prod, col_max, col_min, col_prod, row_sum_onto, col_sum_onto, total_sum, total_max };
constexpr const char* names[] = {"normalize_row", "normalize_col", "broadcast_row", "broadcast_col", "row_max", "row_min", "row_prod",
                                 "col_max", "col_min", "col_prod", "row_sum_onto", "col_sum_onto", "sum", "max"};

struct what {
    dtype type;
    int m, n, op;
    bool along_rows() const { return op == normalise_rows || op == broadcast_rows || (op >= row_max && op <= row_prod) || op == row_sum_onto; }
};

/// Reduces the `count` values f(0), f(1), ... exactly, with a bound of what rounding may make of it.
template <class F> wanted reduced(const what& w, int count, double start, F f) {
    double value = 0, magnitude = 0;
    switch (w.op) {
        case row_max: case col_max: case total_max:
            value = f(0);
            for (int i = 1; i < count; ++i) value = std::max(value, f(i));
            return {value, 0};
        case row_min: case col_min:
            value = f(0);
            for (int i = 1; i < count; ++i) value = std::min(value, f(i));
            return {value, 0};
        case row_prod: case col_prod:
            value = 1;
            for (int i = 0; i < count; ++i) value *= f(i);
            magnitude = std::fabs(value);
            break;
        default:
            for (int i = 0; i < count; ++i) value += f(i), magnitude += std::fabs(f(i));
    }
    // The sum is rounded to the element type before the start is added, and again after.
    double bound = ulps(count) * magnitude + rounding(w.type, std::fabs(value) * (1 + ulps(count)));
    if (w.op == row_sum_onto || w.op == col_sum_onto) {
        value += start;
        bound += rounding(w.type, std::fabs(value) + bound);
    }
    return {value, bound};
}

void reduce(context& c, const std::string& kernel, const what& w) {
    const int rows = 2 * w.m, cols = 2 * w.n;
    tensor& in = c.input(w.type, rows, cols);
    tensor& per_row = c.output(w.type, 2, rows);
    tensor& per_col = c.output(w.type, 2, cols);
    tensor& tiles = c.output(w.type, rows, cols);
    tensor& start = c.input(w.type, 2, std::max(rows, cols));
    // Products stay near one, quotients are well conditioned, and extremes are anywhere.
    if (w.op == row_prod || w.op == col_prod) in.fill_uniform(c.seed(), 0.8f, 1.2f);
    else if (w.op == normalise_rows || w.op == normalise_cols) in.fill_uniform(c.seed(), 0.5f, 1.5f);
    else in.fill_uniform(c.seed(), -8, 8);
    start.fill_uniform(c.seed() + 1, -8, 8);
    globals g = launch_of(2, 2, 1);
    g.number[0] = w.op;
    c.run(kernel, g, {&in, &per_row, &per_col, &tiles, &start});

    // Result (tile row, tile column, index in the tile), as the kernel lays them out.
    const auto of_row = [&](int tile, int i) {  // row i of the whole, tile column `tile`
        return reduced(w, w.n, start.value(tile, i), [&](int j) { return in.value(i, tile * w.n + j); });
    };
    const auto of_col = [&](int tile, int j) {
        return reduced(w, w.m, start.value(tile, j), [&](int i) { return in.value(tile * w.m + i, j); });
    };
    switch (w.op) {
        case broadcast_rows:
            return expect_bits("broadcast", tiles, [&](int i, int j) { return start.bits(j / w.n, i); });
        case broadcast_cols:
            return expect_bits("broadcast", tiles, [&](int i, int j) { return start.bits(i / w.m, j); });
        case total_sum: case total_max:
            return expect_close("total", per_row, [&](int tile, int i) {
                const int first = i / w.m * w.m;
                return reduced(w, w.m * w.n, 0, [&](int e) { return in.value(first + e / w.n, tile * w.n + e % w.n); });
            });
        default: break;
    }
    if (w.along_rows()) expect_close("row result", per_row, of_row);
    else expect_close("column result", per_col, of_col);
    if (w.op == normalise_rows || w.op == normalise_cols)
        // Against the sum that the kernel found, which was just checked.
        expect_close("quotient", tiles, [&](int i, int j) {
            const double sum = w.op == normalise_rows ? per_row.value(j / w.n, i) : per_col.value(i / w.m, j), q = in.value(i, j) / sum;
            return wanted{q, q * ulps(8) + rounding(w.type, q * (1 + ulps(8)))};
        });
}

void reduce_bytes(context& c, dtype type, const char* l, int m, int n, int op) {
    tensor& in = c.input(type, 2 * m, 2 * n);
    tensor& rows = c.output(dtype::i32, 2, 2 * m);
    tensor& cols = c.output(dtype::i32, 2, 2 * n);
    in.fill_coded(c.seed());
    globals g = launch_of(2, 2, 1);
    g.number[0] = op;
    c.run(fmt::format("grid_byte_reduction_{}_{}_{}x{}", name_of(type), l, m, n), g, {&in, &rows, &cols});
    expect_close("reduction", op < 2 ? rows : cols, [&](int tile, int i) {
        double value = op % 2 ? -1000 : 0;
        for (int k = 0; k < (op < 2 ? n : m); ++k) {
            const double x = op < 2 ? in.value(i, tile * n + k) : in.value(tile * m + k, i);
            value = op % 2 ? std::max(value, x) : value + x;
        }
        return wanted{value, 0};
    });
}

const family reductions("register-reduction", [](std::vector<grid_case>& to) {
    for (const char* l : {"row", "col"})
        for_sizes([&](int m, int n) {
            for (int op = 0; op <= total_max; ++op)
                add(to, "register-reduction", fmt::format("{}/bf16/{}/{}x{}", names[op], l, m, n), op < 4,
                    [=, kernel = fmt::format("grid_reduction_bf16_{}_{}x{}", l, m, n)](context& c) { reduce(c, kernel, {dtype::bf16, m, n, op}); });
        });
    constexpr const char* byte_ops[] = {"row_sum", "row_max", "col_sum", "col_max"};
    for (const auto& [type, l, m, n] : {std::tuple(dtype::i8, "row", 16, 32), {dtype::u8, "row", 32, 64}, {dtype::i8, "col", 32, 32}})
        for (int op = 0; op < 4; ++op)
            add(to, "register-reduction", fmt::format("{}/{}-int32/{}/{}x{}", byte_ops[op], name_of(type), l, m, n), false,
                [=, type = type, l = l, m = m, n = n](context& c) { reduce_bytes(c, type, l, m, n, op); });
    struct other {
        dtype type;
        const char* l;
        int m, n;
    };
    for (const other& o : {other{dtype::f32, "row", 8, 16}, {dtype::bf16, "row", 8, 32}, {dtype::f16, "row", 24, 48}, {dtype::f32, "row", 32, 32},
                           {dtype::f32, "col", 32, 32}, {dtype::f32, "row", 16, 256}, {dtype::f16, "col", 32, 48}})
        for (int op = 0; op <= total_max; ++op)
            add(to, "register-reduction", fmt::format("{}/{}/{}/{}x{}", names[op], name_of(o.type), o.l, o.m, o.n), false,
                [=, kernel = fmt::format("grid_reduction_{}_{}_{}x{}", name_of(o.type), o.l, o.m, o.n)](context& c) { reduce(c, kernel, {o.type, o.m, o.n, op}); });
});

}  // namespace
}  // namespace grid
