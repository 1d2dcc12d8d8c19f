// SPDX-License-Identifier: Apache-2.0
// Random shape x policy x layout x epilogue for a bounded time. The seed is printed; KITTENS_SEED repeats a run, KITTENS_FUZZ_SECONDS
// makes it longer.
#include "gemm/problem.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

namespace gemm_tests {
namespace {

TEST(fuzz, random_problems) {
    const auto devices = devices_under_test();
    if (devices.empty()) GTEST_SKIP() << "no device of the target under test";
    const char* given = std::getenv("KITTENS_FUZZ_SECONDS");
    const std::chrono::duration<double> budget(given ? std::strtod(given, nullptr) : 10);
    std::mt19937 random(seed());
    const auto& cases = kernel_cases();
    const auto start = std::chrono::steady_clock::now();
    int runs = 0;
    do {
        const kernel_case& c = cases[std::uniform_int_distribution<std::size_t>(0, cases.size() - 1)(random)];
        const kittens::device& where = devices[std::uniform_int_distribution<std::size_t>(0, devices.size() - 1)(random)];
        const problem p = random_problem(random, c.policy, where.target() == "cpu" ? 150 : 70);
        ASSERT_EQ(run_and_compare(where, c, p, random), "") << "run " << runs << ": " << c.name << " on " << where.id() << ": " << p.text();
        ++runs;
    } while (std::chrono::steady_clock::now() - start < budget);
    RecordProperty("runs", runs);
    std::printf("%d random problems\n", runs);
}

}  // namespace
}  // namespace gemm_tests
