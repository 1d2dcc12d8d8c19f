// SPDX-License-Identifier: Apache-2.0
// Runs code as one subgroup of the cpu target, and makes random tensors whose surroundings are poisoned.
#pragma once

#include <kittens/kittens.hpp>
#include <kittens/runtime/cpu_isa.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace cpu_tests {

using namespace kittens;

#define KITTENS_TEST_STRING_(X) #X
#define KITTENS_TEST_STRING(X) KITTENS_TEST_STRING_(X)

/// The seed of this run; KITTENS_SEED repeats one.
inline unsigned seed() {
    static const unsigned value = [] {
        const char* given = std::getenv("KITTENS_SEED");
        const unsigned s = given ? unsigned(std::strtoul(given, nullptr, 10)) : std::random_device{}();
        ::testing::Test::RecordProperty("seed", std::to_string(s));
        std::fprintf(stderr, "KITTENS_SEED=%u\n", s);
        return s;
    }();
    return value;
}

/// A test that skips where the machine does not run this translation unit's instructions.
class on_cpu : public ::testing::Test {
  protected:
    void SetUp() override {
        const auto usable = usable_cpu_isas();
        const auto needed = parse_cpu_isa(KITTENS_TEST_STRING(KITTENS_CPU_ISA));
        ASSERT_TRUE(needed.has_value());
        if (std::find(usable.begin(), usable.end(), *needed) == usable.end()) GTEST_SKIP() << "this machine has no " << KITTENS_TEST_STRING(KITTENS_CPU_ISA);
    }
    std::mt19937 random{seed()};

    int uniform(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); }
    template <class T> T value() {
        if constexpr (std::is_same_v<T, int8>) return int8(uniform(-128, 127));
        else if constexpr (std::is_same_v<T, uint8>) return uint8(uniform(0, 255));
        else if constexpr (std::is_same_v<T, int32>) return uniform(-100000, 100000);
        else return convert<T>(std::uniform_real_distribution<float>(-2.0f, 2.0f)(random));
    }
};

/// Runs body(subgroup) as one subgroup, in place of a launch.
template <class F> void as_subgroup(F&& body) {
    host_context context;
    run_subgroup(&context, body);
}

template <class T> T poison() {
    if constexpr (is_integer_element<T>) return T(0x5a5a5a5a);
    else return convert<T>(__builtin_nanf(""));
}

/// A matrix in a larger allocation that is poisoned all around, with a pitch larger than its width.
template <class T>
struct matrix {
    int rows, cols, pitch;
    std::vector<T> memory;

    matrix(int r, int c, int extra_pitch = 24) : rows(r), cols(c), pitch(c + extra_pitch), memory(std::size_t(r + 4) * pitch + 64, poison<T>()) {}
    T* data() { return memory.data() + 2 * pitch + 5; }
    T& operator()(int i, int j) { return data()[std::ptrdiff_t(i) * pitch + j]; }
    double value(int i, int j) { return i < 0 || j < 0 || i >= rows || j >= cols ? 0.0 : double((*this)(i, j)); }

    template <class E = T> gl<E, 1, 1, -1, -1, access::plain> layout() {
        return {data(), 1, 1, rows, cols, pitch, std::int64_t(rows) * pitch, std::int64_t(rows) * pitch};
    }
    /// Whether everything outside the matrix still holds the poison.
    bool surroundings_intact() const {
        const T p = poison<T>();
        const std::ptrdiff_t first = 2 * pitch + 5;
        for (std::ptrdiff_t i = 0; i < std::ptrdiff_t(memory.size()); ++i) {
            const std::ptrdiff_t at = i - first;
            const bool inside = at >= 0 && at / pitch < rows && at % pitch < cols;
            if (!inside && std::memcmp(&memory[i], &p, sizeof(T)) != 0) return false;
        }
        return true;
    }
};

}  // namespace cpu_tests
