// SPDX-License-Identifier: Apache-2.0
#include <bench/environment.hpp>
#include <bench/interleave.hpp>

#include <kittens/runtime/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <sys/wait.h>
#include <unistd.h>

namespace kittens::bench {
namespace {

/// The value that `name` gets; "(removed)" if it is removed, "(untouched)" if it is left alone.
std::string value(const std::vector<variable>& all, const std::string& name) {
    const auto at = std::find_if(all.begin(), all.end(), [&](const variable& v) { return v.name == name; });
    return at == all.end() ? "(untouched)" : at->value.value_or("(removed)");
}

TEST(environment, a_cap_is_for_everybody) {
    const auto avx2 = variables_for({.isa = cpu_isa::avx2, .processors = {0}});
    EXPECT_EQ(value(avx2, "KITTENS_MAX_CPU_ISA"), "avx2");
    EXPECT_EQ(value(avx2, "ONEDNN_MAX_CPU_ISA"), "AVX2");
    EXPECT_EQ(value(avx2, "ATEN_CPU_CAPABILITY"), "avx2");
    EXPECT_EQ(value(avx2, "MKL_ENABLE_INSTRUCTIONS"), "AVX2");
    EXPECT_EQ(value(avx2, "OPENBLAS_CORETYPE"), "Haswell");
    const auto bf16 = variables_for({.isa = cpu_isa::avx512_bf16, .processors = {0}});
    EXPECT_EQ(value(bf16, "ONEDNN_MAX_CPU_ISA"), "AVX512_CORE_BF16");
    EXPECT_EQ(value(bf16, "OPENBLAS_CORETYPE"), "Cooperlake");
}

TEST(environment, without_a_cap_nobody_keeps_one) {
    const auto all = variables_for({.processors = {0}});
    for (const char* name : {"KITTENS_MAX_CPU_ISA", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY", "MKL_ENABLE_INSTRUCTIONS"})
        EXPECT_EQ(value(all, name), "(removed)") << name;
}

TEST(environment, openblas_is_not_left_below_the_processor) {
    if (detected_cpu_isa() != cpu_isa::amx || !__builtin_cpu_is("intel")) GTEST_SKIP() << "for Intel processors with AMX";
    EXPECT_EQ(value(variables_for({.processors = {0}}), "OPENBLAS_CORETYPE"), "Sapphirerapids");
}

TEST(environment, everybody_has_as_many_threads) {
    const auto all = variables_for({.processors = {3, 5, 7}});
    for (const char* name : {"KITTENS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) EXPECT_EQ(value(all, name), "3") << name;
}

TEST(environment, wait_policy) {
    EXPECT_EQ(value(variables_for({.processors = {0}}), "OMP_WAIT_POLICY"), "(removed)");
    EXPECT_EQ(value(variables_for({.processors = {0}, .passive_waiting = true}), "OMP_WAIT_POLICY"), "PASSIVE");
}

TEST(environment, processors) {
    EXPECT_EQ(choose_processors(1).size(), 1u);
    EXPECT_GE(choose_processors(0).size(), 1u);
    EXPECT_THROW(choose_processors(100000), device_error);
}

/// Processor time that this process did not spend itself: a child's.
void child_runs(double seconds) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        timespec spent{};
        do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
        while (static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec) < seconds);
        _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
}

TEST(environment, interference_counts_while_something_is_measured) {
    interference others(choose_processors(0));
    child_runs(0.3);
    EXPECT_EQ(others.so_far().others, 0) << "nothing is measured yet";
    {
        const interference::measurement now(&others);
        child_runs(0.3);
    }
    const double share = others.so_far().others;
    EXPECT_GT(share, 0.1 / static_cast<double>(choose_processors(0).size()));
    child_runs(0.3);
    EXPECT_EQ(others.so_far().others, share) << "nothing is measured any more";
}

TEST(environment, the_rounds_are_watched) {
    interference others(choose_processors(0));
    const contender all[] = {{"child", [] { child_runs(0.1); }}};
    interleave(all, {.warm_ups = 1, .rounds = 2, .least_sample = 0, .lead_in_below = 0, .settle = false, .watch = &others});
    EXPECT_GT(others.so_far().others, 0.1 / static_cast<double>(choose_processors(0).size()));
}

TEST(environment, interference_is_a_share) {
    interference others(choose_processors(0));
    const interference::measurement now(&others);
    const auto shares = others.so_far();
    EXPECT_GE(shares.others, 0);
    EXPECT_LE(shares.others, 1);
    EXPECT_GE(shares.stolen, 0);
    EXPECT_LE(shares.stolen, 1);
}

}  // namespace
}  // namespace kittens::bench
