// SPDX-License-Identifier: Apache-2.0
// The reference and the comparison behind `kittens run gemm`, and the zones around its buffers.
#include "gemm/gemm_check.hpp"
#include "operands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace {

using namespace kittens;
using namespace kittens::tool;

template <class T> std::span<T> as(std::vector<std::byte>& bytes) {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// A problem whose C is computed by the plainest of loops.
template <class In, class Out> struct problem {
    std::int64_t m, n, k;
    std::vector<std::byte> a, b, c;

    problem(std::int64_t m_, std::int64_t n_, std::int64_t k_, double scale = 1)
        : m(m_),
          n(n_),
          k(k_),
          c(static_cast<std::size_t>(m * n) * sizeof(Out)) {
        a = random_operand(dtype_of<In>(), static_cast<std::size_t>(m * k), 7, 0, scale);
        b = random_operand(dtype_of<In>(), static_cast<std::size_t>(k * n), 7, 1, scale);
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) out(i, j) = convert_sum(sum(i, j));
    }
    auto sum(std::int64_t i, std::int64_t j) {
        using acc = std::conditional_t<std::is_same_v<Out, int32>, std::int64_t, double>;
        acc s = 0;
        for (std::int64_t l = 0; l < k; ++l)
            s += static_cast<acc>(as<In>(a)[static_cast<std::size_t>(i * k + l)]) *
                 static_cast<acc>(as<In>(b)[static_cast<std::size_t>(l * n + j)]);
        return s;
    }
    static Out convert_sum(double s) { return Out(static_cast<float>(s)); }
    static Out convert_sum(std::int64_t s) { return static_cast<Out>(static_cast<std::uint64_t>(s)); }
    Out& out(std::int64_t i, std::int64_t j) { return as<Out>(c)[static_cast<std::size_t>(i * n + j)]; }
    gemm_comparison compare() { return compare_gemm({m, n, k, dtype_of<In>(), dtype_of<Out>(), a, b, c}); }
};

template <class In, class Out> void expect_right(std::int64_t m, std::int64_t n, std::int64_t k, double most) {
    const auto found = problem<In, Out>(m, n, k).compare();
    EXPECT_TRUE(found.passed());
    EXPECT_LE(found.relative_frobenius, most) << m << " x " << n << " x " << k;
}

TEST(gemm_check, a_right_result_is_off_by_its_rounding_alone) {
    for (const auto& [m, n, k] :
         {std::array{1, 1, 1}, {3, 5, 7}, {65, 257, 129}, {64, 256, 128}, {1, 300, 400}, {200, 1, 131}}) {
        expect_right<bf16, bf16>(m, n, k, 0x1p-8);
        expect_right<half, half>(m, n, k, 0x1p-11);
        expect_right<int8, int32>(m, n, k, 0);
    }
}

TEST(gemm_check, epilogue_layouts_and_batches) {
    // 2 batches of 2 x 3 x 2, computed by hand from whole numbers: A^T and B^T are stored.
    constexpr std::int64_t batch = 2, m = 2, n = 3, k = 2;
    std::vector<bf16> a, b, c, old, bias, residual;
    for (int i = 0; i < batch * m * k; ++i) a.emplace_back(static_cast<float>(i % 3 - 1));
    for (int i = 0; i < batch * k * n; ++i) b.emplace_back(static_cast<float>(i % 5 - 2));
    for (int i = 0; i < n; ++i) bias.emplace_back(static_cast<float>(i));
    for (int i = 0; i < batch * m * n; ++i) old.emplace_back(static_cast<float>(i % 4)), residual.emplace_back(static_cast<float>(-i));
    for (int x = 0; x < batch; ++x)
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j) {
                float sum = 0;
                for (int l = 0; l < k; ++l) sum += float(a[static_cast<std::size_t>((x * k + l) * m + i)]) * float(b[static_cast<std::size_t>((x * n + j) * k + l)]);
                const auto at = static_cast<std::size_t>((x * m + i) * n + j);
                const float v = 2 * sum + 3 * float(old[at]) + float(bias[static_cast<std::size_t>(j)]);
                c.emplace_back((v > 0 ? v : 0) + float(residual[at]));
            }
    const auto bytes = [](const std::vector<bf16>& v) { return std::as_bytes(std::span(v)); };
    gemm_problem p{m, n, k, dtype::bf16, dtype::bf16, bytes(a), bytes(b), bytes(c), batch, true, true, {}};
    p.epilogue = {2, 3, bytes(old), bytes(bias), bytes(residual), gemm_epilogue::function::relu};
    EXPECT_EQ(compare_gemm(p).max_abs, 0);
    for (const auto f : {gemm_epilogue::function::none, gemm_epilogue::function::gelu, gemm_epilogue::function::silu}) {
        p.epilogue.activation = f;
        EXPECT_GT(compare_gemm(p).max_abs, 0);
    }
    p.epilogue.activation = gemm_epilogue::function::relu;
    p.b_transposed = false;
    EXPECT_GT(compare_gemm(p).max_abs, 0);
}

TEST(gemm_check, one_wrong_integer_is_found) {
    problem<int8, int32> p(70, 300, 50);
    p.out(69, 299) += 1;
    const auto found = p.compare();
    EXPECT_FALSE(found.passed());
    EXPECT_EQ(found.different, 1);
    EXPECT_EQ(found.worst.row, 69);
    EXPECT_EQ(found.worst.col, 299);
}

TEST(gemm_check, integer_sums_wrap_as_the_accumulator_does) {
    problem<int8, int32> p(1, 1, 140000);
    std::fill(p.a.begin(), p.a.end(), std::byte{0x80});
    std::fill(p.b.begin(), p.b.end(), std::byte{0x80});
    p.out(0, 0) = static_cast<int32>(static_cast<std::uint32_t>(140000LL * 16384));
    EXPECT_TRUE(p.compare().passed());
    p.out(0, 0) = std::numeric_limits<int32>::max();
    EXPECT_FALSE(p.compare().passed());
}

TEST(gemm_check, poison_and_infinities_are_found) {
    problem<bf16, bf16> p(70, 300, 50);
    p.out(66, 10) = bf16::from_bits(0xffff);
    p.out(2, 290) = bf16(std::numeric_limits<float>::infinity());
    const auto found = p.compare();
    EXPECT_FALSE(found.passed());
    EXPECT_EQ(found.nonfinite, 2);
    EXPECT_EQ(found.worst.row, 2) << "the first one";
    EXPECT_TRUE(std::isnan(found.relative_frobenius));
}

TEST(gemm_check, the_gate_is_two_per_cent) {
    for (const double off : {0.019, 0.021}) {
        problem<half, half> p(32, 32, 32);
        for (auto& x : as<half>(p.c)) x = static_cast<half>(static_cast<float>(x) * (1 + off));
        EXPECT_EQ(p.compare().passed(), off < 0.02);
    }
}

TEST(gemm_check, transposed_result_is_wrong) {
    problem<bf16, bf16> p(32, 32, 32), q = p;
    for (int i = 0; i < 32; ++i)
        for (int j = 0; j < 32; ++j) p.out(i, j) = q.out(j, i);
    EXPECT_GT(p.compare().relative_frobenius, 0.5);
}

TEST(gemm_check, beyond_the_range_an_infinity_is_right) {
    problem<half, half> p(8, 8, 64, 1000);
    const auto found = p.compare();
    EXPECT_TRUE(found.passed());
    EXPECT_TRUE(std::isinf(static_cast<float>(p.out(0, 0))));
    p.out(0, 0) = -p.out(0, 0);
    EXPECT_FALSE(p.compare().passed()) << "with the wrong sign";
}

TEST(gemm_check, sizes_must_fit) {
    problem<bf16, bf16> p(4, 4, 4);
    p.c.pop_back();
    EXPECT_THROW(p.compare(), std::invalid_argument);
}

TEST(random_operand, depends_on_seed_and_stream_alone) {
    const auto data = [](std::uint64_t seed, std::uint64_t stream) {
        return random_operand(dtype::bf16, 200001, seed, stream);
    };
    EXPECT_EQ(data(1, 0), data(1, 0));
    EXPECT_NE(data(1, 0), data(2, 0));
    EXPECT_NE(data(1, 0), data(1, 1));
    EXPECT_NE(data(1, 0), data(0, 1));
}

TEST(random_operand, has_the_distribution_it_promises) {
    auto bytes = random_operand(dtype::f32, 200000, 3, 0, 2.0);
    double mean = 0, square = 0;
    for (const float x : as<float>(bytes)) mean += x, square += static_cast<double>(x) * x;
    EXPECT_NEAR(mean / 200000, 0, 0.03);
    EXPECT_NEAR(square / 200000, 4, 0.1);
    auto integers = random_operand(dtype::i8, 100000, 3, 0);
    std::array<int, 256> seen{};
    for (const int8 x : as<int8>(integers)) ++seen[static_cast<std::size_t>(x + 128)];
    EXPECT_GT(*std::min_element(seen.begin(), seen.end()), 250);
}

TEST(guarded_buffer, tells_how_many_bytes_were_written_outside) {
    const device where = find_device("emulated");
    queue on(where);
    const guarded_buffer b(where, 100, 1000);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data()) % 64, 0U);
    b.poison(on);
    on.wait();
    EXPECT_EQ(b.download(on).guard_bytes_written, 0U);
    auto* p = static_cast<unsigned char*>(b.data());
    p[-1] = p[100] = p[1000] = 0;
    p[50] = 1;
    const auto content = b.download(on);
    EXPECT_EQ(content.guard_bytes_written, 3U);
    EXPECT_EQ(content.data[50], std::byte{1});
    EXPECT_EQ(content.data[51], std::byte{0xff});
    b.upload(on, content.data);
    EXPECT_EQ(b.download(on).guard_bytes_written, 0U);
}

TEST(sizes, do_not_overflow) {
    EXPECT_EQ(matrix_bytes(3, 5, dtype::f32), 60U);
    EXPECT_EQ(matrix_bytes(INT64_MAX, 4, dtype::f32), UINT64_MAX);
    EXPECT_EQ(saturating_sum({UINT64_MAX - 1, 1, 1}), UINT64_MAX);
    EXPECT_EQ(guarded_buffer::footprint(UINT64_MAX, 64), UINT64_MAX);
}

}  // namespace
