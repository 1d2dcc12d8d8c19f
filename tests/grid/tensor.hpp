// SPDX-License-Identifier: Apache-2.0
// Matrices of the grid's cases, in unified memory, with guard zones; values, exact and approximate comparison.
#pragma once

#include "kernels/kernel.hpp"

#include <kittens/runtime/memory.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace grid {

/// Rows x cols elements whose type is known at run time. Around them, and between the rows, lies a pattern that nothing may
/// change; inputs are surrounded by NaN, so that what is read from outside shows in the result.
class tensor {
public:
    tensor(const device& where, dtype type, int rows, int cols, bool written);

    dtype type() const { return type_; }
    int rows() const { return rows_; }
    int cols() const { return cols_; }
    matrix_arg arg() const;

    /// An element as its bits, zero-extended, and as a number.
    std::uint32_t bits(int i, int j) const;
    void set_bits(int i, int j, std::uint32_t bits);
    double value(int i, int j) const;
    /// Rounds to the element type as kittens::convert does.
    void set(int i, int j, float value);

    /// Fills with bits that a hash of (row, column) gives: wherever an element ends up, it tells where it came from.
    /// Finite; `numbers`: not subnormal either.
    void fill_coded(std::uint64_t seed, bool numbers = false);
    /// Fills with numbers from lo to hi; integers where the type is one.
    void fill_uniform(std::uint64_t seed, float lo, float hi);
    /// All elements back to the poison that outputs start with.
    void poison();

    /// Remembers the content, and whether it, and the surroundings, are as they were.
    void remember();
    /// What has changed that must not, or "". Elements of a written tensor may change.
    std::string damage() const;

private:
    std::size_t at(int i, int j) const { return front + std::size_t(i) * pitch_ + std::size_t(j) * size_; }
    bool inside(std::size_t byte) const;

    static constexpr std::size_t front = 4096;
    dtype type_;
    int rows_, cols_, size_, pitch_;
    bool written_;
    buffer<unsigned char> memory_;
    std::vector<unsigned char> remembered_;
};

/// Bits of `value` in the type, and back.
std::uint32_t encode(dtype type, float value);
double decode(dtype type, std::uint32_t bits);
bool is_nan(dtype type, std::uint32_t bits);

/// `value` in the type, to nearest, ties to even, integers and 8-bit floats saturating: written without kittens::convert, so that
/// the two check each other.
std::uint32_t nearest(dtype type, double value);

/// Fills with numbers whose conversion to another type meets every rounding case: ties, neighbours of ties, overflow,
/// zeros, infinities.
void fill_for_conversion(tensor& t, dtype to, std::uint64_t seed);

/// Hash of a seed and two indices.
std::uint64_t mix(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0);

/// Throws failure at the first element of `got` whose bits are not expected(i, j); any NaN equals any NaN.
void expect_bits(const char* what, const tensor& got, const std::function<std::uint32_t(int, int)>& expected);
/// Throws failure where |got - expected| > bound, or where exactly one of the two is NaN, or an infinity differs.
struct wanted {
    double value, bound;
};
void expect_close(const char* what, const tensor& got, const std::function<wanted(int, int)>& expected);

/// Half a unit in the last place of `value` in the type: what one rounding may cost.
double rounding(dtype type, double value);

}  // namespace grid
