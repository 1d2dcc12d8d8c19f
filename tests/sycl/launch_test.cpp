// SPDX-License-Identifier: Apache-2.0
// Kernels on a user's sycl::queue: each path, with the user's own commands before and after.
#include "gemm_problem.hpp"
#include "scaled_sum.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace backend = kittens::sycl_backend;
using backend::path;
using kittens::dtype;

namespace {

constexpr double gate = 0.02;

class launch_on : public testing::TestWithParam<path> {
protected:
    void SetUp() override {
        if (GetParam() == path::software && !backend::takes_spirv(q.get_device()))
            GTEST_SKIP() << "this SYCL implementation takes no SPIR-V";
        if (GetParam() == path::native && !backend::has_native_instructions(q.get_device()))
            GTEST_SKIP() << "the device has no matrix and 2-D block instructions";
        if (GetParam() == path::host && !q.get_device().is_cpu()) GTEST_SKIP() << "no CPU device";
    }
    sycl::queue q;
};

INSTANTIATE_TEST_SUITE_P(sycl, launch_on, testing::Values(path::native, path::software, path::host, path::automatic),
                         [](const auto& p) { return std::string(backend::to_string(p.param)); });

TEST_P(launch_on, gemm_with_ragged_edges) {
    gemm_problem<kernels::default_policy(dtype::bf16)> p(q, {300, 328, 232});
    const auto done = backend::launch(q, "gemm_bf16", p.globals(), p.upload(), GetParam());
    EXPECT_LT(p.error(done), gate);
}

TEST_P(launch_on, gemm_on_unaligned_rows) {
    gemm_problem<kernels::plain_policy(dtype::bf16)> p(q, {17, 33, 65});
    const auto done = backend::launch(q, "gemm_bf16_plain", p.globals(), p.upload(), GetParam());
    EXPECT_LT(p.error(done), gate);
}

TEST_P(launch_on, other_element_types) {
    gemm_problem<kernels::default_policy(dtype::f16)> p(q, {64, 128, 96});
    const auto done = backend::launch(q, "gemm_fp16", p.globals(), p.upload(), GetParam());
    EXPECT_LT(p.error(done), gate);
}

/// y += factor * x by the example's kernel, `rounds` times one after the other; the number of wrong elements.
int wrong_sums(sycl::queue q, int rounds, path how) {
    constexpr int rows = 50, cols = 200, size = rows * cols;
    auto* x = sycl::aligned_alloc_device<float>(64, size, q);
    auto* y = sycl::aligned_alloc_device<float>(64, size, q);
    std::vector<float> host(size);
    for (int i = 0; i < size; ++i) host[std::size_t(i)] = float(i % 97);
    std::vector<sycl::event> before{q.memcpy(x, host.data(), size * sizeof(float)),
                                    q.memset(y, 0, size * sizeof(float))};
    const example::scaled_sum::globals g{.x = {x, 1, 1, rows, cols}, .y = {y, 1, 1, rows, cols}, .factor = 2.0f};
    for (int r = 0; r < rounds; ++r) {
        const auto done =
            backend::launch(q, "scaled_sum", g, q.is_in_order() ? std::vector<sycl::event>{} : before, how);
        before = {done};
    }
    std::vector<float> result(size);
    q.memcpy(result.data(), y, size * sizeof(float), before).wait();
    sycl::free(x, q);
    sycl::free(y, q);
    int wrong = 0;
    for (int i = 0; i < size; ++i) wrong += result[std::size_t(i)] != 2.0f * float(rounds) * host[std::size_t(i)];
    return wrong;
}

TEST_P(launch_on, events_order_an_unordered_queue) { EXPECT_EQ(wrong_sums(q, 5, GetParam()), 0); }

TEST_P(launch_on, in_order_queue_needs_no_events) {
    sycl::queue in_order(q.get_context(), q.get_device(), {sycl::property::queue::in_order{}});
    EXPECT_EQ(wrong_sums(in_order, 5, GetParam()), 0);
}

TEST_P(launch_on, two_threads_with_a_queue_each) {
    double error[2] = {1, 1};
    std::thread threads[2];
    for (int t = 0; t < 2; ++t)
        threads[t] = std::thread([&, t] {
            sycl::queue own(q.get_context(), q.get_device());
            gemm_problem<kernels::default_policy(dtype::bf16)> p(own, {64 + 32 * t, 128, 128}, 7u + unsigned(t));
            error[t] = p.error(backend::launch(own, "gemm_bf16", p.globals(), p.upload(), GetParam()));
        });
    for (auto& t : threads) t.join();
    EXPECT_LT(error[0], gate);
    EXPECT_LT(error[1], gate);
}

TEST_P(launch_on, kernels_are_built_again_after_release) {
    sycl::queue own(sycl::context(q.get_device()), q.get_device());
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(wrong_sums(own, 1, GetParam()), 0);
        backend::release(own.get_context());
    }
}

TEST_P(launch_on, prepare_says_what_was_built) {
    const auto built = backend::prepare(q, "gemm_bf16", GetParam());
    EXPECT_STREQ(built.record->name, "gemm_bf16");
    EXPECT_EQ(built.subgroup_size, 16);
    EXPECT_GE(built.max_subgroups, 32u);
    EXPECT_NE(built.how, path::automatic);
    if (GetParam() != path::automatic) {
        EXPECT_EQ(built.how, GetParam());
    }
    if (q.get_device().is_gpu()) {
        EXPECT_EQ(built.build_options, "-ze-opt-large-register-file");
        EXPECT_GE(built.registers.value_or(256), 256u);
        EXPECT_EQ(built.spill_bytes.value_or(0), 0u);
    }
}

TEST_P(launch_on, the_record_itself) {
    const auto built = backend::prepare(q, "gemm_bf16", GetParam());
    gemm_problem<kernels::default_policy(dtype::bf16)> p(q, {40, 72, 64});
    EXPECT_LT(p.error(backend::launch(q, *built.record, p.globals(), p.upload(), built.how)), gate);
}

TEST(sycl_automatic, prefers_the_instructions_then_the_cpu_target) {
    sycl::queue q;
    const auto how = backend::prepare(q, "gemm_bf16").how;
    const bool native = backend::has_native_instructions(q.get_device());
    EXPECT_EQ(how, native ? path::native : q.get_device().is_cpu() ? path::host : path::software);
}

}  // namespace
