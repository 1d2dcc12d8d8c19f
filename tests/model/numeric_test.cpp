// SPDX-License-Identifier: Apache-2.0
// Number formats, exhaustively where that is possible, against values computed from the formats' definitions.
#include <gtest/gtest.h>
#include <kittens/model/numeric.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace {

namespace model = kittens::model;

std::uint32_t bits(float v) {
    std::uint32_t b;
    std::memcpy(&b, &v, 4);
    return b;
}

// Value of sign, exponent, mantissa by definition, in double.
double by_definition(unsigned v, int e_bits, int m_bits) {
    const int bias = (1 << (e_bits - 1)) - 1;
    const double sign = (v >> (e_bits + m_bits)) & 1 ? -1 : 1;
    const int e = static_cast<int>(v >> m_bits) & ((1 << e_bits) - 1);
    const double m = static_cast<double>(v & ((1u << m_bits) - 1)) / (1 << m_bits);
    return e == 0 ? sign * std::ldexp(m, 1 - bias) : sign * std::ldexp(1 + m, e - bias);
}

TEST(formats, e4m3_decodes_every_code) {
    for (unsigned v = 0; v < 256; ++v) {
        const float f = model::e4m3_to_f32(static_cast<unsigned char>(v));
        if ((v & 0x7F) == 0x7F) EXPECT_TRUE(std::isnan(f));
        else EXPECT_EQ(by_definition(v, 4, 3), f) << v;
    }
    EXPECT_EQ(448.0f, model::e4m3_to_f32(0x7E));
    EXPECT_TRUE(std::signbit(model::e4m3_to_f32(0x80)));
}

TEST(formats, e5m2_decodes_every_code) {
    for (unsigned v = 0; v < 256; ++v) {
        const float f = model::e5m2_to_f32(static_cast<unsigned char>(v));
        if ((v & 0x7F) > 0x7C) EXPECT_TRUE(std::isnan(f));
        else if ((v & 0x7F) == 0x7C) EXPECT_EQ(v & 0x80 ? -INFINITY : INFINITY, f);
        else EXPECT_EQ(by_definition(v, 5, 2), f) << v;
    }
    EXPECT_EQ(57344.0f, model::e5m2_to_f32(0x7B));
}

TEST(formats, e2m1_decodes_every_code) {
    const float values[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    for (unsigned v = 0; v < 16; ++v)
        EXPECT_EQ(v & 8 ? -values[v & 7] : values[v & 7], model::e2m1_to_f32(static_cast<unsigned char>(v)));
}

TEST(formats, f16_decodes_every_code) {
    for (unsigned v = 0; v < 65536; ++v) {
        const float f = model::f16_to_f32(static_cast<unsigned short>(v));
        if ((v & 0x7FFF) > 0x7C00) EXPECT_TRUE(std::isnan(f)) << v;
        else if ((v & 0x7FFF) == 0x7C00) EXPECT_TRUE(std::isinf(f)) << v;
        else EXPECT_EQ(by_definition(v, 5, 10), f) << v;
    }
}

// Nearest code by search over all codes; of two equally near ones the even.
unsigned nearest(double x, unsigned codes, const std::function<double(unsigned)>& decode, unsigned sign_bit) {
    unsigned best = 0;
    double distance = INFINITY;
    for (unsigned c = 0; c < codes; ++c) {
        const double d = std::fabs(decode(c) - std::fabs(x));
        if (d < distance || (d == distance && c % 2 == 0)) best = c, distance = d;
    }
    return best | (std::signbit(x) ? sign_bit : 0);
}

TEST(formats, small_floats_round_to_nearest_even) {
    std::mt19937 random(std::random_device{}());
    std::vector<float> values = {0.0f,  -0.0f, 0.0009765625f, 0.0019531f, 1.0625f, 1.1875f, 447.0f,
                                 0.25f, 2.5f,  5.0f,          0.75f,      1e-30f,  1e-8f};
    for (int i = 0; i < 20000; ++i) {
        const float magnitude =
            std::ldexp(1.0f + static_cast<float>(random() % 4096) / 4096.0f, static_cast<int>(random() % 34) - 18);
        values.push_back(random() % 2 ? -magnitude : magnitude);
    }
    for (const float v : values) {
        if (std::fabs(v) <= 448) {
            EXPECT_EQ(nearest(
                          v, 0x7F, [](unsigned c) { return by_definition(c, 4, 3); }, 0x80),
                      model::f32_to_e4m3(v))
                << v;
        }
        if (std::fabs(v) <= 57344) {
            EXPECT_EQ(nearest(
                          v, 0x7C, [](unsigned c) { return by_definition(c, 5, 2); }, 0x80),
                      model::f32_to_e5m2(v))
                << v;
        }
        if (std::fabs(v) <= 6) {
            EXPECT_EQ(
                nearest(
                    v, 8,
                    [](unsigned c) { return static_cast<double>(model::e2m1_to_f32(static_cast<unsigned char>(c))); },
                    8),
                model::f32_to_e2m1(v))
                << v;
        }
    }
}

TEST(formats, overflow_and_nan) {
    EXPECT_EQ(0x7E, model::f32_to_e4m3(1e9f));
    EXPECT_EQ(0xFE, model::f32_to_e4m3(-INFINITY));
    EXPECT_EQ(0x7F, model::f32_to_e4m3(1e9f, false));
    EXPECT_EQ(0x7E, model::f32_to_e4m3(463.9f));
    EXPECT_EQ(0x7F, model::f32_to_e4m3(465.0f, false));
    EXPECT_EQ(0x7B, model::f32_to_e5m2(1e9f));
    EXPECT_EQ(0x7C, model::f32_to_e5m2(1e9f, false));
    EXPECT_TRUE(std::isnan(model::e4m3_to_f32(model::f32_to_e4m3(NAN))));
    EXPECT_TRUE(std::isnan(model::e5m2_to_f32(model::f32_to_e5m2(NAN))));
    EXPECT_EQ(0x7, model::f32_to_e2m1(100.0f));
    EXPECT_EQ(0x7C00, model::f32_to_f16(1e9f));
    EXPECT_EQ(0x7BFF, model::f32_to_f16(65519.0f));
    EXPECT_EQ(0x7C00, model::f32_to_f16(65520.0f));
}

TEST(formats, f16_encodes_like_the_compilers_conversion) {
    std::mt19937 random(std::random_device{}());
    for (int i = 0; i < 200000; ++i) {
        std::uint32_t b = random();
        if (i % 2) b = (b & 0x807FFFFFu) | ((100u + b % 50u) << 23);  // the range that matters
        float v;
        std::memcpy(&v, &b, 4);
        if (std::isnan(v)) continue;
        const _Float16 h = static_cast<_Float16>(v);
        unsigned short expected;
        std::memcpy(&expected, &h, 2);
        ASSERT_EQ(expected, model::f32_to_f16(v)) << v;
    }
}

TEST(formats, bf16_rounds_to_nearest_even) {
    EXPECT_EQ(0x3F80, model::f32_to_bf16(1.0f));
    EXPECT_EQ(0x3F80, model::f32_to_bf16(1.00390625f)) << "tie to even below";
    EXPECT_EQ(0x3F82, model::f32_to_bf16(1.01171875f)) << "tie to even above";
    EXPECT_EQ(0x3F81, model::f32_to_bf16(1.0039065f));
    EXPECT_EQ(0x7F80, model::f32_to_bf16(std::numeric_limits<float>::max()));
    EXPECT_EQ(0xFF80, model::f32_to_bf16(-INFINITY));
    EXPECT_EQ(0x8000, model::f32_to_bf16(-0.0f));
    const unsigned short nan = model::f32_to_bf16(NAN);
    EXPECT_GT(nan & 0x7FFF, 0x7F80);
    for (unsigned v = 0; v < 65536; ++v) {
        const float f = model::bf16_to_f32(static_cast<unsigned short>(v));
        EXPECT_EQ(v << 16, bits(f));
        if (!std::isnan(f)) {
            EXPECT_EQ(v, model::f32_to_bf16(f));
        }
    }
}

TEST(formats, tf32_keeps_ten_mantissa_bits) {
    EXPECT_EQ(1.0f, model::tf32_operand(1.00048828f - 1e-7f)) << "the engine ignores the low bits";
    EXPECT_EQ(1.0009765625f, model::f32_to_tf32(1.0007f)) << "rounding first keeps them to half";
    EXPECT_EQ(1.0f, model::f32_to_tf32(1.00048828125f)) << "tie to even";
    EXPECT_TRUE(std::isnan(model::f32_to_tf32(NAN)));
    EXPECT_EQ(INFINITY, model::f32_to_tf32(INFINITY));
    for (const float v : {3.14159f, -2.7182818f, 1e-20f, 123456.789f})
        EXPECT_EQ(0u, bits(model::f32_to_tf32(v)) & 0x1FFFu);
}

TEST(formats, integer_operands_are_sign_extended) {
    using model::element;
    EXPECT_EQ(-1, model::operand_to_s32<element::s8>(0xFF));
    EXPECT_EQ(255, model::operand_to_s32<element::u8>(0xFF));
    EXPECT_EQ(-8, model::operand_to_s32<element::s4>(0x8));
    EXPECT_EQ(7, model::operand_to_s32<element::s4>(0x7));
    EXPECT_EQ(15, model::operand_to_s32<element::u4>(0xF));
    EXPECT_EQ(std::numeric_limits<int>::min(), model::multiply_add(std::numeric_limits<int>::max(), 1, 1))
        << "sums wrap";
}

}  // namespace
