// SPDX-License-Identifier: Apache-2.0
// From source to machine code with the real compilers. Without them the tests are skipped, unless KITTENS_REQUIRE_INTEL
// is set: then their absence is a failure.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/machine_code.hpp"

namespace {

using namespace kittens::inspect;

/// A 16x32 tile of a matrix product per subgroup; STEPS steps of K 32 in one round of the loop, 8 dpas each.
constexpr const char* product = R"(
typedef __attribute__((ext_vector_type(8))) short short8;
typedef __attribute__((ext_vector_type(8))) int int8;
typedef __attribute__((ext_vector_type(8))) float float8;
typedef __attribute__((ext_vector_type(2))) int int2;
#define GLOBAL __attribute__((opencl_global))
float8 __spirv_SubgroupMatrixMultiplyAccumulateINTEL(int, short8, int8, float8, int);
void __spirv_Subgroup2DBlockLoadINTEL(int, int, int, int, const GLOBAL void*, int, int, int, int2, void*);
void __spirv_Subgroup2DBlockLoadTransformINTEL(int, int, int, int, const GLOBAL void*, int, int, int, int2, void*);
void __spirv_Subgroup2DBlockPrefetchINTEL(int, int, int, int, const GLOBAL void*, int, int, int, int2);
void __spirv_Subgroup2DBlockStoreINTEL(int, int, int, int, void*, GLOBAL void*, int, int, int, int2);

extern "C" __attribute__((device_kernel)) void product(const GLOBAL short* a, const GLOBAL short* b, GLOBAL float* c,
                                                       int m, int n, int k) {
    const int row = (int)__builtin_spirv_workgroup_id(1) * 16;
    const int column = (int)__builtin_spirv_workgroup_id(0) * 32;
    float8 acc[2][2] = {};
    int at = 0;
    do {
        #pragma unroll
        for (int step = 0; step < STEPS; ++step, at += 32) {
            short8 left[2][2];
            int8 right[2][2];
            __spirv_Subgroup2DBlockLoadINTEL(2, 16, 16, 2, a, k * 2, m, k * 2, int2{at, row}, left);
            __spirv_Subgroup2DBlockLoadTransformINTEL(2, 16, 32, 2, b, n * 2, k, n * 2, int2{column, at}, right);
            __spirv_Subgroup2DBlockPrefetchINTEL(2, 16, 32, 2, b, n * 2, k, n * 2, int2{column, at + 96});
            for (int h = 0; h < 2; ++h)
                for (int i = 0; i < 2; ++i)
                    for (int j = 0; j < 2; ++j)
                        acc[i][j] = __spirv_SubgroupMatrixMultiplyAccumulateINTEL(16, left[h][i], right[j][h],
                                                                                  acc[i][j], 0x3000);
        }
    } while (at < k);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            __spirv_Subgroup2DBlockStoreINTEL(4, 16, 8, 1, &acc[i][j], c, n * 4, m, n * 4,
                                              int2{column + j * 16, row + i * 8});
}
)";

/// Copies through SLM with a barrier; nothing in it makes the compiler choose 16 lanes by itself.
constexpr const char* through_slm = R"(
#define GLOBAL __attribute__((opencl_global))
typedef __attribute__((ext_vector_type(4))) unsigned uint4;
__attribute__((convergent)) void __spirv_ControlBarrier(int, int, int);
static __attribute__((opencl_local)) uint4 tile[256];
extern "C" __attribute__((device_kernel)) void turn(const GLOBAL uint4* from, GLOBAL uint4* to, int n) {
    const int lane = (int)__builtin_spirv_local_invocation_id(0);
    for (int i = 0; i < n; ++i) {
        tile[lane] = from[lane + i * 256];
        __spirv_ControlBarrier(2, 2, 0x110);
        to[lane + i * 256] = tile[(lane * 7) & 255];
        __spirv_ControlBarrier(2, 2, 0x110);
    }
}
extern "C" __attribute__((device_kernel)) void indexed(GLOBAL float* x, int n, int m) {
    const int lane = (int)__builtin_spirv_local_invocation_id(0);
    float values[64];
    for (int i = 0; i < 64; ++i) values[i] = x[i * 256 + lane];
    for (int i = 0; i < n; ++i) values[(i * m) & 63] += values[(i * 7 + m) & 63];
    for (int i = 0; i < 64; ++i) x[i * 256 + lane] = values[i];
}
)";

class machine_code : public ::testing::TestWithParam<gpu> {
protected:
    void SetUp() override { KITTENS_REQUIRE_COMPILERS(); }

    inspect_options options(const char* text, unsigned steps = 1) const {
        inspect_options result;
        result.source = source_input{};
        result.source->text = text;
        result.source->defines = {{"STEPS", std::to_string(steps)}};
        result.device = GetParam();
        result.native.grf = 128;
        result.cache = compile_cache();
        return result;
    }
};

TEST_P(machine_code, a_matrix_product_is_what_its_source_says) {
    auto ask = options(product);
    ask.dpas_per_k_step = 8;
    const auto result = run(ask);
    ASSERT_EQ(result.kernels.size(), 1u);
    const auto& kernel = result.kernels[0];
    EXPECT_EQ(kernel.name, "product");
    EXPECT_EQ(kernel.simd, 16u);
    EXPECT_EQ(kernel.grf, 128u);
    EXPECT_EQ(kernel.spill_bytes, 0u);
    EXPECT_EQ(kernel.undecoded, 0u);
    EXPECT_EQ(kernel.counts.block_stores, 4u);
    EXPECT_LE(kernel.counts.instructions, 200u);
    ASSERT_TRUE(kernel.main_loop);
    const auto& loop = *kernel.main_loop;
    EXPECT_EQ(loop.counts.dpas, 8u);
    EXPECT_EQ(loop.counts.block_loads, 1u);
    EXPECT_EQ(loop.counts.transform_loads, 1u);
    EXPECT_EQ(loop.counts.prefetches, 1u);
    EXPECT_EQ(loop.counts.sends(), 3u);
    EXPECT_LE(loop.counts.instructions, 40u);
    EXPECT_EQ(loop.k_steps, 1u);
    EXPECT_EQ(loop.loaded_bytes, 3072u);
    EXPECT_EQ(loop.prefetched_bytes, 2048u);
    EXPECT_TRUE(result.warnings.empty());
    // The prefetch is explained as well as the loads.
    for (const auto& block : loop.blocks) {
        EXPECT_FALSE(block.surface.empty());
        EXPECT_FALSE(block.feeds.empty());
    }
    ASSERT_GE(result.compiler.size(), 3u);
    for (const auto& [name, version] : result.compiler) EXPECT_FALSE(version.empty()) << name;
}

TEST_P(machine_code, an_unrolled_loop_is_counted_per_step_of_k) {
    auto ask = options(product, 2);
    ask.native.grf = 256;
    ask.dpas_per_k_step = 8;
    const auto result = run(ask);
    const auto& loop = result.kernels.at(0).main_loop;
    ASSERT_TRUE(loop);
    EXPECT_EQ(loop->counts.dpas, 16u);
    EXPECT_EQ(loop->k_steps, 2u);
    EXPECT_NE(to_json(result).find("\"per_k_step\""), std::string::npos);

    ask.dpas_per_k_step = 5;
    const auto uneven = run(ask);
    EXPECT_EQ(uneven.kernels.at(0).main_loop->k_steps, 0u);
    EXPECT_EQ(uneven.warnings.size(), 1u);
}

TEST_P(machine_code, every_kernel_gets_sixteen_lanes) {
    auto ask = options(through_slm);
    ask.kernel = "turn";
    const auto result = run(ask);
    ASSERT_EQ(result.kernels.size(), 1u);
    const auto& kernel = result.kernels[0];
    EXPECT_EQ(kernel.simd, 16u);
    EXPECT_EQ(kernel.slm_bytes, 4096u);
    EXPECT_EQ(kernel.barriers, 1u);
    ASSERT_TRUE(kernel.main_loop);
    const auto& other = kernel.main_loop->counts.other;
    EXPECT_EQ(other.at("slm_load"), 1u);
    EXPECT_EQ(other.at("slm_store"), 1u);
    EXPECT_EQ(other.at("barrier"), 2u);
    EXPECT_EQ(other.at("gather_load"), 1u);
    EXPECT_EQ(other.at("scatter_store"), 1u);
}

TEST_P(machine_code, private_memory_is_reported) {
    auto ask = options(through_slm);
    ask.kernel = "indexed";
    const auto result = run(ask);
    EXPECT_EQ(result.kernels.at(0).private_bytes, 64u * 4 * 16);
    EXPECT_GE(result.kernels.at(0).main_loop->counts.other.at("scratch_load"), 2u);
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("private memory"), std::string::npos);
}

TEST_P(machine_code, the_second_time_comes_from_the_cache_and_is_the_same) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("kittens-cache-test-" + std::string(gpu_name(GetParam())));
    std::filesystem::remove_all(folder);
    auto ask = options(product);
    ask.cache = compile_cache(folder);
    const auto first = to_json(run(ask));
    const auto entries = std::distance(std::filesystem::directory_iterator(folder), {});
    EXPECT_EQ(entries, 3) << "SPIR-V, machine code and remarks";
    EXPECT_EQ(to_json(run(ask)), first);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), entries);
    ask.source->defines = {{"STEPS", "2"}};
    EXPECT_NE(to_json(run(ask)), first) << "another source is another entry";
    std::filesystem::remove_all(folder);
}

TEST_P(machine_code, files_are_written_where_asked) {
    const auto base =
        std::filesystem::temp_directory_path() / ("kittens-files-test-" + std::string(gpu_name(GetParam())));
    auto ask = options(product);
    ask.save_spirv = base.string() + ".spv";
    ask.save_assembly = base.string() + ".asm";
    run(ask);
    const auto module = spirv_module::read(ask.save_spirv);
    EXPECT_EQ(module.entry_points().at(0).subgroup_size, 16u);
    std::ifstream in(ask.save_assembly);
    std::stringstream text;
    text << in.rdbuf();
    EXPECT_NE(text.str().find("dpas.8x8"), std::string::npos);

    // The module alone gives the same code.
    inspect_options again = options(product);
    again.source.reset();
    again.spirv_file = ask.save_spirv;
    EXPECT_EQ(run(again).kernels.at(0).assembly, run(options(product)).kernels.at(0).assembly);
    std::filesystem::remove(ask.save_spirv);
    std::filesystem::remove(ask.save_assembly);
}

TEST_P(machine_code, errors_are_one_line_with_the_compilers_text_behind) {
    const auto message = [](const inspect_options& ask) {
        try {
            run(ask);
        } catch (const inspect_error& error) {
            return std::pair(std::string(error.what()), error.detail());
        }
        return std::pair(std::string("no error"), std::string());
    };
    const auto [bad, detail] = message(options("int f() { return missing; }\n"));
    EXPECT_NE(bad.find("kernel.cpp:1:18: error: use of undeclared identifier 'missing'"), std::string::npos) << bad;
    EXPECT_EQ(bad.find('\n'), std::string::npos);
    EXPECT_NE(detail.find("return missing;"), std::string::npos);

    EXPECT_NE(message(options("int f() { return 1; }\n")).first.find("no kernel"), std::string::npos);

    auto unknown = options(product);
    unknown.kernel = "nothing";
    EXPECT_NE(message(unknown).first.find("which has: product"), std::string::npos);

    EXPECT_NE(message(inspect_options{}).first.find("nothing to inspect"), std::string::npos);
    inspect_options no_file;
    no_file.spirv_file = "/nonexistent.spv";
    EXPECT_NE(message(no_file).first.find("cannot read /nonexistent.spv"), std::string::npos);

    auto unwritable = options(product);
    unwritable.save_assembly = "/nonexistent/folder/x.asm";
    EXPECT_NE(message(unwritable).first.find("cannot write /nonexistent/folder/x.asm"), std::string::npos);
}

TEST_P(machine_code, columns_stand_side_by_side) {
    const auto plain = run(options(product));
    const auto unrolled = run(options(product, 2));
    const std::vector<report_column> columns{{"plain", &plain.kernels[0]}, {"unrolled", &unrolled.kernels[0]}};
    const auto text = side_by_side(columns);
    EXPECT_NE(text.find("plain"), std::string::npos);
    EXPECT_NE(text.find("  dpas                         8        16"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(devices, machine_code, ::testing::Values(gpu::pvc, gpu::bmg, gpu::cri),
                         [](const auto& info) { return std::string(gpu_name(info.param)); });

}  // namespace
