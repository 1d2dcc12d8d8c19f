// SPDX-License-Identifier: Apache-2.0
// Results of the emulated instructions on random data, against plain loops over the matrices.
#include <kittens/model/numeric.hpp>

#include <algorithm>
#include <cmath>

#include "support.hpp"

namespace emulated_tests {
namespace {

template <class T> T at(const tensor<T>& t, int columns, int rows, int r, int c) {
    return r >= 0 && r < rows && c >= 0 && c < columns ? t[static_cast<std::size_t>(r * columns + c)] : T{};
}

struct corner {
    int x, y;
};
// Inside, over each edge, over a corner, and wholly outside.
const corner corners[] = {{0, 0}, {16, 8}, {96, 0}, {-8, 4}, {32, 50}, {64, -4}, {100, 60}, {400, 0}, {0, -64}};

TEST(emulated_instructions, loads_at_every_edge) {
    constexpr int columns = 112, rows = 56;
    tensor<short> t(columns * rows);
    const isa::surface s{t.data(), columns * 2, rows, columns * 2};
    for (const auto [x, y] : corners) {
        const auto r = run([&, x = x, y = y](char*) {
            const int l = isa::lane();
            short plain[32];
            int packed[16];
            int transposed[8];
            isa::load_2d<2, 16, 16, 2>(s, x, y, plain);
            isa::load_2d_transform<2, 16, 16, 2>(s, x, y, packed);
            isa::load_2d_transpose<4, 8, 16>(s, x / 2, y, transposed);
            for (int block = 0; block < 2; ++block)
                for (int row = 0; row < 16; ++row) {
                    const short expected = at(t, columns, rows, y + row, x + block * 16 + l);
                    EXPECT_EQ(expected, plain[block * 16 + row]) << x << "," << y << " lane " << l;
                    EXPECT_EQ(expected, static_cast<short>(packed[block * 8 + row / 2] >> (16 * (row % 2))))
                        << x << "," << y;
                }
            for (int c = 0; c < 8; ++c) {
                const int column = (x / 2 + c) * 2;
                const auto low = static_cast<unsigned short>(at(t, columns, rows, y + l, column));
                const auto high = static_cast<unsigned short>(at(t, columns, rows, y + l, column + 1));
                EXPECT_EQ(static_cast<int>(low | static_cast<unsigned>(high) << 16), transposed[c]) << x << "," << y;
            }
        });
        EXPECT_TRUE(r.faults.empty()) << r.text();
    }
}

TEST(emulated_instructions, byte_and_word_loads) {
    constexpr int columns = 96, rows = 40;
    tensor<unsigned char> bytes(columns * rows);
    tensor<int> words(columns * rows);
    const isa::surface sb{bytes.data(), columns, rows, columns}, sw{words.data(), columns * 4, rows, columns * 4};
    for (const auto [x, y] : corners) {
        if (x % 4 != 0) continue;
        const auto r = run([&, x = x, y = y](char*) {
            const int l = isa::lane();
            unsigned short two[16];
            unsigned char one[128];
            int four[8];
            int eight[8];
            int vnni[8];
            isa::load_2d<1, 32, 8, 2>(sb, x, y, two);
            isa::load_2d<1, 16, 32, 4>(sb, x, y, one);
            isa::load_2d<4, 16, 8>(sw, x, y, four);
            isa::load_2d<4, 8, 8, 2>(sw, x, y, eight);
            isa::load_2d_transform<1, 16, 32>(sb, x, y, vnni);
            for (int row = 0; row < 8; ++row) {
                for (int block = 0; block < 2; ++block)
                    for (int half = 0; half < 2; ++half)
                        EXPECT_EQ(at(bytes, columns, rows, y + row, x + block * 32 + 2 * l + half),
                                  two[block * 8 + row] >> (8 * half) & 0xFF);
                for (int block = 0; block < 4; ++block)
                    EXPECT_EQ(at(bytes, columns, rows, y + row, x + block * 16 + l), one[block * 32 + row]);
                EXPECT_EQ(at(words, columns, rows, y + row, x + l), four[row]);
                for (int i = 0; i < 4; ++i)
                    EXPECT_EQ(at(bytes, columns, rows, y + 4 * row + i, x + l), vnni[row] >> (8 * i) & 0xFF);
            }
            for (int block = 0; block < 2; ++block)
                for (int e = 0; e < 4; ++e)
                    EXPECT_EQ(at(words, columns, rows, y + 2 * e + l / 8, x + block * 8 + l % 8), eight[block * 4 + e]);
        });
        EXPECT_TRUE(r.faults.empty()) << r.text();
    }
}

TEST(emulated_instructions, stores_drop_what_is_outside) {
    constexpr int columns = 112, rows = 56;
    for (const auto [x, y] : corners) {
        tensor<float> t(columns * rows + 64);
        std::vector<float> expected(t.begin(), t.end());
        for (int r = 0; r < 8; ++r)
            for (int c = 0; c < 16; ++c)
                if (y + r >= 0 && y + r < rows && x + c >= 0 && x + c < columns)
                    expected[static_cast<std::size_t>((y + r) * columns + x + c)] = static_cast<float>(r * 100 + c);
        const auto report = run([&, x = x, y = y](char*) {
            float8 v;
            for (int r = 0; r < 8; ++r) v[r] = static_cast<float>(r * 100 + isa::lane());
            isa::store_2d<4, 16, 8>(isa::surface{t.data(), columns * 4, rows, columns * 4}, x, y, &v);
        });
        EXPECT_TRUE(report.faults.empty()) << report.text();
        EXPECT_EQ(0, std::memcmp(expected.data(), t.data(), expected.size() * 4)) << x << "," << y;
    }
}

// An operand of the matrix instruction as it lies in memory, loaded the way kernels do.
template <isa::dpas_kind Kind, int M, class Decode, class Acc>
void check_product(int elem, Decode decode, double tolerance) {
    constexpr model::dpas_form f = model::form(Kind);
    constexpr int k = f.k();
    tensor<unsigned char> a(static_cast<std::size_t>(M * k) * 4), b(static_cast<std::size_t>(k) * 16 * 4);
    tensor<Acc> c(M * 16), out(M * 16);
    std::mt19937 random(std::random_device{}());
    for (Acc& v : c) v = static_cast<Acc>(static_cast<int>(random() % 64) - 32);
    const auto value = [&](const tensor<unsigned char>& t, int index) {
        unsigned bits = 0;
        std::memcpy(&bits, t.data() + index * elem, static_cast<std::size_t>(elem));
        return decode(bits);
    };
    if (elem != 1) {  // finite floats of moderate size
        for (const auto* t : {&a, &b})
            for (std::size_t i = 0; i < t->size() / static_cast<std::size_t>(elem); ++i) {
                const float v = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 256.0F;
                const unsigned bits = elem == 4                    ? __builtin_bit_cast(unsigned, v)
                                      : f.a == model::element::f16 ? model::f32_to_f16(v)
                                                                   : model::f32_to_bf16(v);
                std::memcpy(t->data() + i * static_cast<std::size_t>(elem), &bits, static_cast<std::size_t>(elem));
            }
    }
    const auto r = run([&](char*) {
        const int l = isa::lane();
        isa::a_operand<Kind, M> va{};
        isa::b_operand<Kind> vb{};
        isa::accumulator<Kind, M> vc{};
        auto* pa = reinterpret_cast<unsigned char*>(&va);
        auto* pb = reinterpret_cast<unsigned char*>(&vb);
        auto* pc = reinterpret_cast<Acc*>(&vc);
        // By the extension's words: a lane has consecutive elements of A's rows and one packed column of B.
        for (int m = 0; m < M; ++m) {
            if constexpr (f.a == model::element::tf32) {
                if (m % 2 == l / 8) std::memcpy(pa + m / 2 * 4, a.data() + (m * k + l % 8) * 4, 4);
            } else {
                std::memcpy(pa + m * 2, a.data() + m * k * elem + l * 2, 2);
            }
            pc[m] = c[static_cast<std::size_t>(m * 16 + l)];
        }
        for (int i = 0; i < k; ++i)
            std::memcpy(pb + i * elem, b.data() + (i * 16 + l) * elem, static_cast<std::size_t>(elem));
        vc = isa::dpas<Kind, M>(va, vb, vc);
        std::memcpy(pc, &vc, sizeof vc);
        for (int m = 0; m < M; ++m) isa::store_global(out.data() + m * 16 + l, pc[m]);
    });
    ASSERT_TRUE(r.clean()) << r.text();
    for (int m = 0; m < M; ++m)
        for (int n = 0; n < 16; ++n) {
            double sum = static_cast<double>(c[static_cast<std::size_t>(m * 16 + n)]);
            double size = std::fabs(sum);
            for (int i = 0; i < k; ++i) {
                const double p = static_cast<double>(value(a, m * k + i)) * static_cast<double>(value(b, i * 16 + n));
                sum += p;
                size += std::fabs(p);
            }
            const double got = static_cast<double>(out[static_cast<std::size_t>(m * 16 + n)]);
            if (std::isnan(sum)) EXPECT_TRUE(std::isnan(got)) << f.name;
            else
                EXPECT_LE(std::fabs(got - sum), tolerance * size)
                    << f.name << " M=" << M << " row " << m << " column " << n;
        }
}

template <int M> void check_kinds() {
    using model::element;
    const double eps = 1e-6;
    check_product<isa::dpas_kind::bf16, M, decltype(&model::operand_to_f32<element::bf16>), float>(
        2, &model::operand_to_f32<element::bf16>, eps);
    check_product<isa::dpas_kind::f16, M, decltype(&model::operand_to_f32<element::f16>), float>(
        2, &model::operand_to_f32<element::f16>, eps);
    check_product<isa::dpas_kind::tf32, M, decltype(&model::operand_to_f32<element::tf32>), float>(
        4, &model::operand_to_f32<element::tf32>, eps);
    check_product<isa::dpas_kind::s8_s8, M, decltype(&model::operand_to_s32<element::s8>), int>(
        1, &model::operand_to_s32<element::s8>, 0);
    check_product<isa::dpas_kind::u8_u8, M, decltype(&model::operand_to_s32<element::u8>), int>(
        1, &model::operand_to_s32<element::u8>, 0);
}

TEST(emulated_instructions, matrix_products) {
    check_kinds<1>();
    check_kinds<2>();
    check_kinds<4>();
    check_kinds<8>();
    using model::element;
    check_product<isa::dpas_kind::e4m3_e4m3, 8, decltype(&model::operand_to_f32<element::e4m3>), float>(
        1, &model::operand_to_f32<element::e4m3>, 1e-6);
    check_product<isa::dpas_kind::f16_f16, 8, decltype(&model::operand_to_f32<element::f16>), _Float16>(
        2, &model::operand_to_f32<element::f16>, 5e-4);
}

TEST(emulated_instructions, mixed_signs_and_nibbles) {
    int result[4] = {};
    const auto r = run([&](char*) {
        short8 a{};
        int8 b{};
        a[0] = isa::lane() == 0 ? static_cast<short>(0x00FF) : short{0};  // A[0][0] = 0xFF
        b[0] = 0x80;                                                      // B[0][n] = 0x80
        const int8 s_u = isa::dpas<isa::dpas_kind::s8_u8, 8>(a, b, int8{});
        const int8 u_s = isa::dpas<isa::dpas_kind::u8_s8, 8>(a, b, int8{});
        a[0] = isa::lane() == 15 ? static_cast<short>(0xF000) : short{0};  // A[0][63] = 0xF
        b[0] = 0;
        b[7] = static_cast<int>(0x80000000);  // B[63][n] = 8
        const int8 s4 = isa::dpas<isa::dpas_kind::s4_s4, 8>(a, b, int8{});
        const int8 u4 = isa::dpas<isa::dpas_kind::u4_s4, 8>(a, b, int8{});
        if (isa::lane() == 7) result[0] = s_u[0], result[1] = u_s[0], result[2] = s4[0], result[3] = u4[0];
    });
    EXPECT_TRUE(r.clean()) << r.text();
    EXPECT_EQ(-1 * 128, result[0]);
    EXPECT_EQ(255 * -128, result[1]);
    EXPECT_EQ(-1 * -8, result[2]);
    EXPECT_EQ(15 * -8, result[3]);
}

TEST(emulated_instructions, conversions_and_mathematics) {
    const auto r = run([](char*) {
        const float8 v{1.0F, 1.00390625F, 1.01171875F, -2.5F, 0.0F, 3e38F, 1e-40F, 7.0F};
        const short8 b = isa::f32_to_bf16<8>(v);
        for (int i = 0; i < 8; ++i) EXPECT_EQ(static_cast<short>(model::f32_to_bf16(v[i])), b[i]);
        EXPECT_EQ(-2.5F, isa::bf16_to_f32<8>(b)[3]);
        for (const float x : {0.01F, 0.1F, 0.5F, 1.0F, 3.0F, 20.0F, -0.02F, -4.0F})
            EXPECT_NEAR(std::tanh(x), isa::tanh(x), 2e-6F * std::fabs(std::tanh(x)) + 1e-7F) << x;
        EXPECT_FLOAT_EQ(std::exp(1.5F), isa::exp(1.5F));
        EXPECT_FLOAT_EQ(0.5F, isa::rsqrt(4.0F));
        EXPECT_FLOAT_EQ(std::log(10.0F), isa::log(10.0F));
    });
    EXPECT_TRUE(r.clean()) << r.text();
}

TEST(emulated_instructions, raw_builtins_are_the_same) {
    tensor<short> t(64 * 64);
    const auto r = run([&](char*) {
        short8 a, a2;
        int8 b, b2;
        const isa::surface s{t.data(), 128, 64, 128};
        isa::load_2d<2, 16, 8>(s, 16, 4, &a);
        isa::load_2d_transform<2, 16, 16>(s, 16, 4, &b);
        __spirv_Subgroup2DBlockLoadINTEL(2, 16, 8, 1, t.data(), 128, 64, 128, int2{16, 4}, &a2);
        __spirv_Subgroup2DBlockLoadTransformINTEL(2, 16, 16, 1, t.data(), 128, 64, 128, int2{16, 4}, &b2);
        EXPECT_EQ(0, std::memcmp(&a, &a2, sizeof a));
        EXPECT_EQ(0, std::memcmp(&b, &b2, sizeof b));
        const int8 c = isa::dpas<isa::dpas_kind::s8_u8, 8>(a, b, int8{});
        const int8 c2 = __spirv_SubgroupMatrixMultiplyAccumulateINTEL(32, a2, b2, int8{}, 0x31);
        EXPECT_EQ(0, std::memcmp(&c, &c2, sizeof c));
        EXPECT_EQ(isa::reduce_add(isa::lane()), __spirv_GroupNonUniformIAdd(3, 0, isa::lane()));
    });
    EXPECT_TRUE(r.clean()) << r.text();
}

}  // namespace
}  // namespace emulated_tests
