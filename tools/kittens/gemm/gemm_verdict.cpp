// SPDX-License-Identifier: Apache-2.0
#include "gemm_verdict.hpp"

#include "../text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kittens::tool {

namespace {

json number_or_null(double x) { return std::isfinite(x) ? json(x) : json(nullptr); }

json to_json(const gemm_comparison& c, std::uint64_t guard_bytes_written) {
    return {{"relative_frobenius", number_or_null(c.relative_frobenius)},
            {"gate", c.exact_required ? 0.0 : gemm_comparison::gate},
            {"max_abs", c.max_abs},
            {"nonfinite", c.nonfinite},
            {"different", c.exact_required ? json(c.different) : json(nullptr)},
            {"guard_bytes_written", guard_bytes_written}};
}

}  // namespace

void judge(run_outcome& to, const gemm_comparison& c, std::uint64_t guard_bytes_written) {
    to.error = to_json(c, guard_bytes_written);
    to.passed = c.passed() && guard_bytes_written == 0;
    to.verdict = c.exact_required ? fmt::format("{} elements differ from the exact product",
                                                show_count(static_cast<std::uint64_t>(c.different)))
                                  : fmt::format("relative Frobenius error {:.3e} against double precision (gate {})",
                                                c.relative_frobenius, gemm_comparison::gate);
    if (c.exact_required && c.different == 0) to.verdict = "every element is the exact product";
    if (c.nonfinite > 0)
        to.findings.push_back(
            fmt::format("{} elements of C are not finite or were never written; the first is at row {}, column {}: {} "
                        "instead of {:.6g}",
                        show_count(static_cast<std::uint64_t>(c.nonfinite)), c.worst.row, c.worst.col, c.worst.got,
                        c.worst.expected));
    else if (!c.passed())
        to.findings.push_back(fmt::format("C is wrong; furthest off at row {}, column {}: {:.9g} instead of {:.9g}",
                                          c.worst.row, c.worst.col, c.worst.got, c.worst.expected));
    if (guard_bytes_written > 0)
        to.findings.push_back(fmt::format("the kernel wrote {} bytes outside C", show_count(guard_bytes_written)));
}

}  // namespace kittens::tool
