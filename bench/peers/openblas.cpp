// SPDX-License-Identifier: Apache-2.0
// OpenBLAS: single precision, and bfloat16 (cblas_sbgemm, with float output) where the library was built with it.
#include "plugin.hpp"

#include <cblas.h>
#include <dlfcn.h>

#include <cstdint>


namespace {

using sbgemm_t = void (*)(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, blasint, blasint, blasint, float,
                          const std::uint16_t*, blasint, const std::uint16_t*, blasint, float, float*, blasint);

sbgemm_t find_sbgemm() {
    static const auto found = reinterpret_cast<sbgemm_t>(dlsym(RTLD_DEFAULT, "cblas_sbgemm"));
    return found;
}

struct peer {
    static constexpr const char* name = "openblas";

    static const char* unavailable() { return nullptr; }
    /// "OpenBLAS 0.3.21 NO_AFFINITY DYNAMIC_ARCH Haswell MAX_THREADS=64": the first two words.
    static std::string version() {
        const std::string text = openblas_get_config();
        return text.substr(0, text.find(' ', text.find(' ') + 1));
    }
    static std::string isa() { return openblas_get_corename(); }

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
