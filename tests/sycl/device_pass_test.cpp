// SPDX-License-Identifier: Apache-2.0
// A kernel inside a SYCL lambda: the device pass of clang -fsycl, and the machine code that the Intel compiler makes of it.
// No SYCL library takes part.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "kittens/inspect/compile.hpp"
#include "kittens/inspect/process.hpp"
#include "support/machine_code.hpp"

namespace {

using namespace kittens::inspect;
namespace fs = std::filesystem;

/// What a SYCL library's parallel_for comes to, around the GEMM with plain pointers captured by value.
constexpr const char* program = R"(
#include "gemm/gemm.hpp"
#include "gemm/policies.hpp"
using kernel_t = kernels::gemm<kernels::default_policy(kittens::dtype::bf16)>;
template <class Name, class F> [[clang::sycl_kernel_entry_point(Name)]] void kernel_task(F f) { f(); }
void launch(kittens::bf16* p, int n) {
    const decltype(kernel_t::globals::a) in(p, 1, 1, n, n);
    const kernel_t::globals g{in, in, {p, 1, 1, n, n}};
    kernel_task<struct gemm_in_lambda>([=] {
#if KITTENS_HAS_TILE_OPS
        kernel_t{}(g, kittens::subgroup{});
#endif
    });
}
)";

class device_pass : public testing::TestWithParam<gpu> {
protected:
    static void SetUpTestSuite() {
        tools = toolchain::locate();
        if (!tools.has(tool::clang)) return;
        directory = fs::temp_directory_path() / ("kittens_device_pass_" + std::to_string(getpid()));
        fs::create_directories(directory);
        std::ofstream(directory / "program.cpp") << program;
        const auto clang = tools.require(tool::clang).path.string();
        const auto run = [](std::vector<std::string> argv) {
            const auto result = run_process(argv);
            EXPECT_TRUE(result.ok()) << result.describe() << "\n" << result.err;
        };
        run({clang, "-std=c++20", "-O2", "-fsycl", "-fsycl-device-only", "-ffast-math", "-fno-finite-math-only",
             "-fconvergent-functions", "-DKITTENS_TARGET_XE", "-I" KITTENS_SOURCE_DIR "/include",
             "-I" KITTENS_SOURCE_DIR "/kernels", "-c", directory / "program.cpp", "-o", directory / "program.bc"});
        std::string extensions;
        for (const auto& e : spirv_extensions()) extensions += (extensions.empty() ? "+" : ",+") + e;
        run({clang, "--target=spirv64-unknown-unknown", "-O2", "-x", "ir", directory / "program.bc", "-c", "-o",
             directory / "program.spv", "-mllvm", "--spirv-ext=" + extensions});
    }
    static void TearDownTestSuite() {
        std::error_code ignored;
        if (!directory.empty()) fs::remove_all(directory, ignored);
    }
    static inline toolchain tools;
    static inline fs::path directory;
};

INSTANTIATE_TEST_SUITE_P(sycl, device_pass, testing::Values(gpu::pvc, gpu::bmg, gpu::cri),
                         [](const auto& p) { return std::string(gpu_name(p.param)); });

TEST_P(device_pass, becomes_the_loop_of_the_plain_kernel) {
    if (!tools.has(tool::clang)) GTEST_SKIP() << toolchain::missing(tool::clang);
    KITTENS_REQUIRE_COMPILERS();
    inspect_options options;
    options.spirv_file = directory / "program.spv";
    options.device = GetParam();
    options.native.grf = 256;
    options.dpas_per_k_step = 32;
    const report result = run(options);
    ASSERT_EQ(result.kernels.size(), 1u);
    const kernel_report& k = result.kernels[0];
    EXPECT_NE(k.name.find("gemm_in_lambda"), std::string::npos) << k.name;
    EXPECT_EQ(k.simd, 16u);
    EXPECT_EQ(k.spill_bytes, 0u);
    ASSERT_TRUE(k.main_loop);
    EXPECT_EQ(k.main_loop->counts.dpas, 32u);
    EXPECT_EQ(k.main_loop->counts.block_loads, 1u);
    EXPECT_EQ(k.main_loop->counts.transform_loads, 2u);
    EXPECT_EQ(k.main_loop->counts.prefetches, 2u);
    EXPECT_EQ(k.main_loop->counts.other_sends, 0u);
    EXPECT_LE(k.main_loop->counts.instructions, 70u);
}

}  // namespace
