// SPDX-License-Identifier: Apache-2.0
// C = A * B against a reference in double precision, every element.
#pragma once

#include <kittens/base/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace kittens::tool {

/// What is done to the sums: activation(alpha * sum + beta * old + bias) + residual, in double. Empty spans are left out;
/// all hold elements of `out`: old and residual as C, bias one per column.
struct gemm_epilogue {
    double alpha = 1, beta = 0;
    std::span<const std::byte> old, bias, residual;
    enum class function { none, relu, gelu, silu } activation = function::none;
};

/// Packed row-major matrices, one after another for each batch: A is m x k and B is k x n of `in` (or their transposes), C is
/// m x n of `out`.
struct gemm_problem {
    std::int64_t m = 0, n = 0, k = 0;
    dtype in = dtype::bf16, out = dtype::bf16;
    std::span<const std::byte> a, b, c;
    std::int64_t batch = 1;
    bool a_transposed = false, b_transposed = false;
    gemm_epilogue epilogue{};
};

/// An element of C and what it should be.
struct gemm_element {
    std::int64_t row = -1, col = -1;
    double got = 0, expected = 0;
};

struct gemm_comparison {
    /// ||C - reference|| / ||reference||, infinite where only the reference is zero, NaN where C holds one.
    double relative_frobenius = 0;
    double max_abs = 0;
    std::int64_t nonfinite = 0;  ///< NaN, or an infinity where the reference is within the type's range
    std::int64_t different = 0;  ///< integers: elements that are not exactly the reference
    gemm_element worst;          ///< the first non-finite element, or the one that is furthest off
    bool exact_required = false;
    double resolution = 0;  ///< errors up to here are the output type's rounding, however small the result is

    static constexpr double gate = 0.02;
    bool passed() const {
        if (exact_required) return different == 0;
        return nonfinite == 0 && (relative_frobenius < gate || max_abs <= resolution);
    }
};

/// The reference is made of the inputs as they are, so their own rounding is no part of the error. int8 products are
/// compared exactly, modulo 2^32 as the accumulator is.
gemm_comparison compare_gemm(const gemm_problem& problem);

}  // namespace kittens::tool
