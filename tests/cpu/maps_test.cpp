// SPDX-License-Identifier: Apache-2.0
// Element-wise functions against double precision, with special values.
#include "on_cpu.hpp"

#include <cmath>
#include <limits>
#include <memory>

namespace cpu_tests {
namespace {

class maps : public on_cpu {
  protected:
    static constexpr int rows = 32, cols = 96;

    /// dst = f(src) over values from `lo` to `hi`, each result within `ulps` units in the last place of the reference.
    template <class F, class R>
    void check_function(float lo, float hi, F f, R reference, double ulps) {
        matrix<float> in(rows, cols), out(rows, cols);
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < cols; ++j) in(i, j) = std::uniform_real_distribution<float>(lo, hi)(random);
        as_subgroup([&](const subgroup&) {
            auto t = std::make_unique<rt_fl<rows, cols>>();
            load(*t, in.layout<const float>(), {0, 0});
            f(*t);
            store(out.layout(), *t, {0, 0});
        });
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < cols; ++j) {
                const double expected = reference(double(in(i, j)));
                if (std::abs(expected) < double(std::numeric_limits<float>::min())) {
                    ASSERT_LE(std::abs(out(i, j)), std::numeric_limits<float>::min()) << in(i, j);
                    continue;
                }
                const double ulp = std::ldexp(1.0, std::ilogb(expected) - 23);
                ASSERT_LE(std::abs(double(out(i, j)) - expected), ulps * ulp) << "at " << in(i, j) << ": " << out(i, j) << " for " << expected;
            }
    }
    template <class F> std::vector<float> apply_to(const std::vector<float>& in, F f) {
        std::vector<float> out(in.size());
        as_subgroup([&](const subgroup&) {
            rt_fl<16, 16> t;
            zero(t);
            apply(t, t, [&](int i, int j, float) { return i == 0 && j < int(in.size()) ? in[j] : 1.0f; });
            f(t);
            matrix<float> m(16, 16);
            store(m.layout(), t, {0, 0});
            for (std::size_t j = 0; j < in.size(); ++j) out[j] = m(0, int(j));
        });
        return out;
    }
};

TEST_F(maps, exp2) {
    for (const float range : {1.0f, 20.0f, 140.0f}) check_function(-range, std::min(range, 127.99f), [](auto& t) { exp2(t, t); }, [](double x) { return std::exp2(x); }, 1.0);
}
TEST_F(maps, log2) {
    check_function(0.9f, 1.1f, [](auto& t) { log2(t, t); }, [](double x) { return std::log2(x); }, 2.0);
    check_function(1e-30f, 2.0f, [](auto& t) { log2(t, t); }, [](double x) { return std::log2(x); }, 2.0);
    check_function(1.0f, 1e30f, [](auto& t) { log2(t, t); }, [](double x) { return std::log2(x); }, 2.0);
}
TEST_F(maps, roots_and_quotients) {
    check_function(0.0f, 1e6f, [](auto& t) { sqrt(t, t); }, [](double x) { return std::sqrt(x); }, 0.51);
    check_function(1e-6f, 1e6f, [](auto& t) { rsqrt(t, t); }, [](double x) { return 1 / std::sqrt(x); }, 1.5);
    check_function(1e-6f, 1e6f, [](auto& t) { recip(t, t); }, [](double x) { return 1 / x; }, 0.51);
}
TEST_F(maps, activations) {
    // A few of these cancel: an absolute bound in units of the result's type around 1 is what they are good for.
    const auto near_ = [&](auto f, auto reference) {
        matrix<float> in(rows, cols), out(rows, cols);
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < cols; ++j) in(i, j) = std::uniform_real_distribution<float>(-12, 12)(random);
        as_subgroup([&](const subgroup&) {
            auto t = std::make_unique<rt_fl<rows, cols>>();
            load(*t, in.layout<const float>(), {0, 0});
            f(*t);
            store(out.layout(), *t, {0, 0});
        });
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < cols; ++j) {
                const double e = reference(double(in(i, j)));
                ASSERT_NEAR(out(i, j), e, 4e-6 * std::max(1.0, std::abs(e))) << in(i, j);
            }
    };
    near_([](auto& t) { sigmoid(t, t); }, [](double x) { return 1 / (1 + std::exp(-x)); });
    near_([](auto& t) { silu(t, t); }, [](double x) { return x / (1 + std::exp(-x)); });
    near_([](auto& t) { tanh(t, t); }, [](double x) { return std::tanh(x); });
    near_([](auto& t) { gelu(t, t); }, [](double x) { return 0.5 * x * (1 + std::tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x))); });
    near_([](auto& t) { relu(t, t); }, [](double x) { return x > 0 ? x : 0; });
    near_([](auto& t) { abs(t, t); }, [](double x) { return std::abs(x); });
    near_([](auto& t) { neg(t, t); }, [](double x) { return -x; });
}
TEST_F(maps, special_values) {
    const float inf = __builtin_inff(), nan = __builtin_nanf("");
    const auto e = apply_to({inf, -inf, nan, 128.0f, 127.99999f, -126.0f, -127.0f, 1000.0f, 0.0f, -0.0f}, [](auto& t) { exp2(t, t); });
    EXPECT_EQ(e[0], inf);
    EXPECT_EQ(e[1], 0.0f);
    EXPECT_TRUE(std::isnan(e[2]));
    EXPECT_EQ(e[3], inf);
    EXPECT_NEAR(e[4] / 3.4e38, 1.0, 1e-2);
    EXPECT_EQ(e[5], 0x1p-126f);
    EXPECT_EQ(e[6], 0.0f);
    EXPECT_EQ(e[7], inf);
    EXPECT_EQ(e[8], 1.0f);
    EXPECT_EQ(e[9], 1.0f);
    const auto l = apply_to({inf, -inf, nan, 0.0f, -1.0f, 1.0f, 8.0f, 0x1p-126f}, [](auto& t) { log2(t, t); });
    EXPECT_EQ(l[0], inf);
    EXPECT_TRUE(std::isnan(l[1]) && std::isnan(l[2]) && std::isnan(l[4]));
    EXPECT_EQ(l[3], -inf);
    EXPECT_EQ(l[5], 0.0f);
    EXPECT_EQ(l[6], 3.0f);
    EXPECT_EQ(l[7], -126.0f);
    const auto m = apply_to({nan, inf, -inf, 3.0f, -3.0f}, [](auto& t) { max(t, t, 1.0f); });
    EXPECT_EQ(m, (std::vector<float>{1.0f, inf, 1.0f, 3.0f, 1.0f}));
    const auto n = apply_to({nan, inf, -inf, 3.0f, -3.0f}, [](auto& t) { min(t, t, 1.0f); });
    EXPECT_EQ(n, (std::vector<float>{1.0f, 1.0f, -inf, 1.0f, -3.0f}));
}

/// Binary functions, broadcasts and fills for one element type: one rounding of the float result.
template <class T, class Values> void check_type(Values values) {
    constexpr int rows = 16, cols = 96;
    matrix<T> a(rows, cols), b(rows, cols), out(rows, 8 * cols);
    matrix<T> per_row(1, rows), per_col(1, cols);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) a(i, j) = values(), b(i, j) = values();
    for (int i = 0; i < rows; ++i) per_row(0, i) = values();
    for (int j = 0; j < cols; ++j) per_col(0, j) = values();
    using X = compute_t<T>;
    as_subgroup([&](const subgroup&) {
        using tile_t = rt<T, rows, cols>;
        tile_t x, y, z;
        col_vec<tile_t> r;
        row_vec<tile_t> c;
        load(r, per_row.template layout<const T>(), {0, 0});
        load(c, per_col.template layout<const T>(), {0, 0});
        load(x, a.template layout<const T>(), {0, 0});
        load(y, b.template layout<T>(), {0, 0});
        add(z, x, y);
        store(out.layout(), z, {0, 0});
        mul(z, x, X(3));
        store(out.layout(), z, {0, 1});
        max(z, x, y);
        store(out.layout(), z, {0, 2});
        sub_row(z, x, r);
        store(out.layout(), z, {0, 3});
        add_col(z, x, c);
        store(out.layout(), z, {0, 4});
        broadcast_row(z, r);
        store(out.layout(), z, {0, 5});
        broadcast_col(z, c);
        store(out.layout(), z, {0, 6});
        fill(z, X(2));
        apply(z, z, [](int i, int j, auto v) { return v + X(i) - X(j % 3); });
        store(out.layout(), z, {0, 7});
    });
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) {
            const X x = X(a(i, j)), y = X(b(i, j)), r = X(per_row(0, i)), c = X(per_col(0, j));
            const T expected[] = {convert<T>(X(x + y)), convert<T>(X(x * X(3))), convert<T>(x > y ? x : y), convert<T>(X(x - r)),
                                  convert<T>(X(x + c)), convert<T>(r), convert<T>(c), convert<T>(X(2 + i - j % 3))};
            for (int k = 0; k < 8; ++k) ASSERT_EQ(X(out(i, k * cols + j)), X(expected[k])) << "operation " << k << " at " << i << "," << j;
        }
    EXPECT_TRUE(out.surroundings_intact());
}

TEST_F(maps, every_type) {
    check_type<float>([&] { return value<float>(); });
    check_type<bf16>([&] { return value<bf16>(); });
    check_type<half>([&] { return value<half>(); });
    check_type<int32>([&] { return value<int32>(); });
    check_type<int8>([&] { return int8(uniform(-30, 30)); });
    check_type<fp8e4m3>([&] { return value<fp8e4m3>(); });
}

TEST_F(maps, conversions_between_types) {
    matrix<float> src(16, 32), b(16, 32), h(16, 32), i8(16, 32);
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 32; ++j) src(i, j) = std::uniform_real_distribution<float>(-300, 300)(random);
    src(0, 0) = __builtin_inff(), src(0, 1) = __builtin_nanf(""), src(0, 2) = 0.5f, src(0, 3) = 1.5f, src(0, 4) = -2.5f;
    as_subgroup([&](const subgroup&) {
        rt_fl<16, 32> t, back;
        rt_bf<16, 32> tb;
        rt_hf<16, 32> th;
        rt_i8<16, 32> ti;
        load(t, src.layout<const float>(), {0, 0});
        copy(tb, t);
        copy(back, tb);
        store(b.layout(), back, {0, 0});
        copy(th, t);
        copy(back, th);
        store(h.layout(), back, {0, 0});
        copy(ti, t);
        copy(back, ti);
        store(i8.layout(), back, {0, 0});
    });
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 32; ++j) {
            const float x = src(i, j);
            if (std::isnan(x)) {
                EXPECT_TRUE(std::isnan(b(i, j)) && std::isnan(h(i, j)));
                EXPECT_EQ(i8(i, j), 0.0f);
                continue;
            }
            ASSERT_EQ(b(i, j), float(bf16(x)));
            ASSERT_EQ(h(i, j), float(half(x)));
            ASSERT_EQ(i8(i, j), float(convert<int8>(x))) << x;
        }
}

// Kernels run with subnormals flushed; the caller's modes come back.
TEST_F(maps, subnormals_are_flushed_inside_only) {
    const unsigned before = __builtin_ia32_stmxcsr();
    volatile float tiny = 1e-40f;
    float inside = 1;
    as_subgroup([&](const subgroup&) { inside = tiny * 0.5f; });
    EXPECT_EQ(inside, 0.0f);
    EXPECT_EQ(__builtin_ia32_stmxcsr(), before);
    EXPECT_GT(tiny * 0.5f, 0.0f);
}

}  // namespace
}  // namespace cpu_tests
