// SPDX-License-Identifier: Apache-2.0
// A GEMM on random data, run by a test kernel and compared element by element with a bound that follows from the types.
#pragma once

#include "gemm/cases.hpp"

#include <kittens/runtime/runtime.hpp>

#include <random>
#include <string>
#include <vector>

namespace gemm_tests {

struct kernel_case {
    std::string name;  ///< as registered
    gemm_policy policy;
    gemm_form form;
};
/// All kernels of cases.hpp but those of the ladder and of the second pass.
const std::vector<kernel_case>& kernel_cases();

struct problem {
    int m = 1, n = 1, k = 1, batch = 1;
    int parts = 1;       ///< planes of K, or workgroups (stream)
    bool whole = false;  ///< small whole numbers: every sum is exact
    float alpha = 1, beta = 0;
    bool bias = false, residual = false;
    kernels::activation act = kernels::activation::none;
    int shared_b = 0;  ///< one B for all batches
    std::string text() const;
};

/// Sizes that the policy's access mode allows, no larger than `most`, and a random epilogue where it has one.
problem random_problem(std::mt19937& random, const gemm_policy& policy, int most);

/// Runs it and returns what is wrong, or "".
std::string run_and_compare(const kittens::device& where, const kernel_case& c, const problem& p, std::mt19937& random);

/// The devices of the target under test (KITTENS_TEST_TARGET): on cpu one for each instruction set.
std::vector<kittens::device> devices_under_test();

/// Fresh for each run and printed; KITTENS_SEED repeats one.
unsigned seed();

}  // namespace gemm_tests
