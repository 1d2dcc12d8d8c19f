// SPDX-License-Identifier: Apache-2.0
// Softmax weights of products against double-precision references: any number of rows that a tile has of memory, and of keys.
#include "on_cpu.hpp"

#include <memory>

namespace cpu_tests {
namespace {

class softmax : public on_cpu {
  protected:
    template <class T> matrix<T> random_matrix(int rows, int cols) {
        matrix<T> m(rows, cols, uniform(1, 40));
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < cols; ++j) m(i, j) = value<T>();
        return m;
    }

    /// Weights of `rows` queries and `keys` keys, of which the band holds `seen`, in tiles of M x N with a depth of K.
    template <class T, int M, int N, int K> void check_weights(int rows, int keys, int seen) {
        using rows_t = rv<float, M, vector_layout::ortho>;
        auto q = random_matrix<T>(rows, K), k = random_matrix<T>(keys, K);
        matrix<T> out(M, N);
        matrix<float> before(1, M), sums(1, M), largest(1, M), reference(1, M);
        for (int i = 0; i < M; ++i) before(0, i) = std::abs(value<float>()), reference(0, i) = value<float>();
        const float scale = 1.5f / std::sqrt(float(K));  // exponents stay in half's range
        float peak = 0;
        as_subgroup([&](const subgroup&) {
            rt<T, M, K> tq;
            auto tk = std::make_unique<rt<T, K, N, col>>();
            auto weights = std::make_unique<rt<T, M, N>>();
            rows_t sum, ref, most;
            load(tq, q.template layout<const T>(), {0, 0});
            load_transpose(*tk, k.template layout<const T>(), {0, 0});
            load(sum, before.layout(), {0, 0});
            load(ref, reference.layout(), {0, 0});
            const band inside{seen, -band::unlimited, band::unlimited};
            peak = band_weights_AB(*weights, sum, tq, *tk, scale, ref, inside);
            band_row_max_AB(most, tq, *tk, scale, inside);
            store(out.layout(), *weights, {0, 0});
            store(sums.layout(), sum, {0, 0});
            store(largest.layout(), most, {0, 0});
        });
        const auto what = testing::Message() << rows << " rows, " << keys << " keys, " << seen << " seen, tile " << M << 'x' << N << 'x' << K;
        // Rounded once, as far off as the operation says, and scores are float sums.
        const double bound = (std::is_same_v<T, half> ? 0x1p-11 + 0x1p-16 : 0x1p-8 + 0x1p-12) + 0x1p-13;
        const double least = std::is_same_v<T, half> ? 0x1p-25 : 1e-30;  // half's subnormal numbers
        double highest = -INFINITY;
        for (int i = 0; i < M; ++i) {
            double sum = before(0, i), most = -INFINITY;
            for (int j = 0; j < N; ++j) {
                double score = 0;
                for (int d = 0; d < K && i < rows && j < keys; ++d) score += q.value(i, d) * k.value(j, d);
                const double exponent = score * scale - reference(0, i), weight = j < seen ? std::exp2(exponent) : 0.0;
                if (j < seen) most = std::max(most, score * scale), highest = std::max(highest, exponent);
                sum += weight;
                ASSERT_NEAR(double(float(out(i, j))), weight, weight * bound + least) << what << " at " << i << ',' << j;
            }
            ASSERT_NEAR(sums(0, i), sum, sum * 0x1p-10) << what << ", row " << i;
            if (seen > 0) ASSERT_NEAR(largest(0, i), most, 1e-3) << what << ", row " << i;
        }
        if (seen > 0) {
            EXPECT_GE(peak, highest - 1e-3) << what;
            EXPECT_LE(peak, highest + 1 + std::log2(N) + 1e-3) << what;
        }
    }
};

/// Decoding: vectors hold scores of more keys where there are fewer rows.
TEST_F(softmax, weights_of_few_rows) {
    for (int rows = 1; rows <= 16; ++rows) {
        check_weights<bf16, 16, 128, 128>(rows, 128, 128);
        const int keys = uniform(1, 128);
        check_weights<bf16, 16, 128, 64>(rows, keys, uniform(1, keys));
        check_weights<bf16, 16, 64, 256>(rows, uniform(64, 200), uniform(1, 64));
        check_weights<bf16, 8, 64, 96>(std::min(rows, 8), 64, uniform(1, 64));
        check_weights<half, 16, 128, 128>(rows, keys, keys);
    }
}

TEST_F(softmax, weights_of_many_rows) {
    for (int round = 0; round < 6; ++round) {
        const int keys = uniform(1, 256);
        check_weights<bf16, 32, 256, 128>(uniform(1, 32), keys, uniform(1, keys));
        check_weights<bf16, 32, 256, 64>(32, 256, uniform(1, 256));
        check_weights<half, 48, 128, 64>(uniform(1, 48), 128, 128);
    }
}

}  // namespace
}  // namespace cpu_tests
