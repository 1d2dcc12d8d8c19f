// SPDX-License-Identifier: Apache-2.0
// Movement: edges on every side, transposition, conversion, vectors; nothing outside a tensor is read as data or written.
#include "on_cpu.hpp"

#include <cstring>
#include <memory>

namespace cpu_tests {
namespace {

class movement : public on_cpu {
  protected:
    /// Every element is different as far as the type allows, so that a permutation cannot pass.
    template <class T> matrix<T> coded(int rows, int cols) {
        matrix<T> m(rows, cols, uniform(1, 30));
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < cols; ++j) m(i, j) = convert<T>(float((i * 37 + j * 11 + 5) % 251) - (is_integer_element<T> ? 0 : 125));
        return m;
    }

    /// Loads a tile at (r, c) from `Source` memory, stores it to memory of type To, and compares.
    template <class T, class G, class To, int M, int N, bool Transposed, bool Constant>
    void check(int rows, int cols, int r, int c) {
        using tile_t = rt<T, M, N>;
        auto src = coded<G>(rows, cols);
        matrix<To> out(M, N, uniform(1, 30));
        as_subgroup([&](const subgroup&) {
            auto t = std::make_unique<tile_t>();
            const auto from = src.template layout<std::conditional_t<Constant, const G, G>>();
            if constexpr (Transposed) load_transpose(*t, from, {r, c});
            else load(*t, from, {r, c});
            store(out.layout(), *t, {0, 0});
        });
        for (int i = 0; i < M; ++i)
            for (int j = 0; j < N; ++j) {
                const int si = Transposed ? c * N + j : r * M + i, sj = Transposed ? r * M + i : c * N + j;
                const bool inside = si >= 0 && sj >= 0 && si < rows && sj < cols;
                const To expected = inside ? convert<To>(convert<T>(src(si, sj))) : convert<To>(0.0f);
                ASSERT_EQ(float(out(i, j)), float(expected)) << i << "," << j << " of tile " << r << "," << c << " in " << rows << "x" << cols;
            }
        ASSERT_TRUE(out.surroundings_intact());
    }
    template <class T, class G, class To, int M, int N, bool Transposed>
    void check_places() {
        for (int i = 0; i < 12; ++i) {
            const int rows = uniform(1, 3 * M), cols = uniform(1, 3 * N), r = uniform(-1, 3), c = uniform(-1, 3);
            check<T, G, To, M, N, Transposed, true>(rows, cols, r, c);
            check<T, G, To, M, N, Transposed, false>(rows, cols, r, c);
        }
        check<T, G, To, M, N, Transposed, true>(Transposed ? N : M, Transposed ? M : N, 0, 0);
    }
};

TEST_F(movement, bf16_tiles) { check_places<bf16, bf16, bf16, 32, 64, false>(); }
TEST_F(movement, float_tiles) { check_places<float, float, float, 48, 16, false>(); }
TEST_F(movement, half_tiles) { check_places<half, half, float, 16, 32, false>(); }
TEST_F(movement, int8_tiles) { check_places<int8, int8, int8, 32, 32, false>(); }
TEST_F(movement, bf16_transposed) { check_places<bf16, bf16, bf16, 32, 48, true>(); }
TEST_F(movement, float_transposed) { check_places<float, float, float, 32, 16, true>(); }
TEST_F(movement, int8_transposed) { check_places<int8, int8, int32, 64, 32, true>(); }
TEST_F(movement, converting) {
    check_places<float, bf16, half, 32, 32, false>();
    check_places<bf16, float, float, 16, 64, false>();
    check_places<float, int8, int8, 32, 32, false>();
    check_places<half, float, bf16, 32, 32, false>();
}

TEST_F(movement, store_writes_only_what_lies_inside) {
    for (int round = 0; round < 40; ++round) {
        const int rows = uniform(1, 70), cols = uniform(1, 100), r = uniform(-1, 2), c = uniform(-1, 2);
        matrix<bf16> out(rows, cols, uniform(0, 20));
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < cols; ++j) out(i, j) = bf16(-1000.0f);
        as_subgroup([&](const subgroup&) {
            auto t = std::make_unique<rt_fl<32, 48>>();
            zero(*t);
            apply(*t, *t, [](int i, int j, float) { return float(i * 48 + j) * 0.37f; });
            store(out.layout(), *t, {r, c});
        });
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < cols; ++j) {
                const int ti = i - 32 * r, tj = j - 48 * c;
                const bool written = ti >= 0 && ti < 32 && tj >= 0 && tj < 48;
                ASSERT_EQ(out(i, j).bits, (written ? bf16(float(ti * 48 + tj) * 0.37f) : bf16(-1000.0f)).bits);
            }
        ASSERT_TRUE(out.surroundings_intact());
    }
}

TEST_F(movement, rounding_is_to_nearest_even) {
    matrix<float> src(16, 64);
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 64; ++j) {
            // Around ties of bf16 and of half.
            const std::uint32_t tie = (uniform(0, 1) ? 0x8000u : 0x1000u) + unsigned(uniform(-1, 1));
            src(i, j) = __builtin_bit_cast(float, (unsigned(uniform(0x3f00, 0x40ff)) << 16) + tie);
        }
    src(0, 0) = __builtin_inff(), src(0, 1) = -__builtin_inff(), src(0, 2) = __builtin_nanf(""), src(0, 3) = 3.4e38f, src(0, 4) = -0.0f;
    matrix<bf16> b(16, 64);
    matrix<half> h(16, 64);
    as_subgroup([&](const subgroup&) {
        rt_fl<16, 64> t;
        load(t, src.layout(), {0, 0});
        store(b.layout(), t, {0, 0});
        store(h.layout(), t, {0, 0});
    });
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 64; ++j) {
            if (std::isnan(src(i, j))) {
                EXPECT_TRUE(std::isnan(float(b(i, j))) && std::isnan(float(h(i, j))));
                continue;
            }
            ASSERT_EQ(b(i, j).bits, bf16(src(i, j)).bits) << src(i, j);
            ASSERT_EQ(__builtin_bit_cast(std::uint16_t, h(i, j)), __builtin_bit_cast(std::uint16_t, half(src(i, j)))) << src(i, j);
        }
}

TEST_F(movement, vectors) {
    for (int round = 0; round < 40; ++round) {
        const int rows = uniform(1, 4), cols = uniform(1, 200), r = uniform(-1, 4), c = uniform(-1, 4);
        auto src = coded<bf16>(rows, cols);
        matrix<float> out(1, 48);
        matrix<bf16> back(rows, cols);
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < cols; ++j) back(i, j) = bf16(7.0f);
        as_subgroup([&](const subgroup&) {
            rv<bf16, 48> v;
            load(v, src.layout<const bf16>(), {r, c});
            store(out.layout(), v, {0, 0});
            store(back.layout(), v, {r, c});
        });
        for (int i = 0; i < 48; ++i) ASSERT_EQ(out(0, i), float(src.value(r, c * 48 + i)));
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < cols; ++j) ASSERT_EQ(float(back(i, j)), i == r && j >= c * 48 && j < c * 48 + 48 ? float(src(i, j)) : 7.0f);
        ASSERT_TRUE(back.surroundings_intact());
    }
}

TEST_F(movement, prefetch_changes_nothing) {
    auto src = coded<bf16>(40, 50);
    const auto before = src.memory;
    as_subgroup([&](const subgroup&) {
        auto t = std::make_unique<rt_bf<32, 32>>();
        for (int r = -1; r < 3; ++r) {
            prefetch_load(*t, src.layout<const bf16>(), {r, r});
            prefetch_load_coop(*t, src.layout<const bf16>(), {r, r}, {8, 0});
        }
    });
    EXPECT_EQ(std::memcmp(before.data(), src.memory.data(), before.size() * sizeof(bf16)), 0);
}

// What a tile remembers instead of elements must survive copies, and end where something else is put in.
TEST_F(movement, copies_of_lazy_tiles) {
    auto a = coded<float>(32, 32), b = coded<float>(64, 64);
    matrix<float> out(32, 160);
    as_subgroup([&](const subgroup&) {
        using tile_t = rt_fl<32, 32>;
        tile_t x, y, z;
        load(x, a.layout<const float>(), {0, 0});
        y = x;
        zero(x);
        store(out.layout(), x, {0, 0});
        store(out.layout(), y, {0, 1});
        load(y, b.layout<const float>(), {1, 1});
        tile_t w = y;
        add(w, w, 1.0f);
        store(out.layout(), w, {0, 2});
        store(out.layout(), y, {0, 3});
        z = x;
        add(z, z, y);
        store(out.layout(), z, {0, 4});
    });
    for (int i = 0; i < 32; ++i)
        for (int j = 0; j < 32; ++j) {
            ASSERT_EQ(out(i, j), 0.0f);
            ASSERT_EQ(out(i, 32 + j), a(i, j));
            ASSERT_EQ(out(i, 64 + j), b(32 + i, 32 + j) + 1.0f);
            ASSERT_EQ(out(i, 96 + j), b(32 + i, 32 + j));
            ASSERT_EQ(out(i, 128 + j), b(32 + i, 32 + j));
        }
}

}  // namespace
}  // namespace cpu_tests
