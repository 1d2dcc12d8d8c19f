// SPDX-License-Identifier: Apache-2.0
#include "tensor.hpp"

#include "grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace grid {

namespace {

/// Calls f with a value of the element type.
template <class F> auto with_type(dtype type, F f) {
    switch (type) {
        case dtype::f32: return f(float());
        case dtype::bf16: return f(bf16(0.0f));
        case dtype::f16: return f(half());
        case dtype::tf32: return f(tf32(0.0f));
        case dtype::i8: return f(int8());
        case dtype::u8: return f(uint8());
        case dtype::i32: return f(int32());
        case dtype::e4m3: return f(fp8e4m3(0.0f));
        case dtype::e5m2: return f(fp8e5m2(0.0f));
    }
    std::abort();
}

unsigned char guard_byte(std::size_t i) { return static_cast<unsigned char>((i * 2654435761U) >> 13); }

bool is_integer(dtype t) { return t == dtype::i8 || t == dtype::u8 || t == dtype::i32; }

/// Exponent and fraction bits.
struct float_form {
    int exponent, fraction;
};
float_form form_of(dtype t) {
    switch (t) {
        case dtype::bf16: return {8, 7};
        case dtype::f16: return {5, 10};
        case dtype::e4m3: return {4, 3};
        case dtype::e5m2: return {5, 2};
        case dtype::tf32: return {8, 10};
        default: return {8, 23};
    }
}

std::string describe(const tensor& t, int i, int j) {
    return fmt::format("({}, {}) of {} x {} {}", i, j, t.rows(), t.cols(), name_of(t.type()));
}

}  // namespace

std::uint64_t mix(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
    std::uint64_t x = seed + 0x9e3779b97f4a7c15U * (a + 1) + 0xd1b54a32d192ed03U * (b + 1);
    for (int round = 0; round < 2; ++round) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
        x ^= x >> 31;
    }
    return x;
}

std::uint32_t encode(dtype type, float value) {
    return with_type(type, [value](auto as) {
        const auto v = convert<decltype(as)>(value);
        std::uint32_t bits = 0;
        std::memcpy(&bits, &v, sizeof v);
        return bits;
    });
}

double decode(dtype type, std::uint32_t bits) {
    return with_type(type, [bits](auto as) {
        std::memcpy(static_cast<void*>(&as), &bits, sizeof as);
        if constexpr (std::is_integral_v<decltype(as)>) return static_cast<double>(as);
        else return static_cast<double>(static_cast<float>(as));
    });
}

bool is_nan(dtype type, std::uint32_t bits) { return !is_integer(type) && std::isnan(decode(type, bits)); }

double rounding(dtype type, double value) {
    if (is_integer(type)) return 0.5;
    if (value == 0 || !std::isfinite(value)) return 0;
    const float_form f = form_of(type);
    const int least = 2 - (1 << (f.exponent - 1));
    return std::ldexp(0.5, std::max(std::ilogb(value), least) - f.fraction);
}

namespace {

/// The bits of a finite or infinite value that the type holds exactly.
std::uint32_t float_bits(const float_form& f, double value) {
    const std::uint32_t sign = std::signbit(value) ? 1U << (f.exponent + f.fraction) : 0;
    const double a = std::fabs(value);
    const int bias = (1 << (f.exponent - 1)) - 1;
    if (std::isinf(a)) return sign | ((1U << f.exponent) - 1U) << f.fraction;
    if (a < std::ldexp(1.0, 1 - bias)) return sign | static_cast<std::uint32_t>(std::ldexp(a, bias - 1 + f.fraction));
    const int e = std::ilogb(a);
    return sign | static_cast<std::uint32_t>(e + bias) << f.fraction | static_cast<std::uint32_t>(std::ldexp(a, f.fraction - e) - std::ldexp(1.0, f.fraction));
}

double largest(dtype t) {
    switch (t) {
        case dtype::e4m3: return 448;
        case dtype::e5m2: return 57344;
        case dtype::f16: return 65504;
        case dtype::i8: return 127;
        case dtype::u8: return 255;
        case dtype::i32: return 2147483647;
        default: return std::ldexp(2 - std::ldexp(1.0, -form_of(t).fraction), 127);
    }
}

}  // namespace

std::uint32_t nearest(dtype type, double value) {
    if (is_integer(type)) {
        const double least = type == dtype::u8 ? 0 : -largest(type) - 1;
        const auto n = std::isnan(value) ? 0 : static_cast<std::int64_t>(std::clamp(std::nearbyint(value), least, largest(type)));
        return static_cast<std::uint32_t>(n) & (type == dtype::i32 ? ~0U : 0xffU);
    }
    if (std::isnan(value)) return encode(type, NAN);
    if (type == dtype::tf32) {
        const double unit = 2 * rounding(type, value);
        const auto v = static_cast<float>(unit == 0 ? value : std::nearbyint(value / unit) * unit);
        std::uint32_t bits = 0;
        std::memcpy(&bits, &v, sizeof v);
        return bits;
    }
    const bool saturates = type == dtype::e4m3 || type == dtype::e5m2;
    const double unit = 2 * rounding(type, value);
    double v = unit == 0 ? value : std::nearbyint(value / unit) * unit;
    if (std::fabs(v) > largest(type)) {
        const bool keeps_infinity = std::isinf(value) && type == dtype::e5m2;
        v = std::copysign(saturates && !keeps_infinity ? largest(type) : INFINITY, v);
    }
    return float_bits(form_of(type), v);
}

void fill_for_conversion(tensor& t, dtype to, std::uint64_t seed) {
    for (int i = 0; i < t.rows(); ++i)
        for (int j = 0; j < t.cols(); ++j) {
            const std::uint64_t h = mix(seed, i, j);
            const int kind = static_cast<int>(h % 8);
            if (is_integer(t.type())) {
                t.set_bits(i, j, static_cast<std::uint32_t>(h >> 8) & (t.type() == dtype::i32 ? kind < 4 ? 0xffU : 0xffffffU : 0xffU));
                continue;
            }
            double v = std::ldexp(1.0 + static_cast<double>(h >> 24) * 0x1p-40, static_cast<int>((h >> 16) % 17) - 8);
            if (h & 0x8000) v = -v;
            const double half_unit = rounding(to, v);
            if (kind == 0 || kind == 1) v = (std::floor(v / (2 * half_unit)) + 0.5) * 2 * half_unit;             // a tie
            if (kind == 1) v *= 1 + ((h & 0x4000) ? 0x1p-22 : -0x1p-22);                                         // next to one
            if (kind == 2 && is_integer(to)) v = std::ldexp(v, 8);
            if (kind == 3) v = (h >> 20) % 4 == 0 ? 0.0 : (h >> 20) % 4 == 1 ? INFINITY : (h >> 20) % 4 == 2 ? -INFINITY : v * 0x1p9;
            t.set(i, j, static_cast<float>(v));
        }
}

tensor::tensor(const device& where, dtype type, int rows, int cols, bool written)
    : type_(type), rows_(rows), cols_(cols), size_(size_of(type)), pitch_(((cols * size_ + 63) / 64 + 1) * 64), written_(written),
      memory_(where, 2 * front + std::size_t(rows) * pitch_) {
    if (written_) {
        for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = guard_byte(i);
        poison();
    } else std::memset(memory_.data(), poison_byte, memory_.size());
}

matrix_arg tensor::arg() const {
    matrix_arg a;
    a.data = memory_.data() + front;
    a.rows = rows_;
    a.cols = cols_;
    a.stride = pitch_ / size_;
    return a;
}

std::uint32_t tensor::bits(int i, int j) const {
    std::uint32_t b = 0;
    std::memcpy(&b, memory_.data() + at(i, j), size_);
    return b;
}
void tensor::set_bits(int i, int j, std::uint32_t bits) { std::memcpy(memory_.data() + at(i, j), &bits, size_); }
double tensor::value(int i, int j) const { return decode(type_, bits(i, j)); }
void tensor::set(int i, int j, float value) { set_bits(i, j, encode(type_, value)); }

void tensor::fill_coded(std::uint64_t seed, bool numbers) {
    const float_form f = form_of(type_);
    for (int i = 0; i < rows_; ++i)
        for (int j = 0; j < cols_; ++j) {
            auto b = static_cast<std::uint32_t>(mix(seed, i, j));
            if (size_ < 4) b &= (1U << (8 * size_)) - 1U;
            if (type_ == dtype::tf32) b &= 0xffffe000U;
            if (!is_integer(type_)) {
                const int shift = type_ == dtype::tf32 ? 23 : f.fraction;
                const std::uint32_t mask = ((1U << f.exponent) - 1U) << shift;
                // Every exponent but the least and the largest: the hash's top bits, which are not in the element, choose one.
                if ((b & mask) == mask || (numbers && (b & mask) == 0))
                    b = (b & ~mask) | (1U + static_cast<std::uint32_t>(mix(seed, j, i)) % ((1U << f.exponent) - 2U)) << shift;
            }
            set_bits(i, j, b);
        }
}

void tensor::fill_uniform(std::uint64_t seed, float lo, float hi) {
    for (int i = 0; i < rows_; ++i)
        for (int j = 0; j < cols_; ++j) {
            const double unit = static_cast<double>(mix(seed, i, j) >> 11) * 0x1p-53;
            if (is_integer(type_)) set(i, j, static_cast<float>(std::floor(lo + unit * (double(hi) - lo + 1))));
            else set(i, j, static_cast<float>(lo + unit * (double(hi) - lo)));
        }
}

void tensor::poison() {
    for (int i = 0; i < rows_; ++i) std::memset(memory_.data() + at(i, 0), poison_byte, std::size_t(cols_) * size_);
}

void tensor::remember() { remembered_.assign(memory_.begin(), memory_.end()); }

bool tensor::inside(std::size_t byte) const {
    if (byte < front) return false;
    const std::size_t i = (byte - front) / pitch_;
    return i < std::size_t(rows_) && (byte - front) % pitch_ < std::size_t(cols_) * size_;
}

std::string tensor::damage() const {
    if (remembered_.empty() || std::memcmp(remembered_.data(), memory_.data(), memory_.size()) == 0) return {};
    for (std::size_t b = 0; b < memory_.size(); ++b) {
        if (memory_[b] == remembered_[b]) continue;
        const bool element = inside(b);
        if (element && written_) continue;
        const auto offset = static_cast<std::ptrdiff_t>(b) - static_cast<std::ptrdiff_t>(front);
        return fmt::format("{} was written, {} bytes from the first element of a {} x {} {} {} with rows {} bytes apart",
                           element ? "an input" : "a guard zone", offset, rows_, cols_, name_of(type_), written_ ? "output" : "input", pitch_);
    }
    return {};
}

void expect_bits(const char* what, const tensor& got, const std::function<std::uint32_t(int, int)>& expected) {
    long wrong = 0;
    std::string first;
    for (int i = 0; i < got.rows(); ++i)
        for (int j = 0; j < got.cols(); ++j) {
            const std::uint32_t want = expected(i, j), have = got.bits(i, j);
            if (want == have || (is_nan(got.type(), want) && is_nan(got.type(), have))) continue;
            if (wrong++ == 0) first = fmt::format("element {} is {:#x} ({:g}), not {:#x} ({:g})", describe(got, i, j), have, decode(got.type(), have), want, decode(got.type(), want));
        }
    if (wrong) throw failure(fmt::format("{}: {} of {} elements are wrong; {}", what, wrong, long(got.rows()) * got.cols(), first));
}

void expect_close(const char* what, const tensor& got, const std::function<wanted(int, int)>& expected) {
    long wrong = 0;
    std::string first;
    for (int i = 0; i < got.rows(); ++i)
        for (int j = 0; j < got.cols(); ++j) {
            const wanted want = expected(i, j);
            const double have = got.value(i, j);
            const bool well = std::isnan(want.value) ? std::isnan(have)
                            : std::isinf(want.value) ? have == want.value
                                                     : std::fabs(have - want.value) <= want.bound;
            if (well) continue;
            if (wrong++ == 0) first = fmt::format("element {} is {:.9g}, not {:.9g} to within {:.2g}", describe(got, i, j), have, want.value, want.bound);
        }
    if (wrong) throw failure(fmt::format("{}: {} of {} elements are wrong; {}", what, wrong, long(got.rows()) * got.cols(), first));
}

}  // namespace grid
