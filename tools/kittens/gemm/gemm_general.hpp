// SPDX-License-Identifier: Apache-2.0
// Everything that `kittens run gemm` can do beside C = A * B: as options, and as the launches that do it.
#pragma once

#include "../operation.hpp"

#include <kittens/base/types.hpp>

#include <cstdint>
#include <string>

namespace kittens::tool {

/// As given, and as checked.
struct gemm_options {
    std::string layout = "nn", out, combine, activation = "none";
    std::string split_text = "1", batch_text = "1", alpha_text = "1", beta_text = "0";
    bool bias = false, residual = false;

    dtype out_type = dtype::bf16;
    std::int64_t split = 1, batch = 1;
    double alpha = 1, beta = 0;

    void add_kernel_options(CLI::App& to);
    /// Throws user_error. `type` is A's and B's.
    void check(dtype type);

    bool a_transposed() const { return layout[0] == 't'; }
    bool b_transposed() const { return layout[1] == 't'; }
    bool epilogue() const { return alpha != 1 || beta != 0 || bias || residual || activation != "none"; }
    /// Whether the plain product does not do.
    bool general(dtype type) const;
    /// "epilogue", "sums", "atomic" or "stream": the kernel that multiplies.
    std::string form(dtype type) const;
    /// Whether a second pass adds up, applies the epilogue, or converts.
    bool second_pass(dtype type) const;
};

/// "gemm_sums_bf16_nt"
std::string gemm_form_kernel(const std::string& form, dtype type, const std::string& layout);

struct gemm_sizes {
    std::int64_t m = 1, n = 1, k = 1;
};
run_outcome run_general_gemm(const run_request& request, const gemm_options& options, dtype type, const gemm_sizes& sizes, double scale);

}  // namespace kittens::tool
