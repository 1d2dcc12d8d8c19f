// SPDX-License-Identifier: Apache-2.0
// OpenBLAS: single precision, and bfloat16 (cblas_sbgemm, with float output) where the library was built with it.
#include "openblas_common.hpp"

namespace {

using namespace kittens::peers::openblas;

struct peer : library {
    static constexpr const char* name = "openblas";

    explicit peer(const kittens_peer_gemm& p) : p_(p) {
        const bool single = p.in == KITTENS_PEER_FP32 && p.out == KITTENS_PEER_FP32;
        const bool bfloat = p.in == KITTENS_PEER_BF16 && p.out == KITTENS_PEER_FP32 && find_sbgemm();
        if (!single && !bfloat)
            throw kittens::peers::unsupported(std::string("this OpenBLAS has no ") + kittens::peers::name_of(p.in) +
                                              " product with " + kittens::peers::name_of(p.out) + " output");
        openblas_set_num_threads(p.threads);
    }
    std::string describe() const { return p_.in == KITTENS_PEER_FP32 ? "sgemm" : "sbgemm"; }
    void run() {
        const auto m = static_cast<blasint>(p_.m), n = static_cast<blasint>(p_.n), k = static_cast<blasint>(p_.k);
        if (p_.in == KITTENS_PEER_FP32)
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, static_cast<const float*>(p_.a), k,
                        static_cast<const float*>(p_.b), n, 0.0f, static_cast<float*>(p_.c), n);
        else
            find_sbgemm()(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f,
                          static_cast<const std::uint16_t*>(p_.a), k, static_cast<const std::uint16_t*>(p_.b), n, 0.0f,
                          static_cast<float*>(p_.c), n);
    }

private:
    kittens_peer_gemm p_;
};

}  // namespace

KITTENS_PEER(peer)
