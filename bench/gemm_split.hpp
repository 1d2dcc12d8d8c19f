// SPDX-License-Identifier: Apache-2.0
// Products whose sum over K is shared out among threads: a launch that leaves a plane of sums for each part, and one that adds
// them up in order, so that the result is the same every time.
#pragma once

#include "gemm_choice.hpp"

#include <kittens/runtime/registry.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kittens::bench {

/// Sizes and operands of C (m x n) = A (m x k) * B (k x n), row-major and packed.
struct gemm_operands {
    std::int64_t m = 0, n = 0, k = 0;
    const void *a = nullptr, *b = nullptr;
    void* c = nullptr;
};

/// A kernel and its globals.
struct split_step {
    const kernel_record* kernel;
    std::vector<std::byte> args;
};

/// Planes that a split policy of the cpu target (choose_kernel: chosen.split) cuts K into on this device: enough for all of its threads; of
/// xe's: as many as its name says, at most the steps of K.
int split_planes(const device& where, const chosen_kernel& chosen, std::int64_t m, std::int64_t n, std::int64_t k);

/// Bytes of the planes.
std::uint64_t split_bytes(const device& where, dtype in, const chosen_kernel& chosen, std::int64_t m, std::int64_t n, std::int64_t k);

/// Both launches, in order. `planes`: memory of split_bytes.
std::vector<split_step> split_steps(const device& where, dtype in, const chosen_kernel& chosen, const gemm_operands& of, void* planes);

}  // namespace kittens::bench
