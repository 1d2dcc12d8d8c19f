// SPDX-License-Identifier: Apache-2.0
// A user's SYCL program: its own queue and memory, its own commands before and after, one of our kernels between them.
#include "scaled_sum.hpp"

#include <sycl/sycl.hpp>

#include <kittens/runtime/sycl.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

int run() {
    constexpr int rows = 1000, cols = 600;
    constexpr std::size_t size = std::size_t(rows) * cols, bytes = size * sizeof(float);
    constexpr float factor = 0.5f;
    std::vector<float> x(size), y(size), result(size);
    for (std::size_t i = 0; i < size; ++i) {
        x[i] = std::sin(float(i));
        y[i] = std::cos(float(i));
    }

    sycl::queue q;
    // 64 bytes: what the 2-D block instructions want of an address.
    auto* dx = sycl::aligned_alloc_device<float>(64, size, q);
    auto* dy = sycl::aligned_alloc_device<float>(64, size, q);
    if (!dx || !dy) throw std::bad_alloc();
    const sycl::event have_x = q.memcpy(dx, x.data(), bytes), have_y = q.memcpy(dy, y.data(), bytes);

    const example::scaled_sum::globals globals{
        .x = {dx, 1, 1, rows, cols}, .y = {dy, 1, 1, rows, cols}, .factor = factor};
    const sycl::event sum = kittens::sycl_backend::launch(q, "scaled_sum", globals, {have_x, have_y});
    q.memcpy(result.data(), dy, bytes, sum).wait_and_throw();

    std::size_t wrong = 0;
    for (std::size_t i = 0; i < size; ++i) wrong += !(std::fabs(result[i] - (y[i] + factor * x[i])) <= 1e-6f);
    const auto built = kittens::sycl_backend::prepare(q, "scaled_sum");
    std::printf("scaled_sum on %s (%s): %zu of %zu elements wrong\n",
                q.get_device().get_info<sycl::info::device::name>().c_str(), to_string(built.how), wrong, size);
    sycl::free(dx, q);
    sycl::free(dy, q);
    return wrong ? 1 : 0;
}

}  // namespace

int main() {
    try {
        return run();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "scaled_sum: %s\n", e.what());
        return 2;
    }
}
