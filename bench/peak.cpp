// SPDX-License-Identifier: Apache-2.0
#include "peak.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

// The loops are assembly, so that no compiler flag and no optimiser has a say in what is measured.
#define KITTENS_PEAK_12(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

namespace kittens::bench {

namespace {

using clock = std::chrono::steady_clock;

void fma_ymm(std::int64_t n) {
#define KITTENS_STEP(I) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" #I "\n"
    asm volatile(
        "vxorps %%ymm14, %%ymm14, %%ymm14\n vxorps %%ymm15, %%ymm15, %%ymm15\n"
        "1:\n" KITTENS_PEAK_12(KITTENS_STEP) "dec %0\n jnz 1b\n vzeroupper\n"
        : "+r"(n)::"cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
          "xmm14", "xmm15");
#undef KITTENS_STEP
}

#define KITTENS_ZMM_LOOP(NAME, INSTRUCTION)                                                                             \
    void NAME(std::int64_t n) {                                                                                        \
        asm volatile("vpxorq %%zmm14, %%zmm14, %%zmm14\n vpxorq %%zmm15, %%zmm15, %%zmm15\n"                           \
                     "1:\n" KITTENS_PEAK_12(INSTRUCTION) "dec %0\n jnz 1b\n vzeroupper\n"                              \
                     : "+r"(n)::"cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",  \
                       "xmm10", "xmm11", "xmm14", "xmm15");                                                           \
    }
#define KITTENS_FMA(I) "vfmadd231ps %%zmm14, %%zmm15, %%zmm" #I "\n"
#define KITTENS_BF16(I) "vdpbf16ps %%zmm14, %%zmm15, %%zmm" #I "\n"
#define KITTENS_INT8(I) "vpdpbusd %%zmm14, %%zmm15, %%zmm" #I "\n"
KITTENS_ZMM_LOOP(fma_zmm, KITTENS_FMA)
KITTENS_ZMM_LOOP(bf16_zmm, KITTENS_BF16)
KITTENS_ZMM_LOOP(int8_zmm, KITTENS_INT8)

struct alignas(64) tile_configuration {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t bytes_per_row[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

#define KITTENS_TILE_LOOP(NAME, INSTRUCTION)                                                                           \
    void NAME(std::int64_t n) {                                                                                       \
        const tile_configuration shape;                                                                               \
        asm volatile("ldtilecfg %1\n"                                                                                 \
                     "tilezero %%tmm0\n tilezero %%tmm1\n tilezero %%tmm2\n tilezero %%tmm3\n"                        \
                     "tilezero %%tmm4\n tilezero %%tmm5\n tilezero %%tmm6\n tilezero %%tmm7\n"                        \
                     "1:\n" INSTRUCTION " %%tmm7, %%tmm6, %%tmm0\n" INSTRUCTION " %%tmm7, %%tmm6, %%tmm1\n"           \
                     INSTRUCTION " %%tmm7, %%tmm6, %%tmm2\n" INSTRUCTION " %%tmm7, %%tmm6, %%tmm3\n"                   \
                     INSTRUCTION " %%tmm7, %%tmm6, %%tmm4\n" INSTRUCTION " %%tmm7, %%tmm6, %%tmm5\n"                   \
                     "dec %0\n jnz 1b\n tilerelease\n"                                                                \
                     : "+r"(n) : "m"(shape) : "cc", "memory");                                                        \
    }
KITTENS_TILE_LOOP(bf16_tile, "tdpbf16ps")
KITTENS_TILE_LOOP(int8_tile, "tdpbssd")

struct loop {
    void (*run)(std::int64_t);
    double operations;  ///< in one iteration
    const char* instruction;
};

loop loop_for(cpu_isa isa, dtype type) {
    constexpr double tile = 2.0 * 16 * 16 * 6;  // for one element of K
    if (isa >= cpu_isa::amx && type == dtype::bf16) return {bf16_tile, tile * 32, "tdpbf16ps"};
    if (isa >= cpu_isa::amx && type == dtype::i8) return {int8_tile, tile * 64, "tdpbssd"};
    if (isa >= cpu_isa::avx512_bf16 && type == dtype::bf16) return {bf16_zmm, 2.0 * 32 * 12, "vdpbf16ps"};
    if (isa >= cpu_isa::avx512_bf16 && type == dtype::i8) return {int8_zmm, 2.0 * 64 * 12, "vpdpbusd"};
    if (isa >= cpu_isa::avx512) return {fma_zmm, 2.0 * 16 * 12, "vfmadd231ps (512 bits)"};
    return {fma_ymm, 2.0 * 8 * 12, "vfmadd231ps (256 bits)"};
}

}  // namespace

peak measure_peak(cpu_isa isa, dtype type, int threads) {
    const loop what = loop_for(isa, type);
    constexpr std::int64_t piece = 4096;
    constexpr auto span = std::chrono::milliseconds(50);
    double best = 0;
    for (int attempt = 0; attempt < 4; ++attempt) {
        std::atomic<int> ready{0};
        std::vector<double> rate(static_cast<std::size_t>(threads));
        std::vector<std::thread> workers;
        for (double& mine : rate)
            workers.emplace_back([&] {
                what.run(piece);
                ++ready;
                while (ready.load() < threads) std::this_thread::yield();
                const auto start = clock::now();
                std::int64_t done = 0;
                do {
                    what.run(piece);
                    done += piece;
                } while (clock::now() - start < span);
                mine = static_cast<double>(done) * what.operations / std::chrono::duration<double>(clock::now() - start).count();
            });
        for (auto& w : workers) w.join();
        double sum = 0;
        for (const double r : rate) sum += r;
        best = std::max(best, sum);
    }
    return {best, what.instruction};
}

}  // namespace kittens::bench
