// SPDX-License-Identifier: Apache-2.0
// Matrix products against double-precision references: element types, transpositions, ragged edges, sources.
#include "on_cpu.hpp"

#include <memory>

namespace cpu_tests {
namespace {

enum class source { constant, writable, computed };

template <class TA, class TB, int M, int N, int K, bool At, bool Bt>
struct product_case {
    using acc_t = rt<type_of<accumulator_of(dtype_of<TA>())>, M, N>;
    using a_t = std::conditional_t<At, rt<TA, K, M, col>, rt<TA, M, K, row>>;
    using b_t = std::conditional_t<Bt, rt<TB, N, K, row>, rt<TB, K, N, col>>;
    using sum_t = typename acc_t::element;
};

class mma : public on_cpu {
  protected:
    template <class T> matrix<T> random_matrix(int rows, int cols) {
        matrix<T> m(rows, cols, uniform(1, 40));
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < cols; ++j) m(i, j) = value<T>();
        return m;
    }

    /// C = op(A) op(B) for an m x n x k problem, by tiles of M x N x K, as a GEMM kernel does it.
    template <class TA, class TB, int M, int N, int K, bool At, bool Bt>
    void check(int m, int n, int k, source from) {
        using c = product_case<TA, TB, M, N, K, At, Bt>;
        auto a = At ? random_matrix<TA>(k, m) : random_matrix<TA>(m, k);
        auto b = Bt ? random_matrix<TB>(n, k) : random_matrix<TB>(k, n);
        matrix<typename c::sum_t> out(m, n, uniform(1, 40));
        const auto load_a = [&](auto& t, int i, int l) {
            const auto at = At ? coord<typename c::a_t>{l, i} : coord<typename c::a_t>{i, l};
            if (from == source::constant) load(t, a.template layout<const TA>(), at);
            else load(t, a.template layout<TA>(), at);
            if (from == source::computed) unary_map<base_ops::copy>(t, t);
        };
        const auto load_b = [&](auto& t, int l, int j) {
            const auto at = Bt ? coord<typename c::b_t>{j, l} : coord<typename c::b_t>{l, j};
            if (from == source::constant) load(t, b.template layout<const TB>(), at);
            else load(t, b.template layout<TB>(), at);
            if (from == source::computed) unary_map<base_ops::copy>(t, t);
        };
        as_subgroup([&](const subgroup&) {
            for (int i = 0; i < ceil_div(m, M); ++i)
                for (int j = 0; j < ceil_div(n, N); ++j) {
                    auto acc = std::make_unique<typename c::acc_t>();
                    auto ta = std::make_unique<typename c::a_t>();
                    auto tb = std::make_unique<typename c::b_t>();
                    zero(*acc);
                    for (int l = 0; l < ceil_div(k, K); ++l) {
                        load_a(*ta, i, l);
                        load_b(*tb, l, j);
                        if constexpr (At && Bt) mma_AtBt(*acc, *ta, *tb, *acc);
                        else if constexpr (At) mma_AtB(*acc, *ta, *tb, *acc);
                        else if constexpr (Bt) mma_ABt(*acc, *ta, *tb, *acc);
                        else mma_AB(*acc, *ta, *tb, *acc);
                    }
                    store(out.layout(), *acc, {i, j});
                }
        });
        double worst = 0;
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j) {
                double sum = 0, size = 0;
                for (int l = 0; l < k; ++l) {
                    const double p = (At ? a.value(l, i) : a.value(i, l)) * (Bt ? b.value(j, l) : b.value(l, j));
                    sum += p;
                    size += std::abs(p);
                }
                const double error = std::abs(sum - double(out(i, j)));
                // Float sums round once per term; bf16 products are exact, half and tf32 products too.
                const double bound = is_integer_element<typename c::sum_t> ? 0.0 : size * 1e-6 + 1e-30;
                if (!(error <= bound)) worst = std::max(worst, std::isnan(error) ? INFINITY : error / (size + 1e-30));
            }
        EXPECT_EQ(worst, 0) << m << "x" << n << "x" << k << " tile " << M << "x" << N << "x" << K << " source " << int(from);
        EXPECT_TRUE(out.surroundings_intact());
    }

    template <class TA, class TB, int M, int N, int K, bool At, bool Bt>
    void check_all() {
        for (const source from : {source::constant, source::writable, source::computed}) {
            check<TA, TB, M, N, K, At, Bt>(M, N, K, from);
            check<TA, TB, M, N, K, At, Bt>(1, 1, 1, from);
            check<TA, TB, M, N, K, At, Bt>(2 * M, 3 * N, 2 * K, from);
            for (int i = 0; i < 4; ++i) check<TA, TB, M, N, K, At, Bt>(uniform(1, 3 * M), uniform(1, 2 * N), uniform(1, 3 * K), from);
        }
    }
    template <class TA, class TB, int M, int N, int K>
    void check_forms() {
        check_all<TA, TB, M, N, K, false, false>();
        check_all<TA, TB, M, N, K, false, true>();
        check_all<TA, TB, M, N, K, true, false>();
        check_all<TA, TB, M, N, K, true, true>();
    }
};

TEST_F(mma, bf16_small) { check_forms<bf16, bf16, 32, 32, 32>(); }
TEST_F(mma, bf16_odd_shape) { check_forms<bf16, bf16, 48, 80, 16>(); }
TEST_F(mma, bf16_large) { check_all<bf16, bf16, 128, 128, 512, false, false>(); }
TEST_F(mma, bf16_deep) { check_all<bf16, bf16, 64, 32, 1280, false, true>(); }
TEST_F(mma, bf16_eight_rows) { check_all<bf16, bf16, 8, 32, 32, false, false>(); }
/// Right operands that are read in place: across the depth, and along it.
TEST_F(mma, bf16_few_rows) {
    check_all<bf16, bf16, 16, 64, 64, false, false>();
    check_all<bf16, bf16, 16, 96, 32, false, false>();
    check_all<bf16, bf16, 16, 64, 96, false, true>();
}
TEST_F(mma, half_few_rows) {
    check_all<half, half, 16, 64, 64, false, false>();
    check_all<half, half, 16, 32, 128, false, true>();
}
TEST_F(mma, half_small) { check_forms<half, half, 32, 48, 32>(); }
TEST_F(mma, half_large) { check_all<half, half, 128, 128, 512, false, false>(); }
TEST_F(mma, int8_small) { check_forms<int8, int8, 32, 32, 64>(); }
TEST_F(mma, int8_large) { check_all<int8, int8, 128, 96, 512, false, false>(); }
TEST_F(mma, uint8_int8) { check_forms<uint8, int8, 32, 64, 32>(); }
TEST_F(mma, int8_uint8) { check_forms<int8, uint8, 64, 32, 32>(); }
TEST_F(mma, uint8_uint8) { check_forms<uint8, uint8, 32, 32, 96>(); }
TEST_F(mma, tf32) { check_forms<tf32, tf32, 32, 32, 16>(); }
TEST_F(mma, e4m3) { check_forms<fp8e4m3, fp8e4m3, 32, 32, 32>(); }
TEST_F(mma, e5m2_e4m3) { check_forms<fp8e5m2, fp8e4m3, 32, 32, 64>(); }

/// B that memory holds packed: read in place where whole tiles of it are there and the instruction set reads that form, else taken apart.
/// What lies behind the last row of B, and what is not constant, too.
TEST_F(mma, packed_in_memory) {
    const auto each = [&]<class T, int M>() {
        constexpr int p = 4 / int(sizeof(T));
        using acc_t = rt<type_of<accumulator_of(dtype_of<T>())>, M, 96>;
        for (int round = 0; round < 12; ++round) {
            const bool whole = round % 3 == 0;
            const int m = uniform(1, M), n = whole ? 192 : uniform(1, 192), k = whole ? 256 : uniform(1, 256);
            auto a = random_matrix<T>(m, k), b = random_matrix<T>((k + p - 1) / p, n * p);
            matrix<typename acc_t::element> out(m, n);
            as_subgroup([&](const subgroup&) {
                auto acc = std::make_unique<acc_t>();
                rt<T, M, 128> ta;
                rt<T, 128, 96, col> tb;
                for (int j = 0; j < ceil_div(n, 96); ++j) {
                    zero(*acc);
                    for (int l = 0; l < ceil_div(k, 128); ++l) {
                        load(ta, a.template layout<const T>(), {0, l});
                        if (round & 1) load_packed(tb, b.template layout<const T>(), {l, j});
                        else load_packed(tb, b.layout(), {l, j});
                        mma_AB(*acc, ta, tb, *acc);
                    }
                    store(out.layout(), *acc, {0, j});
                }
            });
            for (int i = 0; i < m; ++i)
                for (int j = 0; j < n; ++j) {
                    double sum = 0, size = 0;
                    for (int l = 0; l < k; ++l) {
                        const double x = a.value(i, l) * b.value(l / p, j * p + l % p);
                        sum += x;
                        size += std::abs(x);
                    }
                    // Exact products, one rounding for each term; integers are exact.
                    ASSERT_NEAR(double(out(i, j)), sum, is_integer_element<T> ? 0 : size * k * 0x1p-24 + 1e-30) << m << "x" << n << "x" << k;
                }
            EXPECT_TRUE(out.surroundings_intact());
        }
    };
    each.operator()<bf16, 48>();
    each.operator()<bf16, 16>();  // few rows have engines of their own
    each.operator()<half, 16>();
    each.operator()<int8, 48>();
    each.operator()<fp8e4m3, 48>();
}

/// Without a matrix unit the first block of rows packs B for those after it where it has as many rows as a block takes, or one less:
/// 96 rows are 16 blocks of 6 or 7 of 13 and 14, 84 are 6 blocks of 14, and 80 have 5 or 13 in the first. Several passes of depth,
/// panels that later rows of tiles use again, and edges, where packing comes first.
TEST_F(mma, panels_packed_by_their_first_products) {
    const auto each = [&]<class T>() {
        for (const int rows : {96, 84, 80, 96 + 84, 96 + 5}) {
            check<T, T, 96, 64, 416, false, false>(rows, 64, 416, source::writable);
            check<T, T, 96, 64, 416, false, false>(rows, 128, 832, source::constant);
            check<T, T, 96, 64, 416, false, false>(rows, uniform(1, 128), 416 + uniform(0, 100), source::constant);
        }
    };
    each.operator()<bf16>();
    each.operator()<half>();
    each.operator()<int8>();
    each.operator()<tf32>();
}

/// What is not finite stays in its own row and column, also where products read B in place; so does what overflows.
template <int N, class Random> void check_infinities_apart(std::mt19937& random, Random random_matrix) {
    using acc_t = rt_fl<16, N>;
    const auto uniform = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
    for (int round = 0; round < 12; ++round) {
        const int m = uniform(1, 16), k = round % 3 == 0 ? 256 : uniform(1, 256);
        auto a = random_matrix(m, k), b = random_matrix(k, N);
        const double strange[] = {INFINITY, -INFINITY, NAN, 3e38};
        // In columns of their own, and what is large but finite in B alone: no two of them may cancel.
        for (int i = 0; i < 4; ++i) b(uniform(0, k - 1), N / 4 * i + uniform(0, N / 4 - 1)) = bf16(float(strange[uniform(0, 3)]));
        if (round & 1) a(uniform(0, m - 1), uniform(0, k - 1)) = bf16(float(strange[uniform(0, 2)]));
        matrix<float> out(m, N);
        as_subgroup([&](const subgroup&) {
            auto acc = std::make_unique<acc_t>();
            rt_bf<16, 64> ta;
            auto tb = std::make_unique<rt_bf<64, N, col>>();
            zero(*acc);
            for (int l = 0; l < ceil_div(k, 64); ++l) {
                load(ta, a.template layout<const bf16>(), {0, l});
                load_transform(*tb, b.template layout<const bf16>(), {l, 0});
                mma_AB(*acc, ta, *tb, *acc, needed{.depth = k - l * 64, .rows = m});
            }
            store(out.layout(), *acc, {0, 0});
        });
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < N; ++j) {
                double sum = 0, size = 0;
                for (int l = 0; l < k; ++l) sum += a.value(i, l) * b.value(l, j), size += std::abs(a.value(i, l) * b.value(l, j));
                if (!(size <= 3e38)) {
                    EXPECT_FALSE(std::abs(out(i, j)) < 1e37) << m << 'x' << N << 'x' << k << " at " << i << ',' << j;
                    if (std::isnan(sum)) EXPECT_TRUE(std::isnan(out(i, j))) << m << 'x' << N << 'x' << k << " at " << i << ',' << j;
                } else ASSERT_NEAR(out(i, j), sum, size * k * 0x1p-24 + 1e-30) << m << 'x' << N << 'x' << k << " at " << i << ',' << j;
            }
    }
}
TEST_F(mma, few_rows_keep_infinities_apart) {
    const auto values = [&](int rows, int cols) { return random_matrix<bf16>(rows, cols); };
    check_infinities_apart<96>(random, values);
    check_infinities_apart<160>(random, values);
    check_infinities_apart<256>(random, values);
}

TEST_F(mma, transposed_loads) {
    using acc_t = rt_fl<64, 96>;
    using a_t = rt_bf<64, 64>;
    using b_t = rt_bf<64, 96, col>;
    for (int round = 0; round < 6; ++round) {
        const int m = uniform(1, 64), n = uniform(1, 96), k = uniform(1, 64);
        auto a = random_matrix<bf16>(k, m), b = random_matrix<bf16>(n, k);
        matrix<float> out(m, n);
        as_subgroup([&](const subgroup&) {
            auto acc = std::make_unique<acc_t>();
            auto ta = std::make_unique<a_t>();
            auto tb = std::make_unique<b_t>();
            load_transpose(*ta, a.layout<const bf16>(), {0, 0});
            load_transpose(*tb, b.layout<const bf16>(), {0, 0});
            if (round & 1) unary_map<base_ops::copy>(*tb, *tb);
            zero(*acc);
            mma_AB(*acc, *ta, *tb, *acc);
            store(out.layout(), *acc, {0, 0});
        });
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j) {
                double sum = 0;
                for (int l = 0; l < k; ++l) sum += a.value(l, i) * b.value(j, l);
                ASSERT_NEAR(out(i, j), sum, 1e-3);
            }
    }
}

TEST_F(mma, other_destination_and_start_value) {
    using acc_t = rt_fl<32, 32>;
    auto a = random_matrix<bf16>(32, 32), b = random_matrix<bf16>(32, 32);
    auto c = random_matrix<float>(32, 32);
    matrix<float> out(32, 32);
    as_subgroup([&](const subgroup&) {
        acc_t acc, d;
        rt_bf<32, 32> ta;
        rt_bf<32, 32, col> tb;
        load(acc, c.layout<const float>(), {0, 0});
        load(ta, a.layout<const bf16>(), {0, 0});
        load_transform(tb, b.layout<const bf16>(), {0, 0});
        mma_AB(d, ta, tb, acc);
        mma_AB(d, ta, tb, d);
        add(d, d, acc);
        store(out.layout(), d, {0, 0});
    });
    for (int i = 0; i < 32; ++i)
        for (int j = 0; j < 32; ++j) {
            double sum = c.value(i, j);
            for (int l = 0; l < 32; ++l) sum += a.value(i, l) * b.value(l, j);
            ASSERT_NEAR(out(i, j), 2 * sum, 1e-3);
        }
}

// A product's packed operands are kept for the launch: they must not be taken for those of another place or another launch.
TEST_F(mma, kept_panels_follow_memory) {
    auto a = random_matrix<bf16>(64, 128), b = random_matrix<bf16>(128, 64);
    for (int launch = 0; launch < 3; ++launch) {
        matrix<float> out(64, 64);
        as_subgroup([&](const subgroup&) {
            auto acc = std::make_unique<rt_fl<32, 32>>();
            rt_bf<32, 64> ta;
            rt_bf<64, 32, col> tb;
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j) {
                    zero(*acc);
                    for (int k = 0; k < 2; ++k) {
                        load(ta, a.layout<const bf16>(), {i, k});
                        load_transform(tb, b.layout<const bf16>(), {k, j});
                        mma_AB(*acc, ta, tb, *acc);
                    }
                    store(out.layout(), *acc, {i, j});
                }
        });
        for (int i = 0; i < 64; ++i)
            for (int j = 0; j < 64; ++j) {
                double sum = 0;
                for (int l = 0; l < 128; ++l) sum += a.value(i, l) * b.value(l, j);
                ASSERT_NEAR(out(i, j), sum, 1e-3);
            }
        for (int i = 0; i < 128; ++i)
            for (int j = 0; j < 64; ++j) b(i, j) = value<bf16>();
    }
}

// A product of two constant tiles waits until its tile is used. Whatever uses it, and however often, must see the sum once.
TEST_F(mma, products_that_wait) {
    using acc_t = rt_fl<64, 96>;
    for (int round = 0; round < 12; ++round) {
        const int m = uniform(1, 64), n = uniform(1, 96), k = uniform(1, 128);
        auto a = random_matrix<bf16>(m, k), b = random_matrix<bf16>(k, n);
        auto start = random_matrix<float>(64, 96);
        const bool from_zero = round % 2 == 0;
        matrix<float> straight(m, n), again(m, n), copied(m, n), doubled(64, 96);
        matrix<bf16> narrow(m, n), wider(64, 100), shifted(m, n);
        matrix<half> other(m, n);
        as_subgroup([&](const subgroup&) {
            auto acc = std::make_unique<acc_t>(), copy = std::make_unique<acc_t>();
            auto ta = std::make_unique<rt_bf<64, 64>>();
            auto tb = std::make_unique<rt_bf<64, 96, col>>();
            if (from_zero) zero(*acc);
            else load(*acc, start.layout<const float>(), {0, 0});
            for (int l = 0; l < 2; ++l) {
                load(*ta, a.layout<const bf16>(), {0, l});
                load_transform(*tb, b.layout<const bf16>(), {l, 0});
                mma_AB(*acc, *ta, *tb, *acc);
            }
            store(straight.layout(), *acc, {0, 0});
            store(narrow.layout(), *acc, {0, 0});  // from the same tile, still waiting
            store(other.layout(), *acc, {0, 0});
            store(wider.layout(), *acc, {0, 0});  // more than the product has
            *copy = *acc;
            store(copied.layout(), *copy, {0, 0});
            store(again.layout(), *acc, {0, 0});
            add(*acc, *acc, *copy);
            store(doubled.layout(), *acc, {0, 0});
            // Forgotten products.
            mma_AB(*copy, *ta, *tb, *copy);
            zero(*copy);
            mma_AB(*copy, *ta, *tb, *copy);
            *copy = *acc;
            store(shifted.layout(), *copy, {0, 0});
        });
        for (int i = 0; i < 64; ++i)
            for (int j = 0; j < 96; ++j) {
                double sum = from_zero ? 0 : start.value(i, j), size = std::abs(sum);
                for (int l = 0; l < k && i < m && j < n; ++l) sum += a.value(i, l) * b.value(l, j), size += std::abs(a.value(i, l) * b.value(l, j));
                // Products of bf16 are exact in float; every one of k + 1 additions may round.
                const double near = size * (k + 1) * 0x1p-24 + 1e-30;
                ASSERT_NEAR(doubled(i, j), 2 * sum, 4 * near);
                // A rounding to eight bits (bf16) or eleven (half) comes on top.
                ASSERT_NEAR(float(wider(i, j)), sum, near + (std::abs(sum) + near) * 0x1p-8);
                if (i >= m || j >= n) continue;
                ASSERT_NEAR(straight(i, j), sum, near);
                ASSERT_EQ(straight(i, j), again(i, j));
                ASSERT_EQ(copied(i, j), straight(i, j));
                ASSERT_EQ(narrow(i, j).bits, bf16(straight(i, j)).bits);
                ASSERT_NEAR(float(other(i, j)), sum, near + (std::abs(sum) + near) * 0x1p-11 + 0x1p-25);
                ASSERT_NEAR(float(shifted(i, j)), 2 * sum, 4 * near + 2 * (std::abs(sum) + near) * 0x1p-8);
            }
        EXPECT_TRUE(straight.surroundings_intact() && narrow.surroundings_intact() && other.surroundings_intact() && wider.surroundings_intact());
    }
}

// More depth than one pass of the matrix unit takes does not wait.
TEST_F(mma, deep_products) {
    const int k = 2048 + uniform(0, 100);
    auto a = random_matrix<bf16>(40, k), b = random_matrix<bf16>(k, 48);
    matrix<float> out(40, 48), again(40, 48);
    as_subgroup([&](const subgroup&) {
        auto acc = std::make_unique<rt_fl<48, 48>>();
        auto ta = std::make_unique<rt_bf<48, 2176>>();
        auto tb = std::make_unique<rt_bf<2176, 48, col>>();
        zero(*acc);
        load(*ta, a.layout<const bf16>(), {0, 0});
        load_transform(*tb, b.layout<const bf16>(), {0, 0});
        mma_AB(*acc, *ta, *tb, *acc);
        store(out.layout(), *acc, {0, 0});
        store(again.layout(), *acc, {0, 0});
    });
    for (int i = 0; i < 40; ++i)
        for (int j = 0; j < 48; ++j) {
            double sum = 0, size = 0;
            for (int l = 0; l < k; ++l) sum += a.value(i, l) * b.value(l, j), size += std::abs(a.value(i, l) * b.value(l, j));
            ASSERT_NEAR(out(i, j), sum, size * k * 0x1p-24);
            ASSERT_EQ(out(i, j), again(i, j));
        }
}

}  // namespace
}  // namespace cpu_tests
