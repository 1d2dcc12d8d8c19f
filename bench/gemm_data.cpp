// SPDX-License-Identifier: Apache-2.0
#include "gemm_data.hpp"

#include "elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <stdexcept>

namespace kittens::bench {

namespace {

constexpr int probes = 4;
constexpr std::size_t sampled_work = std::size_t{1} << 27;  ///< multiplications for the rows that are compared

template <class T> void fill_random(T* to, std::size_t count, std::uint64_t key) {
    for (std::size_t i = 0; i < count; i += 2) {
        const std::uint64_t u = mix(key + i), v = mix(key + i + 1);
        if constexpr (std::is_same_v<T, int8>) {
            to[i] = static_cast<int8>(u >> 56);
            if (i + 1 < count) to[i + 1] = static_cast<int8>(v >> 56);
        } else {
            const float radius = std::sqrt(-2.0f * std::log((static_cast<float>(u >> 40) + 1.0f) * 0x1p-24f));
            const float angle = 2.0f * std::numbers::pi_v<float> * static_cast<float>(v >> 40) * 0x1p-24f;
            to[i] = T(radius * std::cos(angle));
            if (i + 1 < count) to[i + 1] = T(radius * std::sin(angle));
        }
    }
}

template <class T> void to_double(const T* from, double* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        if constexpr (std::is_same_v<T, int32> || std::is_same_v<T, int8>) to[i] = from[i];
        else to[i] = static_cast<float>(from[i]);
    }
}

/// to[p] = sum over i of row[i] * vectors[p][i]
template <class V> void dot(const double* row, const V* vectors, std::size_t count, std::size_t stride, double* to) {
    for (int p = 0; p < probes; ++p) {
        const V* v = vectors + static_cast<std::size_t>(p) * stride;
        std::array<double, 8> sums{};
        std::size_t i = 0;
        for (; i + 8 <= count; i += 8)
            for (std::size_t j = 0; j < 8; ++j) sums[j] += row[i + j] * v[i + j];
        for (; i < count; ++i) sums[0] += row[i] * v[i];
        to[p] = (sums[0] + sums[1]) + (sums[2] + sums[3]) + (sums[4] + sums[5]) + (sums[6] + sums[7]);
    }
}

}  // namespace

gemm_data::gemm_data(const device& where, const gemm_shape& shape, dtype in, std::uint64_t seed)
    : where_(where), shape_(shape), in_(in), seed_(seed) {
    const auto make = [&](int rows, int cols, std::uint64_t stream) {
        const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
        buffer<std::byte> data(where_, count * static_cast<std::size_t>(size_of(in)));
        with_type(in, "gemm_data: no matrices", [&]<class T>(T*) { fill_random(reinterpret_cast<T*>(data.data()), count, mix(mix(seed) ^ mix(~stream))); });
        return data;
    };
    a_.emplace(in, make(shape.m, shape.k, 0));
    b_.emplace(in, make(shape.k, shape.n, 1));
}

const void* gemm_data::operand(by_type& of, dtype type) {
    if (const auto found = of.find(type); found != of.end()) return found->second.data();
    if (type != dtype::f32) throw std::invalid_argument(fmt::format("gemm_data: the operands are {} or fp32, not {}", name_of(in_), name_of(type)));
    const buffer<std::byte>& from = of.at(in_);
    const std::size_t count = from.size() / static_cast<std::size_t>(size_of(in_));
    buffer<std::byte> converted(where_, count * sizeof(float));
    auto* to = reinterpret_cast<float*>(converted.data());
    with_type(in_, "gemm_data: no matrices", [&]<class T>(T*) {
        const auto* source = reinterpret_cast<const T*>(from.data());
        for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<float>(source[i]);
    });
    return of.emplace(type, std::move(converted)).first->second.data();
}

buffer<std::byte> gemm_data::output(dtype type) const {
    buffer<std::byte> c(where_, static_cast<std::size_t>(shape_.m) * static_cast<std::size_t>(shape_.n) * static_cast<std::size_t>(size_of(type)));
    std::memset(c.data(), poison_byte, c.size());
    return c;
}

void gemm_data::make_reference() {
    const auto m = static_cast<std::size_t>(shape_.m), n = static_cast<std::size_t>(shape_.n), k = static_cast<std::size_t>(shape_.k);
    const std::size_t count = std::clamp<std::size_t>(sampled_work / (n * k), std::min<std::size_t>(m, 4), m);
    // Evenly spread, first and last row among them, at places that differ from run to run.
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t begin = i * m / count, width = (i + 1) * m / count - begin;
        rows_.push_back(static_cast<int>(i == 0 ? 0 : i + 1 == count ? m - 1 : begin + mix(seed_ + i) % width));
    }
    signs_.resize(probes * n);
    for (std::size_t i = 0; i < signs_.size(); ++i) signs_[i] = mix(seed_ ^ mix(i + 77)) & 1 ? 1.0f : -1.0f;

    with_type(in_, "gemm_data: no matrices", [&]<class T>(T*) {
        const auto *a = reinterpret_cast<const T*>(a_.at(in_).data()), *b = reinterpret_cast<const T*>(b_.at(in_).data());
        row_values_.assign(count * n, 0.0);
        std::vector<double> line(std::max(n, k)), column(probes * k);
        for (std::size_t p = 0; p < k; ++p) {
            to_double(b + p * n, line.data(), n);
            for (std::size_t r = 0; r < count; ++r) {
                const double factor = static_cast<double>(static_cast<float>(a[static_cast<std::size_t>(rows_[r]) * k + p]));
                double* sums = row_values_.data() + r * n;
                for (std::size_t j = 0; j < n; ++j) sums[j] += factor * line[j];
            }
            double products[probes];
            dot(line.data(), signs_.data(), n, n, products);
            for (int i = 0; i < probes; ++i) column[static_cast<std::size_t>(i) * k + p] = products[i];
        }
        products_.resize(m * probes);
        for (std::size_t i = 0; i < m; ++i) {
            to_double(a + i * k, line.data(), k);
            dot(line.data(), column.data(), k, k, products_.data() + i * probes);
        }
    });
}

verdict gemm_data::check(const void* c, dtype type) {
    if (rows_.empty()) make_reference();
    const auto m = static_cast<std::size_t>(shape_.m), n = static_cast<std::size_t>(shape_.n);
    const bool exact = type == dtype::i32;
    verdict result;
    with_type(type, "gemm_data: no matrices", [&]<class T>(T*) {
        const auto* values = static_cast<const T*>(c);
        std::vector<double> line(n);
        double error2 = 0, reference2 = 0;
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            to_double(values + static_cast<std::size_t>(rows_[r]) * n, line.data(), n);
            const double* right = row_values_.data() + r * n;
            for (std::size_t j = 0; j < n; ++j) {
                error2 += (line[j] - right[j]) * (line[j] - right[j]);
                reference2 += right[j] * right[j];
            }
        }
        result.relative_frobenius = std::sqrt(error2 / reference2);
        if (exact ? error2 != 0 : !(result.relative_frobenius < gate)) {
            result.failure = std::isnan(result.relative_frobenius)
                                 ? std::string("C holds elements that are not numbers, or were never written")
                                 : fmt::format("relative Frobenius error {:.3g}, {}", result.relative_frobenius,
                                               exact ? std::string("but integers must be exact") : fmt::format("the gate is {}", gate));
            return;
        }
        // A row with four probes is a rough estimate: ten times the gate is out of reach of chance.
        double probe_error2 = 0, probe_reference2 = 0;
        std::vector<double> row_error2(m);
        for (std::size_t i = 0; i < m; ++i) {
            double got[probes];
            to_double(values + i * n, line.data(), n);
            dot(line.data(), signs_.data(), n, n, got);
            for (int p = 0; p < probes; ++p) {
                const double right = products_[i * probes + static_cast<std::size_t>(p)];
                row_error2[i] += (got[p] - right) * (got[p] - right);
                probe_reference2 += right * right;
            }
            probe_error2 += row_error2[i];
        }
        const double typical = probe_reference2 / static_cast<double>(m);
        for (std::size_t i = 0; i < m; ++i)
            if (exact ? row_error2[i] != 0 : !(row_error2[i] < 100 * gate * gate * typical)) {
                result.failure = fmt::format("row {} of C is wrong", i);
                return;
            }
        if (!exact && !(std::sqrt(probe_error2 / probe_reference2) < gate))
            result.failure = fmt::format("relative Frobenius error over the whole of C is about {:.3g}, the gate is {}",
                                         std::sqrt(probe_error2 / probe_reference2), gate);
    });
    return result;
}

}  // namespace kittens::bench
