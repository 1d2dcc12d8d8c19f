// SPDX-License-Identifier: Apache-2.0
// Operands of one matrix product, and the check of its results.
#pragma once

#include "suites.hpp"

#include <kittens/base/types.hpp>
#include <kittens/runtime/memory.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kittens::bench {

/// The type that a GEMM's output has: that of its inputs, int32 for int8.
constexpr dtype output_of(dtype in) { return in == dtype::i8 ? dtype::i32 : in; }

/// What a check found.
struct verdict {
    /// ||C - reference|| / ||reference|| over whole rows, against double precision: all rows of small problems, else
    /// rows spread over the matrix.
    double relative_frobenius = 0;
    std::string failure;  ///< empty: it is right
    bool passed() const { return failure.empty(); }
};

/// Floating-point results pass below this relative Frobenius error; integers must be exact.
inline constexpr double gate = 0.02;

/// A (m x k) and B (k x n): normally distributed for floating point, uniform over all values for int8.
class gemm_data {
public:
    /// Throws memory_error where it does not fit.
    gemm_data(const device& where, const gemm_shape& shape, dtype in, std::uint64_t seed);

    const gemm_shape& shape() const noexcept { return shape_; }
    dtype in() const noexcept { return in_; }

    /// The operands in `type`: the type they were made in, or float, which holds the same values and is made when it is
    /// first asked for.
    const void* a(dtype type) { return operand(a_, type); }
    const void* b(dtype type) { return operand(b_, type); }

    /// Memory for a result, poisoned.
    buffer<std::byte> output(dtype type) const;

    /// Checks a result in two ways. Rows are compared element by element with a reference in double precision. The whole
    /// of C is multiplied with random sign vectors x and compared with A (B x): that estimates, without bias, the
    /// Frobenius norm of the error over all elements, and each row's share of it, so that a tile or a row which is wrong
    /// anywhere does not get through.
    verdict check(const void* c, dtype type);

private:
    using by_type = std::map<dtype, buffer<std::byte>>;

    const void* operand(by_type& of, dtype type);
    void make_reference();

    device where_;
    gemm_shape shape_;
    dtype in_;
    std::uint64_t seed_;
    by_type a_, b_;

    // The reference, made when it is first needed.
    std::vector<int> rows_;           ///< that are compared element by element
    std::vector<double> row_values_;  ///< rows_.size() x n
    std::vector<float> signs_;        ///< probes x n
    std::vector<double> products_;    ///< m x probes: A (B x)
};

}  // namespace kittens::bench
