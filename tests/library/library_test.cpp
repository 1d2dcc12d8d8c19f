// SPDX-License-Identifier: Apache-2.0
// The software instruction library on an OpenCL device and the emulator, two executions of one specification, must give the
// same bits for the same random data.
#include "library/instructions.hpp"

#include <gtest/gtest.h>
#include <kittens/runtime/runtime.hpp>
#include <kittens/target/emulated/engine.hpp>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <vector>

namespace library_tests {
namespace {

class library : public ::testing::Test {
protected:
    void SetUp() override {
        for (const kittens::device& d : kittens::devices())
            if (d.target() == "xe" && d.properties().mode == "software") opencl_ = d;
        if (!opencl_) GTEST_SKIP() << "no OpenCL device that runs the software instruction library";
        const char* given = std::getenv("KITTENS_SEED");
        const unsigned seed = given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
        std::fprintf(stderr, "KITTENS_SEED=%u\n", seed);
        random_.seed(seed);
    }

    /// Both targets' outputs for one run: `make` gets the device's buffers and says what to launch with.
    template <class Globals>
    void compare(const char* kernel, const std::vector<std::vector<int>>& inputs, std::size_t out_words,
                 std::size_t least_written, const std::function<Globals(const std::vector<int*>&, int*)>& make) {
        std::vector<int> results[2];
        const kittens::device where[] = {*opencl_, kittens::find_device("emulated")};
        for (int t = 0; t < 2; ++t) {
            std::vector<kittens::buffer<int>> buffers;
            std::vector<int*> pointers;
            for (const auto& in : inputs) {
                buffers.emplace_back(where[t], in.size());
                std::memcpy(buffers.back().data(), in.data(), in.size() * sizeof(int));
                pointers.push_back(buffers.back().data());
            }
            kittens::buffer<int> out(where[t], out_words);
            std::memset(out.data(), 0x5A, out.bytes());
            kittens::queue q(where[t]);
            kittens::run(q, kernel, make(pointers, out.data()));
            results[t].assign(out.begin(), out.end());
        }
        std::size_t written = 0;
        for (std::size_t i = 0; i < out_words; ++i) {
            written += results[1][i] != 0x5A5A5A5A;
            ASSERT_EQ(results[1][i], results[0][i]) << kernel << ": word " << i / 16 << " of lane " << i % 16;
        }
        EXPECT_GE(written, least_written) << kernel;
    }

    std::vector<int> random_words(std::size_t n) {
        std::vector<int> v(n);
        for (int& w : v) w = static_cast<int>(random_());
        return v;
    }
    /// Random values of moderate size, as bits of 16 or 32.
    template <class Encode> std::vector<int> random_values(std::size_t n, int bits, Encode encode) {
        std::vector<int> v(n);
        for (int& w : v) {
            unsigned word = 0;
            for (int i = 0; i < 32; i += bits) word |= encode(std::normal_distribution<float>(0, 1)(random_)) << i;
            w = static_cast<int>(word);
        }
        return v;
    }
    void products(const char* kernel, std::size_t words, std::vector<int> a, std::vector<int> b, std::vector<int> c) {
        compare<product_globals>(
            kernel, {std::move(a), std::move(b), std::move(c)}, words + 64, words,
            [](const std::vector<int*>& in, int* out) { return product_globals{in[0], in[1], in[2], out}; });
    }

    std::optional<kittens::device> opencl_;
    std::mt19937 random_;
};

unsigned bf16_bits(float v) { return __builtin_bit_cast(unsigned, v) >> 16; }
unsigned f16_bits(float v) { return __builtin_bit_cast(unsigned short, static_cast<_Float16>(v)); }
unsigned f32_bits(float v) { return __builtin_bit_cast(unsigned, v); }

TEST_F(library, loads_inside_and_over_every_edge) {
    constexpr int width = 200, height = 70, pitch = 224;
    const auto memory = random_words(static_cast<std::size_t>(pitch) * height / 4);
    for (const auto& [x, y] : {std::pair{0, 0}, {4, 3}, {44, 60}, {-4, -3}, {49, 69}, {100, 0}, {0, 200}, {-16, -40}}) {
        SCOPED_TRACE(::testing::Message() << "x " << x << " y " << y);
        compare<load_globals>("library_loads", {memory}, load_words + 64, load_words,
                              [&, x = x, y = y](const std::vector<int*>& in, int* out) {
                                  return load_globals{
                                      reinterpret_cast<const char*>(in[0]), width, height, pitch, x, y, out};
                              });
    }
}

TEST_F(library, stores_inside_and_over_every_edge) {
    constexpr int width = 200, height = 70, pitch = 224;
    const auto values = random_words(64 * 16);
    for (const auto& [x, y] : {std::pair{0, 0}, {8, 3}, {44, 16}, {-4, -3}, {100, 0}}) {
        SCOPED_TRACE(::testing::Message() << "x " << x << " y " << y);
        compare<store_globals>("library_stores", {values}, static_cast<std::size_t>(pitch) * height / 4 + 64,
                               x < 100 ? 64 : 0, [&, x = x, y = y](const std::vector<int*>& in, int* out) {
                                   return store_globals{
                                       reinterpret_cast<char*>(out), width, height, pitch, x, y, in[0]};
                               });
    }
}

TEST_F(library, products_of_bf16_and_integers) {
    const auto a = random_values(128, 16, bf16_bits), b = random_values(128, 16, bf16_bits),
               c = random_values(128, 16, bf16_bits);
    products("library_products", 832, a, b, c);
}

TEST_F(library, products_of_half) {
    const auto a = random_values(128, 16, f16_bits), b = random_values(128, 16, f16_bits);
    products("library_half_products", 160, a, b, random_values(128, 32, f32_bits));
    products("library_half_half_products", 64, a, b, random_values(128, 16, f16_bits));
}

TEST_F(library, products_of_tf32) {
    const auto a = random_values(128, 32, f32_bits), b = random_values(128, 32, f32_bits);
    products("library_tf32_products", 208, a, b, random_values(128, 32, f32_bits));
}

TEST_F(library, products_of_fp8_and_fp4) {
    auto a = random_words(128), b = random_words(128);
    for (auto* v : {&a, &b})
        for (int& w : *v) w &= 0x77777777;  // no NaN and no infinity in either format
    products("library_small_float_products", 416, a, b, random_values(128, 32, f32_bits));
}

}  // namespace
}  // namespace library_tests
