// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

namespace grid {
namespace {

/// Three rows of two vectors.
struct vectors {
    tensor &in, &out;
    vectors(context& c, dtype type, int n) : in(c.input(type, 3, 2 * n)), out(c.output(type, 3, 2 * n)) {}
    /// Over vector element k of the vector that element (i, j) is in.
    template <class F> double over(int j, int n, F f) const {
        double r = 0;
        for (int k = 0; k < n; ++k) r = f(r, k, j / n * n + k);
        return r;
    }
};

void change_form(context& c, const std::string& kernel, int n, int form) {
    const vectors v(c, dtype::bf16, n);
    v.in.fill_coded(c.seed(), true);
    globals g = launch_of(2, 3, 1);
    g.number[0] = form;
    c.run(kernel, g, {&v.in, &v.out});
    expect_bits("copy", v.out, [&](int i, int j) { return v.in.bits(i, j); });
}

constexpr const char* ops[] = {"", "", "", "add1", "polynomial", "norm", "max", "min", "prod"};

void map(context& c, const std::string& kernel, int n, int op) {
    const vectors v(c, dtype::f32, n);
    if (op == 8) v.in.fill_uniform(c.seed(), 0.8f, 1.2f);
    else v.in.fill_uniform(c.seed(), -2, 2);
    globals g = launch_of(2, 3, 1);
    g.number[0] = op;
    c.run(kernel, g, {&v.in, &v.out});
    expect_close(ops[op], v.out, [&](int i, int j) -> wanted {
        const double x = v.in.value(i, j);
        switch (op) {
            case 3: return {x + 1, rounding(dtype::f32, std::fabs(x + 1))};
            case 4: return {(x + 2) * x + 3, ulps(4) * ((std::fabs(x) + 2) * std::fabs(x) + 3)};
            case 5: {
                const double norm = std::sqrt(v.over(j, n, [&](double r, int, int at) { return r + v.in.value(i, at) * v.in.value(i, at); }));
                // Derived in docs/test-grid.md.
                return {x / norm, std::fabs(x / norm) * (ulps(n / 2.0 + 1.5) + function_error::sqrt + function_error::recip)};
            }
            case 6: return {v.over(j, n, [&](double r, int k, int at) { return k == 0 ? v.in.value(i, at) : std::max(r, v.in.value(i, at)); }), 0};
            case 7: return {v.over(j, n, [&](double r, int k, int at) { return k == 0 ? v.in.value(i, at) : std::min(r, v.in.value(i, at)); }), 0};
            default: {
                const double product = v.over(j, n, [&](double r, int k, int at) { return (k == 0 ? 1 : r) * v.in.value(i, at); });
                return {product, std::fabs(product) * ulps(n)};
            }
        }
    });
}

constexpr const char* shared_ops[] = {"copy", "square", "sum", "max", "min"};

void shared(context& c, int n, int subgroups, int op) {
    const vectors v(c, dtype::f32, n);
    v.in.fill_uniform(c.seed(), -2, 2);
    globals g = launch_of(2, 3, subgroups);
    g.number[0] = op;
    c.run(fmt::format("grid_shared_vector_{}", n), g, {&v.in, &v.out});
    expect_close(shared_ops[op], v.out, [&](int i, int j) -> wanted {
        const double x = v.in.value(i, j);
        if (op == 0) return {x, 0};
        if (op == 1) return {x * x, rounding(dtype::f32, x * x)};
        double magnitude = 0;
        const double total = v.over(j, n, [&](double r, int k, int at) {
            const double y = v.in.value(i, at);
            magnitude += std::fabs(y);
            return k == 0 ? y : op == 2 ? r + y : op == 3 ? std::max(r, y) : std::min(r, y);
        });
        return {x - total, rounding(dtype::f32, std::fabs(x - total)) * 2 + (op == 2 ? ulps(n) * magnitude : 0)};
    });
}

const family register_vectors("register-vector", [](std::vector<grid_case>& to) {
    constexpr const char* forms[] = {"align", "ortho", "naive"};
    const auto all = [&](const char* form, int n, bool paper) {
        const std::string kernel = fmt::format("grid_register_vector_{}_{}", form, n);
        for (int f = 0; f < 3; ++f)
            add(to, "register-vector", fmt::format("copy/{}-{}/{}", form, forms[f], n), paper, [=](context& c) { change_form(c, kernel, n, f); });
        for (int op = 3; op <= 8; ++op)
            add(to, "register-vector", fmt::format("{}/{}/{}", ops[op], form, n), paper && op == 5, [=](context& c) { map(c, kernel, n, op); });
    };
    for (const char* form : forms)
        for (int n = 16; n <= 64; n += 16) all(form, n, true);
    all("naive", 8, false);
    all("naive", 24, false);
});

const family shared_vectors("shared-vector", [](std::vector<grid_case>& to) {
    for (const int subgroups : {1, 2, 4})
        for (int n = 16 * subgroups; n <= 64; n += 16 * subgroups)
            for (int op = 0; op < 2; ++op)
                add(to, "shared-vector", fmt::format("{}/{}/{}", shared_ops[op], n, subgroups), op == 0, [=](context& c) { shared(c, n, subgroups, op); });
    for (int n = 16; n <= 64; n += 16)
        for (int op = 2; op < 5; ++op) add(to, "shared-vector", fmt::format("{}/{}", shared_ops[op], n), false, [=](context& c) { shared(c, n, 1, op); });
});

}  // namespace
}  // namespace grid
