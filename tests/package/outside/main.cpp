// SPDX-License-Identifier: Apache-2.0
#include "double_it.hpp"

#include <kittens/runtime/runtime.hpp>

#include <cstdio>
#include <exception>

int main() try {
    constexpr int rows = 50, cols = 100;
    for (const auto& where : kittens::devices()) {
        kittens::buffer<float> x(where, rows * cols), y(where, rows * cols);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
        kittens::queue queue(where);
        queue.poison(y);
        run(queue, "double_it",
            outside::double_it::globals{{x.data(), 1, 1, rows, cols}, {y.data(), 1, 1, rows, cols}});
        for (std::size_t i = 0; i < y.size(); ++i)
            if (y[i] != 2 * x[i]) {
                std::printf("%s: element %zu is %g, not %g\n", where.id().c_str(), i, static_cast<double>(y[i]),
                            static_cast<double>(2 * x[i]));
                return 1;
            }
        std::printf("%s: right\n", where.id().c_str());
    }
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "outside: %s\n", e.what());
    return 1;
}
