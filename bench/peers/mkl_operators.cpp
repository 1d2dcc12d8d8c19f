// SPDX-License-Identifier: Apache-2.0
// oneMKL for few rows times a matrix: its products of 16-bit types, whose results are float.
#include "blas_operators.hpp"
#include "mkl_common.hpp"

namespace {

using namespace kittens::peers;

struct peer : mkl::library {
    static constexpr const char* name = "mkl";

    explicit peer(const kittens_operator_problem& p) : p_(p, "oneMKL"), product_(p_.type == KITTENS_PEER_BF16 ? mkl::loaded().bf16 : mkl::loaded().fp16) {
        if (!product_) throw unsupported(std::string("this oneMKL has no product of ") + name_of(p_.type));
        mkl::loaded().set_threads(p.threads);
    }
    std::string describe() const { return p_.type == KITTENS_PEER_BF16 ? "gemm_bf16bf16f32, then rounded" : "gemm_f16f16f32, then rounded"; }
    void run(int set) {
        product_(mkl::row_major, mkl::plain, mkl::transposed, p_.m, p_.n, p_.k, 1.0f, p_.set(set).x, p_.k, p_.set(set).weight, p_.k, 0.0f, p_.sums.data(), p_.n);
        p_.round_to_output(set);
    }

private:
    linear_problem p_;
    mkl::half_gemm_t product_;
};

}  // namespace

KITTENS_OPERATOR_PEER(peer)
