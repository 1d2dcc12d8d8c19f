// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

namespace grid {
namespace {

/// What the kernels number.
struct function {
    const char* name;
    int op;
    bool binary, floats_only;
    float lo, hi;  ///< of the operands
    double (*value)(double x, double y);
    /// What the function may be off by, beside rounding to the element type: units of 2^-24, of its value and in all.
    double relative, absolute;
};
double relu(double x, double) { return std::max(x, 0.0); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// The native functions are good to a few units in the last place; an exponential of a rounded argument x, to |x| more.
constexpr function functions[] = {
    {"add", 0, true, false, -60, 60, [](double x, double y) { return x + y; }, 1, 0},
    {"sub", 1, true, false, -60, 60, [](double x, double y) { return x - y; }, 1, 0},
    {"mul", 2, true, false, -8, 8, [](double x, double y) { return x * y; }, 1, 0},
    {"max", 3, true, false, -60, 60, [](double x, double y) { return std::max(x, y); }, 0, 0},
    {"min", 4, true, false, -60, 60, [](double x, double y) { return std::min(x, y); }, 0, 0},
    {"abs", 5, false, false, -100, 100, [](double x, double) { return std::fabs(x); }, 0, 0},
    {"neg", 6, false, false, -100, 100, [](double x, double) { return -x; }, 0, 0},
    {"relu", 7, false, false, -100, 100, relu, 0, 0},
    {"zero", 8, false, false, -100, 100, [](double, double) { return 0.0; }, 0, 0},
    {"one", 9, false, false, -100, 100, [](double, double) { return 1.0; }, 0, 0},
    {"div", 11, true, true, 0.5, 4, [](double x, double y) { return x / y; }, 8, 0},
    {"exp2", 12, false, true, -6, 6, [](double x, double) { return std::exp2(x); }, 8, 0},
    {"log", 13, false, true, 0.1f, 20, [](double x, double) { return std::log(x); }, 16, 16},
    {"log2", 14, false, true, 0.1f, 20, [](double x, double) { return std::log2(x); }, 16, 16},
    {"sqrt", 15, false, true, 0, 20, [](double x, double) { return std::sqrt(x); }, 8, 0},
    {"rsqrt", 16, false, true, 0.1f, 20, [](double x, double) { return 1 / std::sqrt(x); }, 8, 0},
    {"recip", 17, false, true, 0.1f, 20, [](double x, double) { return 1 / x; }, 8, 0},
    {"sigmoid", 18, false, true, -6, 6, [](double x, double) { return sigmoid(x); }, 40, 0},
    {"silu", 19, false, true, -6, 6, [](double x, double) { return x * sigmoid(x); }, 48, 0},
    {"tanh", 20, false, true, -4, 4, [](double x, double) { return std::tanh(x); }, 16, 48},
    {"gelu", 21, false, true, -4, 4, [](double x, double) { return 0.5 * x * (1 + std::tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x))); }, 32, 256},
    {"pos_infty", 22, false, true, -1, 1, [](double, double) { return double(INFINITY); }, 0, 0},
    {"neg_infty", 23, false, true, -1, 1, [](double, double) { return double(-INFINITY); }, 0, 0},
};
constexpr const char* operands[] = {"tile", "scalar", "per-row", "per-col"};

struct shape {
    dtype type;
    const char* layout;
    int m, n;
};

void work(context& c, const shape& s, const function& f, int operand) {
    tensor& a = c.input(s.type, 2 * s.m, 2 * s.n);
    tensor& b = c.input(s.type, 2 * s.m, 2 * s.n);
    tensor& vectors = c.input(s.type, 2, 2 * std::max(s.m, s.n));
    tensor& out = c.output(s.type, 2 * s.m, 2 * s.n);
    a.fill_uniform(c.seed(), f.lo, f.hi);
    b.fill_uniform(c.seed() + 1, f.lo, f.hi);
    vectors.fill_uniform(c.seed() + 2, f.lo, f.hi);
    globals g = launch_of(2, 2, 1);
    g.number[0] = f.op;
    g.number[1] = operand;
    const bool integers = s.type == dtype::i8 || s.type == dtype::i32;
    g.scalar = integers ? 3 : 1.25f;
    c.run(fmt::format("grid_elementwise_{}_{}_{}x{}", name_of(s.type), s.layout, s.m, s.n), g, {&a, &b, &vectors, &out});
    expect_close(f.name, out, [&](int i, int j) -> wanted {
        const double y = operand == 0 ? b.value(i, j) : operand == 1 ? g.scalar : operand == 2 ? vectors.value(0, i) : vectors.value(1, j);
        const double v = f.value(a.value(i, j), y);
        if (integers) return {decode(s.type, nearest(s.type, v)), 0};
        const double off = f.relative * ulps(1) * std::fabs(v) + f.absolute * ulps(1);
        return {v, off + rounding(s.type, std::fabs(v) + off)};
    });
}

void apply_indexed(context& c, const shape& s) {
    tensor& a = c.input(s.type, 2 * s.m, 2 * s.n);
    tensor& b = c.input(s.type, 2 * s.m, 2 * s.n);
    tensor& vectors = c.input(s.type, 2, 2 * std::max(s.m, s.n));
    tensor& out = c.output(s.type, 2 * s.m, 2 * s.n);
    for (tensor* t : {&a, &b, &vectors}) t->fill_uniform(c.seed(), -100, 100);
    globals g = launch_of(2, 2, 1);
    g.number[0] = 10;
    c.run(fmt::format("grid_elementwise_{}_{}_{}x{}", name_of(s.type), s.layout, s.m, s.n), g, {&a, &b, &vectors, &out});
    expect_close("apply", out, [&](int i, int j) -> wanted {
        // In float and in this order, as the kernel does it: next to a few units, the last bits of a tiny element are lost.
        const float v = static_cast<float>(b.value(i, j)) + static_cast<float>(i % s.m % 8) - static_cast<float>(j % s.n % 8);
        return {decode(s.type, nearest(s.type, v)), s.type == dtype::f32 ? ulps(4) * 128 : 0};
    });
}

const family elementwise("elementwise", [](std::vector<grid_case>& to) {
    constexpr shape shapes[] = {{dtype::f32, "row", 8, 32}, {dtype::f32, "row", 32, 32}, {dtype::bf16, "row", 16, 48}, {dtype::bf16, "col", 32, 32},
                                {dtype::f16, "row", 32, 16}, {dtype::f16, "col", 16, 16}, {dtype::i32, "row", 16, 16}, {dtype::i8, "row", 32, 64}, {dtype::i8, "col", 32, 32}};
    for (const shape& s : shapes) {
        const bool integers = s.type == dtype::i8 || s.type == dtype::i32;
        for (const function& f : functions)
            for (int operand = 0; operand < (f.binary ? 4 : 1); ++operand) {
                if (f.floats_only && integers) continue;
                add(to, "elementwise", fmt::format("{}{}{}/{}/{}/{}x{}", f.name, f.binary ? "/" : "", f.binary ? operands[operand] : "", name_of(s.type), s.layout, s.m, s.n), false,
                    [=, &f](context& c) { work(c, s, f, operand); });
            }
        add(to, "elementwise", fmt::format("apply/{}/{}/{}x{}", name_of(s.type), s.layout, s.m, s.n), false, [=](context& c) { apply_indexed(c, s); });
    }
});

}  // namespace
}  // namespace grid
