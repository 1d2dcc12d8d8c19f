// SPDX-License-Identifier: Apache-2.0
// Runs three kernels in ThunderKittens' manner on every device that this machine has, and checks each against a plain double-precision
// loop. Usage: thunderkittens [cpu|emulated|xe]
#include "attention.hpp"
#include "layernorm.hpp"
#include "softmax.hpp"

#include <kittens/runtime/runtime.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string_view>
#include <vector>

using kittens::bf16, kittens::buffer;

namespace {

struct fixture {
    kittens::queue queue;
    std::mt19937 random;
    bool all_passed = true;

    buffer<bf16> input(std::size_t n, float scale) {
        buffer<bf16> b(queue.where(), n);
        std::normal_distribution<float> normal(0.0f, scale);
        for (auto& x : b) x = bf16(normal(random));
        return b;
    }
    buffer<bf16> output(std::size_t n) {
        buffer<bf16> b(queue.where(), n);
        queue.poison(b).wait();
        return b;
    }
    void check(const char* name, const buffer<bf16>& got, const std::vector<double>& want, double limit) {
        double worst = 0;
        for (std::size_t i = 0; i < want.size(); ++i) {
            const double error = std::fabs(float(got[i]) - want[i]);
            worst = error <= worst ? worst : error;  // keeps a NaN
        }
        const bool passed = worst <= limit;
        all_passed &= passed;
        std::printf("%-12s %-18s largest error %.2e (limit %.0e) %s\n", queue.where().id().c_str(), name, worst, limit, passed ? "passed" : "FAILED");
    }
};

void softmax(fixture& f) {
    constexpr int rows = 100, width = examples::softmax::width;
    auto x = f.input(rows * width, 2.0f);
    auto o = f.output(rows * width);
    kittens::run(f.queue, "example_softmax", examples::softmax::globals{{x.data(), 1, 1, rows, width}, {o.data(), 1, 1, rows, width}});
    std::vector<double> want(rows * width);
    for (int i = 0; i < rows; ++i) {
        double sum = 0;
        for (int j = 0; j < width; ++j) sum += want[i * width + j] = std::exp(double(float(x[i * width + j])));
        for (int j = 0; j < width; ++j) want[i * width + j] /= sum;
    }
    f.check("softmax", o, want, 4e-3);
}

void layernorm(fixture& f) {
    constexpr int rows = 50, width = examples::layernorm::width;
    auto x = f.input(rows * width, 1.0f), weight = f.input(width, 1.0f), bias = f.input(width, 1.0f);
    auto o = f.output(rows * width);
    kittens::run(f.queue, "example_layernorm",
                 examples::layernorm::globals{{x.data(), 1, 1, rows, width}, {weight.data(), 1, 1, 1, width}, {bias.data(), 1, 1, 1, width}, {o.data(), 1, 1, rows, width}});
    std::vector<double> want(rows * width);
    for (int i = 0; i < rows; ++i) {
        double mean = 0, variance = 0;
        for (int j = 0; j < width; ++j) mean += float(x[i * width + j]) / double(width);
        for (int j = 0; j < width; ++j) variance += std::pow(float(x[i * width + j]) - mean, 2) / width;
        for (int j = 0; j < width; ++j)
            want[i * width + j] = (float(x[i * width + j]) - mean) / std::sqrt(variance + examples::layernorm::epsilon) * float(weight[j]) + float(bias[j]);
    }
    f.check("layer norm", o, want, 6e-2);
}

template <bool Causal> void attention(fixture& f) {
    constexpr int batch = 1, heads = 2, length = 150, dim = examples::attention<Causal>::dim, n = batch * heads * length * dim;
    auto q = f.input(n, 1.0f), k = f.input(n, 1.0f), v = f.input(n, 1.0f);
    auto o = f.output(n);
    kittens::run(f.queue, Causal ? "example_attention_causal" : "example_attention",
                 typename examples::attention<Causal>::globals{{q.data(), batch, heads, length, dim}, {k.data(), batch, heads, length, dim}, {v.data(), batch, heads, length, dim}, {o.data(), batch, heads, length, dim}});
    std::vector<double> want(n);
    for (int h = 0; h < batch * heads; ++h)
        for (int i = 0; i < length; ++i) {
            const int base = h * length * dim, last = Causal ? i + 1 : length;
            std::vector<double> p(last);
            double sum = 0;
            for (int j = 0; j < last; ++j) {
                double dot = 0;
                for (int d = 0; d < dim; ++d) dot += double(float(q[base + i * dim + d])) * float(k[base + j * dim + d]);
                sum += p[j] = std::exp(dot / 8.0);
            }
            for (int d = 0; d < dim; ++d) {
                double x = 0;
                for (int j = 0; j < last; ++j) x += p[j] / sum * float(v[base + j * dim + d]);
                want[base + i * dim + d] = x;
            }
        }
    f.check(Causal ? "attention, causal" : "attention", o, want, 3e-2);
}

}  // namespace

int main(int argc, char** argv) try {
    const std::string_view only = argc > 1 ? argv[1] : "";
    bool all_passed = true;
    int devices = 0;
    for (const auto& device : kittens::devices()) {
        if (!only.empty() && device.target() != only) continue;
        ++devices;
        const unsigned seed = std::random_device{}();
        fixture f{kittens::queue(device), std::mt19937(seed)};
        std::printf("%s: seed %u\n", device.id().c_str(), seed);
        softmax(f);
        layernorm(f);
        attention<false>(f);
        attention<true>(f);
        all_passed &= f.all_passed;
    }
    if (devices == 0) {
        std::fprintf(stderr, "thunderkittens: no device of target '%.*s' here; kittens devices lists what there is\n", int(only.size()), only.data());
        return 2;
    }
    return all_passed ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "thunderkittens: %s\n", e.what());
    return 2;
}
