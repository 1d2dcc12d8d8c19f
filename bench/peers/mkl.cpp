// SPDX-License-Identifier: Apache-2.0
// oneMKL through its single dynamic library, which is opened here, so the plug-in is built without it. The products of
// 16-bit types have float output there; that is what is measured, and it is labelled so.
#include "mkl_common.hpp"

namespace {

using namespace kittens::peers::mkl;

struct peer : library {
    static constexpr const char* name = "mkl";

    explicit peer(const kittens_peer_gemm& p) : p_(p) {
        if (p.out != KITTENS_PEER_FP32 || (p.in == KITTENS_PEER_BF16 && !loaded().bf16) ||
            (p.in == KITTENS_PEER_FP16 && !loaded().fp16) || p.in == KITTENS_PEER_INT8)
            throw kittens::peers::unsupported(std::string("oneMKL has no ") + kittens::peers::name_of(p.in) +
                                              " product with " + kittens::peers::name_of(p.out) + " output");
        loaded().set_threads(p.threads);
    }
    std::string describe() const {
        return p_.in == KITTENS_PEER_FP32 ? "sgemm" : p_.in == KITTENS_PEER_BF16 ? "gemm_bf16bf16f32" : "gemm_f16f16f32";
    }
    void run() {
        const int m = static_cast<int>(p_.m), n = static_cast<int>(p_.n), k = static_cast<int>(p_.k);
        auto* c = static_cast<float*>(p_.c);
        if (p_.in == KITTENS_PEER_FP32)
            loaded().sgemm(row_major, plain, plain, m, n, k, 1.0f, static_cast<const float*>(p_.a), k,
                        static_cast<const float*>(p_.b), n, 0.0f, c, n);
        else
            (p_.in == KITTENS_PEER_BF16 ? loaded().bf16 : loaded().fp16)(
                row_major, plain, plain, m, n, k, 1.0f, static_cast<const std::uint16_t*>(p_.a), k,
                static_cast<const std::uint16_t*>(p_.b), n, 0.0f, c, n);
    }

private:
    kittens_peer_gemm p_;
};

}  // namespace

KITTENS_PEER(peer)
