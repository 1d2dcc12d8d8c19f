// SPDX-License-Identifier: Apache-2.0
#include "operator_problem.hpp"

#include "elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace kittens::bench {

double operator_problem::bytes_read() const {
    double sum = 0;
    for (const tensor_spec& t : tensors())
        if (!t.output) sum += static_cast<double>(t.bytes());
    return sum;
}

double operator_problem::bytes_written() const {
    double sum = 0;
    for (const tensor_spec& t : tensors())
        if (t.output) sum += static_cast<double>(t.bytes());
    return sum;
}

void operator_problem::fill(std::span<void* const> data, std::uint64_t seed) const {
    const std::vector<tensor_spec> all = tensors();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!all[i].output) fill_normal(all[i].type, data[i], all[i].count(), mix(seed + 0x1000 * i));
}

void fill_normal(dtype type, void* to, std::size_t count, std::uint64_t key, float scale) {
    with_type(type, "operator_problem: no tensors", [&]<class T>(T*) {
        T* out = static_cast<T*>(to);
        for (std::size_t i = 0; i < count; i += 2) {
            const std::uint64_t u = mix(key + i), v = mix(~key + i);
            if constexpr (std::is_same_v<T, int8> || std::is_same_v<T, int32>) {
                out[i] = static_cast<T>(static_cast<std::int64_t>(u) >> 56);
                if (i + 1 < count) out[i + 1] = static_cast<T>(static_cast<std::int64_t>(v) >> 56);
            } else {
                const float radius = scale * std::sqrt(-2.0f * std::log((static_cast<float>(u >> 40) + 1.0f) * 0x1p-24f));
                const float angle = 2.0f * std::numbers::pi_v<float> * static_cast<float>(v >> 40) * 0x1p-24f;
                out[i] = T(radius * std::cos(angle));
                if (i + 1 < count) out[i + 1] = T(radius * std::sin(angle));
            }
        }
    });
}

std::vector<double> values_of(const tensor_spec& spec, const void* data) {
    std::vector<double> result(spec.count());
    with_type(spec.type, "operator_problem: no tensors", [&]<class T>(T*) {
        const T* from = static_cast<const T*>(data);
        for (std::size_t i = 0; i < result.size(); ++i) {
            if constexpr (std::is_same_v<T, int8> || std::is_same_v<T, int32>) result[i] = from[i];
            else result[i] = static_cast<double>(static_cast<float>(from[i]));
        }
    });
    return result;
}

void compare_output(operator_verdict& to, const tensor_spec& spec, const void* got, std::span<const double> right, double gate) {
    const std::vector<double> values = values_of(spec, got);
    double error2 = 0, reference2 = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i]) && std::isnan(right[i])) continue;
        if (std::isinf(right[i]) && values[i] == right[i]) continue;
        const double error = std::abs(values[i] - right[i]);
        if (!std::isfinite(error)) {
            if (to.failure.empty()) to.failure = fmt::format("element {} of {} is {} instead of {:.6g}, or was never written", i, spec.name, values[i], right[i]);
            return;
        }
        error2 += error * error;
        reference2 += right[i] * right[i];
        to.max_abs = std::max(to.max_abs, error);
    }
    const double relative = error2 == 0 ? 0 : std::sqrt(error2 / reference2);
    to.relative_frobenius = std::max(to.relative_frobenius, relative);
    if (!(relative < gate) && to.failure.empty())
        to.failure = fmt::format("{}: relative Frobenius error {:.3g}, the gate is {}", spec.name, relative, gate);
}

}  // namespace kittens::bench
