// SPDX-License-Identifier: Apache-2.0
#include "gemm_check.hpp"

#include "../parallel.hpp"
#include "../progress.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace kittens::tool {

namespace {

constexpr std::int64_t block_m = 64, block_n = 256, block_k = 128;

/// sum[i][j] += a[i][k] * b[k][j] for one block; `width` columns. Four K at a time: sums are loaded and stored once for
/// four products.
__attribute__((always_inline)) inline void multiply_block(double* __restrict sum, const double* __restrict a,
                                                          const double* __restrict b, std::int64_t rows,
                                                          std::int64_t depth) {
    for (std::int64_t i = 0; i < rows; ++i) {
        double* __restrict s = sum + i * block_n;
        for (std::int64_t k = 0; k < depth; k += 4) {
            const double* x = a + i * block_k + k;
            const double *b0 = b + k * block_n, *b1 = b0 + block_n, *b2 = b1 + block_n, *b3 = b2 + block_n;
            const double x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
            for (std::int64_t j = 0; j < block_n; ++j) s[j] += (x0 * b0[j] + x1 * b1[j]) + (x2 * b2[j] + x3 * b3[j]);
        }
    }
}

using multiply_fn = void (*)(double*, const double*, const double*, std::int64_t, std::int64_t);

void multiply_any(double* s, const double* a, const double* b, std::int64_t r, std::int64_t d) {
    multiply_block(s, a, b, r, d);
}
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void multiply_avx2(double* s, const double* a, const double* b, std::int64_t r,
                                                       std::int64_t d) {
    multiply_block(s, a, b, r, d);
}
#endif

multiply_fn best_multiply() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return multiply_avx2;
#endif
    return multiply_any;
}

/// Elements [row, row + rows) x [col, col + cols) of a matrix (of its transpose, where `transposed`) as doubles; the rest of
/// the block is zero.
template <class T>
void unpack(const T* p, std::int64_t stride, bool transposed, std::int64_t row, std::int64_t rows, std::int64_t col,
            std::int64_t cols, double* to, std::int64_t block_rows, std::int64_t block_cols) {
    for (std::int64_t i = 0; i < block_rows; ++i)
        for (std::int64_t j = 0; j < block_cols; ++j) {
            double v = 0;
            if (i < rows && j < cols) {
                const T x = transposed ? p[(col + j) * stride + row + i] : p[(row + i) * stride + col + j];
                if constexpr (std::is_same_v<T, int8>) v = x;
                else v = static_cast<float>(x);
            }
            to[i * block_cols + j] = v;
        }
}

double element(std::span<const std::byte> from, dtype t, std::int64_t i) {
    switch (t) {
    case dtype::bf16: return reinterpret_cast<const bf16*>(from.data())[i];
    case dtype::f16: return static_cast<double>(reinterpret_cast<const half*>(from.data())[i]);
    case dtype::f32: return reinterpret_cast<const float*>(from.data())[i];
    default: return reinterpret_cast<const int32*>(from.data())[i];
    }
}

double activated(double x, gemm_epilogue::function f) {
    switch (f) {
    case gemm_epilogue::function::relu: return x > 0 ? x : 0;
    case gemm_epilogue::function::silu: return x / (1 + std::exp(-x));
    case gemm_epilogue::function::gelu: // the tanh form
        return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    default: return x;
    }
}

/// What element `i` (in column `col`) of C should be, given its sum.
double finished(const gemm_problem& p, double sum, std::int64_t i, std::int64_t col) {
    const gemm_epilogue& e = p.epilogue;
    double x = e.alpha * sum;
    if (!e.old.empty()) x += e.beta * element(e.old, p.out, i);
    if (!e.bias.empty()) x += element(e.bias, p.out, col);
    x = activated(x, e.activation);
    if (!e.residual.empty()) x += element(e.residual, p.out, i);
    return x;
}

/// What a task found.
struct partial {
    double error2 = 0, reference2 = 0, worst_error = -1;
    gemm_comparison found;
};

template <class Out>
void compare_element(partial& to, Out got_element, double expected, std::int64_t row, std::int64_t col) {
    gemm_comparison& f = to.found;
    if constexpr (std::is_same_v<Out, int32>) {
        // Sums of int8 products are whole and far below 2^53, so the double is exact; the accumulator wraps.
        const auto wrapped = static_cast<int32>(static_cast<std::uint32_t>(static_cast<std::int64_t>(expected)));
        f.different += got_element != wrapped;
        expected = wrapped;
    }
    const auto got = static_cast<double>(got_element);
    if constexpr (!std::is_same_v<Out, int32>) {
        // Beyond the largest number an infinity is right; around it, where rounding decides, both are.
        const double largest = std::is_same_v<Out, half> ? 65504.0 : 3.3895313892515355e38;
        if (std::abs(expected) > largest * 0.98 && std::isinf(got) && (got > 0) == (expected > 0)) return;
        if (!std::isfinite(got)) {
            if (f.nonfinite++ == 0) f.worst = {row, col, got, expected};
            return;
        }
    }
    const double error = std::abs(got - expected);
    to.error2 += error * error;
    to.reference2 += expected * expected;
    if (error > f.max_abs) f.max_abs = error;
    if (f.nonfinite == 0 && error > to.worst_error) to.worst_error = error, f.worst = {row, col, got, expected};
}

template <class In, class Out>
partial compare_task(const gemm_problem& p, multiply_fn multiply, std::int64_t batch, std::int64_t row, std::int64_t col) {
    const std::int64_t rows = std::min(block_m, p.m - row), cols = std::min(block_n, p.n - col);
    std::vector<double> sum(block_m * block_n), a(block_m * block_k), b(block_k * block_n);
    const auto* left = reinterpret_cast<const In*>(p.a.data()) + batch * p.m * p.k;
    const auto* right = reinterpret_cast<const In*>(p.b.data()) + batch * p.k * p.n;
    for (std::int64_t k = 0; k < p.k; k += block_k) {
        const std::int64_t depth = std::min(block_k, p.k - k);
        unpack(left, p.a_transposed ? p.m : p.k, p.a_transposed, row, rows, k, depth, a.data(), block_m, block_k);
        unpack(right, p.b_transposed ? p.k : p.n, p.b_transposed, k, depth, col, cols, b.data(), block_k, block_n);
        multiply(sum.data(), a.data(), b.data(), rows, depth);
    }
    partial result;
    const auto* c = reinterpret_cast<const Out*>(p.c.data());
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < cols; ++j) {
            const std::int64_t at = (batch * p.m + row + i) * p.n + col + j;
            compare_element<Out>(result, c[at], finished(p, sum[static_cast<std::size_t>(i * block_n + j)], at, col + j), row + i, col + j);
        }
    return result;
}

template <class In, class Out>
gemm_comparison compare(const gemm_problem& p) {
    const std::int64_t down = (p.m + block_m - 1) / block_m, across = (p.n + block_n - 1) / block_n, tasks = p.batch * down * across;
    std::vector<partial> parts(static_cast<std::size_t>(tasks));
    const multiply_fn multiply = best_multiply();
    progress bar("checking", static_cast<std::uint64_t>(tasks));
    parallel_for(tasks, [&](std::int64_t t) {
        parts[static_cast<std::size_t>(t)] =
            compare_task<In, Out>(p, multiply, t / (down * across), t / across % down * block_m, t % across * block_n);
        bar.advance();
    });

    gemm_comparison result;
    result.exact_required = std::is_same_v<Out, int32>;
    // Half of binary16's smallest step; for bf16 and float accumulators what may be flushed to zero.
    if (!result.exact_required) result.resolution = std::is_same_v<Out, half> ? 0x1p-25 : 0x1p-126;
    double error2 = 0, reference2 = 0, worst_error = -1;
    for (const partial& part : parts) {
        if (result.nonfinite == 0 && (part.found.nonfinite > 0 || part.worst_error > worst_error)) {
            result.worst = part.found.worst;
            worst_error = part.worst_error;
        }
        result.nonfinite += part.found.nonfinite;
        result.different += part.found.different;
        result.max_abs = std::max(result.max_abs, part.found.max_abs);
        error2 += part.error2;
        reference2 += part.reference2;
    }
    constexpr double infinite = std::numeric_limits<double>::infinity();
    if (result.nonfinite > 0) result.relative_frobenius = std::numeric_limits<double>::quiet_NaN();
    else if (error2 > 0) result.relative_frobenius = reference2 > 0 ? std::sqrt(error2 / reference2) : infinite;
    return result;
}

}  // namespace

gemm_comparison compare_gemm(const gemm_problem& p) {
    const auto holds = [&](std::span<const std::byte> s, std::int64_t rows, std::int64_t cols, dtype t) {
        return s.size() == static_cast<std::size_t>(p.batch * rows * cols) * static_cast<std::size_t>(size_of(t));
    };
    const auto may_hold = [&](std::span<const std::byte> s, std::int64_t rows, std::int64_t batch) {
        return s.empty() || s.size() == static_cast<std::size_t>(batch * rows * p.n) * static_cast<std::size_t>(size_of(p.out));
    };
    if (!may_hold(p.epilogue.old, p.m, p.batch) || !may_hold(p.epilogue.bias, 1, 1) || !may_hold(p.epilogue.residual, p.m, p.batch))
        throw std::invalid_argument("compare_gemm: the epilogue's operands are not of the sizes given");
    if (!holds(p.a, p.m, p.k, p.in) || !holds(p.b, p.k, p.n, p.in) || !holds(p.c, p.m, p.n, p.out))
        throw std::invalid_argument("compare_gemm: the matrices are not of the sizes given");
    const auto to_float = [&]<class In>(In*) {
        if (p.out == dtype::bf16) return compare<In, bf16>(p);
        if (p.out == dtype::f16) return compare<In, half>(p);
        if (p.out == dtype::f32) return compare<In, float>(p);
        throw std::invalid_argument("compare_gemm: no reference for these element types");
    };
    if (p.in == dtype::bf16) return to_float(static_cast<bf16*>(nullptr));
    if (p.in == dtype::f16) return to_float(static_cast<half*>(nullptr));
    if (p.in == dtype::tf32) return to_float(static_cast<tf32*>(nullptr));
    if (p.in == dtype::i8 && p.out == dtype::i32) return compare<int8, int32>(p);
    throw std::invalid_argument("compare_gemm: no reference for these element types");
}

}  // namespace kittens::tool
