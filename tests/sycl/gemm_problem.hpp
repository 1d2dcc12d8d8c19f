// SPDX-License-Identifier: Apache-2.0
// A GEMM in a user's own USM memory, checked against a double-precision reference.
#pragma once

#include <sycl/sycl.hpp>

#include <kittens/runtime/sycl.hpp>

#include "gemm/gemm.hpp"
#include "gemm/policies.hpp"

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

/// Rows, columns and depth. With block access, n and k are multiples of 8, and of 32 at least for bf16.
struct gemm_size {
    int m, n, k;
};

template <kernels::gemm_policy P> class gemm_problem {
public:
    using kernel = kernels::gemm<P>;
    using in_t = kittens::type_of<P.in>;
    using out_t = kittens::type_of<P.out>;

    gemm_problem(sycl::queue& q, gemm_size size, unsigned seed = 1)
        : q_(q),
          size_(size),
          a_(count(size.m, size.k)),
          b_(count(size.k, size.n)) {
        std::mt19937 random(seed);
        std::normal_distribution<float> normal;
        for (auto* v : {&a_, &b_})
            for (in_t& x : *v) x = in_t(normal(random));
        device_a_ = allocate<in_t>(a_.size());
        device_b_ = allocate<in_t>(b_.size());
        // A zone behind C shows what is written outside.
        device_c_ = allocate<out_t>(count(size.m, size.n) + guard);
    }
    ~gemm_problem() {
        for (void* p : {static_cast<void*>(device_a_), static_cast<void*>(device_b_), static_cast<void*>(device_c_)})
            sycl::free(p, q_);
    }
    gemm_problem(const gemm_problem&) = delete;

    /// Copies the operands and poisons C.
    std::vector<sycl::event> upload() {
        return {q_.memcpy(device_a_, a_.data(), a_.size() * sizeof(in_t)),
                q_.memcpy(device_b_, b_.data(), b_.size() * sizeof(in_t)),
                q_.memset(device_c_, 0xff, (count(size_.m, size_.n) + guard) * sizeof(out_t))};
    }
    typename kernel::globals globals() const {
        return {.a = {device_a_, 1, 1, size_.m, size_.k},
                .b = {device_b_, 1, 1, size_.k, size_.n},
                .c = {device_c_, 1, 1, size_.m, size_.n}};
    }
    /// Reads C back after `done`: its relative Frobenius error, or infinity where something was written outside.
    double error(const sycl::event& done) {
        std::vector<out_t> c(count(size_.m, size_.n) + guard);
        q_.memcpy(c.data(), device_c_, c.size() * sizeof(out_t), done).wait();
        double difference = 0, norm = 0;
        for (int i = 0; i < size_.m; ++i)
            for (int j = 0; j < size_.n; ++j) {
                double sum = 0;
                for (int k = 0; k < size_.k; ++k)
                    sum += double(float(a_[at(i, k, size_.k)])) * double(float(b_[at(k, j, size_.n)]));
                const double d = double(float(c[at(i, j, size_.n)])) - sum;
                difference += d * d;
                norm += sum * sum;
            }
        for (std::size_t i = count(size_.m, size_.n); i < c.size(); ++i) {
            unsigned char bytes[sizeof(out_t)];
            std::memcpy(bytes, &c[i], sizeof bytes);
            for (const unsigned char b : bytes)
                if (b != 0xff) return INFINITY;
        }
        // A NaN in C must fail a comparison with a bound.
        return std::isfinite(difference) ? std::sqrt(difference / norm) : INFINITY;
    }

private:
    static constexpr std::size_t guard = 4096;
    static std::size_t count(int rows, int cols) { return std::size_t(rows) * std::size_t(cols); }
    static std::size_t at(int row, int col, int cols) {
        return std::size_t(row) * std::size_t(cols) + std::size_t(col);
    }
    template <class T> T* allocate(std::size_t n) {
        // Some implementations want a size that is a multiple of the alignment.
        T* p = sycl::aligned_alloc_device<T>(64, (n + 63) / 64 * 64, q_);
        if (!p) throw sycl::exception(sycl::make_error_code(sycl::errc::memory_allocation), "out of memory");
        return p;
    }

    sycl::queue q_;
    gemm_size size_;
    std::vector<in_t> a_, b_;
    in_t *device_a_, *device_b_;
    out_t* device_c_;
};

/// Exceptions that a queue's async_handler was given.
struct async_errors {
    std::vector<std::string> messages;
    auto handler() {
        return [this](sycl::exception_list list) {
            for (const auto& e : list) try {
                    std::rethrow_exception(e);
                } catch (const std::exception& x) {
                    messages.emplace_back(x.what());
                }
        };
    }
};
