// SPDX-License-Identifier: Apache-2.0
// The kernel compiled by the SYCL compiler in place. This file is what the host compiler sees of it; the device's part is
// compiled by DPC++'s run-time compiler, which is the same one, and by clang in device_pass_test.cpp.
#define KITTENS_TARGET_XE

#include "gemm_problem.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace backend = kittens::sycl_backend;
using kittens::dtype;

namespace {

// Whoever cannot make a kernel of it says so: an empty kernel that leaves the output as it was would be worst.
TEST(sycl_single_source, refuses_what_it_cannot_run) {
    sycl::queue q;
    const bool spirv = backend::takes_spirv(q.get_device());
#if defined(SYCL_LANGUAGE_VERSION)
    if (backend::has_native_instructions(q.get_device())) GTEST_SKIP() << "the device has the instructions";
    const std::string reason = spirv ? "KITTENS_XE_SOFTWARE" : "SPIR-V";
#else
    const std::string reason = "not compiled by a SYCL compiler";
#endif
    gemm_problem<kernels::default_policy(dtype::bf16)> p(q, {32, 64, 32});
    try {
        backend::parallel_for<kernels::gemm<kernels::default_policy(dtype::bf16)>>(q, p.globals());
        FAIL() << "nothing was thrown";
    } catch (const kittens::launch_error& e) {
        EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what() << (spirv ? " (SPIR-V)" : "");
    }
}

#if KITTENS_SYCL_SPIRV

namespace ex = sycl::ext::oneapi::experimental;

struct gemm_args {
    const void *a, *b;
    void* c;
    int m, n, k;
};

TEST(sycl_single_source, compiled_by_dpcpp_and_executed) {
    sycl::queue q;
    if (!q.get_device().ext_oneapi_can_build(ex::source_language::sycl))
        GTEST_SKIP() << "DPC++'s run-time compiler is not there";
    std::ifstream file(KITTENS_TEST_DIR "/sycl/single_source_device.txt");
    ASSERT_TRUE(file);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::string log;
    try {
        auto source = ex::create_kernel_bundle_from_source(q.get_context(), ex::source_language::sycl, text);
        ex::build_options options;
        options.add("-std=c++20");
        options.add("-DKITTENS_TARGET_XE");
        options.add("-DKITTENS_XE_SOFTWARE");
        options.add("-I" KITTENS_SOURCE_DIR "/include");
        options.add("-I" KITTENS_SOURCE_DIR "/kernels");
        auto bundle = ex::build(source, ex::properties{options, ex::save_log(&log)});
        auto kernel = bundle.ext_oneapi_get_kernel("gemm_in_place");
        EXPECT_EQ(kernel.get_info<sycl::info::kernel_device_specific::compile_sub_group_size>(q.get_device()), 16u);

        using problem_t = gemm_problem<kernels::default_policy(dtype::bf16)>;
        problem_t p(q, {300, 328, 232});
        const auto before = p.upload();
        const auto g = p.globals();
        const auto shape = problem_t::kernel::geometry(g);
        const auto done = q.submit([&](sycl::handler& h) {
            h.depends_on(before);
            h.set_arg(0, gemm_args{g.a.ptr, g.b.ptr, g.c.ptr, 300, 328, 232});
            const std::size_t lanes = std::size_t(shape.subgroups) * 16;
            h.parallel_for(sycl::nd_range<3>({1, std::size_t(shape.groups[1]), std::size_t(shape.groups[0]) * lanes},
                                             {1, 1, lanes}),
                           kernel);
        });
        EXPECT_LT(p.error(done), 0.02);
    } catch (const sycl::exception& e) {
        FAIL() << e.what() << "\n" << log;
    }
}

#endif

}  // namespace
