// SPDX-License-Identifier: Apache-2.0
// Runs the kernel on every device of this machine and compares with plain loops. `my_gemm cpu` takes one target only.
#include "my_gemm.hpp"

#include <kittens/runtime/runtime.hpp>

#include <cmath>
#include <cstdio>
#include <exception>
#include <random>
#include <string_view>

using kittens::bf16;

constexpr int m = 96, n = 128, k = 160;
constexpr float alpha = 0.5f;

/// Relative Frobenius error on one device.
double run_on(const kittens::device& where) {
    // Unified memory: the host fills it, the kernel reads it.
    kittens::buffer<bf16> a(where, m * k), b(where, k * n);
    kittens::buffer<float> bias(where, n), c(where, m * n);
    std::mt19937 random(std::random_device{}());
    std::normal_distribution<float> normal;
    for (bf16& x : a) x = bf16(normal(random));
    for (bf16& x : b) x = bf16(normal(random));
    for (float& x : bias) x = normal(random);

    kittens::queue queue(where);
    queue.poison(c);  // an element that is never written shows as NaN
    const example::my_gemm::globals args{.a{a.data(), 1, 1, m, k},
                                         .b{b.data(), 1, 1, k, n},
                                         .bias{bias.data(), 1, 1, 1, n},
                                         .c{c.data(), 1, 1, m, n},
                                         .alpha = alpha};
    launch(queue, "my_gemm", args);
    queue.wait();  // throws what went wrong in the kernel

    double difference = 0, whole = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int l = 0; l < k; ++l) sum += double(a[i * k + l]) * double(b[l * n + j]);
            const double expected = alpha * sum + bias[j];
            difference += std::pow(c[i * n + j] - expected, 2);
            whole += std::pow(expected, 2);
        }
    return std::sqrt(difference / whole);
}

int main(int argc, char** argv) try {
    bool all_right = true, any = false;
    for (const kittens::device& where : kittens::devices()) {
        if (argc > 1 && where.target() != std::string_view(argv[1])) continue;
        const double error = run_on(where);
        const bool right = error < 1e-4;
        std::printf("%-20s relative error %.1e  %s\n", where.id().c_str(), error, right ? "right" : "WRONG");
        all_right = all_right && right;
        any = true;
    }
    if (!any) std::fprintf(stderr, "my_gemm: no such device; the targets are cpu, emulated and xe\n");
    return any && all_right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "my_gemm: %s\n", e.what());
    return 1;
}
