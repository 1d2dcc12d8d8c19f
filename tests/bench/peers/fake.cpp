// SPDX-License-Identifier: Apache-2.0
// A peer that multiplies plainly. FAKE_KIND is one of the kinds below.
#include <bench/peers/plugin.hpp>

#include <kittens/base/types.hpp>

#include <cstring>

namespace {

enum kind { right, wrong, turns_wrong, single };

template <class T, class Out> void multiply(const kittens_peer_gemm& p) {
    const auto *a = static_cast<const T*>(p.a), *b = static_cast<const T*>(p.b);
    auto* c = static_cast<Out*>(p.c);
    for (std::int64_t i = 0; i < p.m; ++i)
        for (std::int64_t j = 0; j < p.n; ++j) {
            double sum = 0;
            for (std::int64_t k = 0; k < p.k; ++k) sum += double(a[i * p.k + k]) * double(b[k * p.n + j]);
            c[i * p.n + j] = Out(float(sum));
        }
}

struct peer {
    static constexpr const char* name = "fake";
    static const char* unavailable() { return nullptr; }
    static std::string version() { return "Fake 1.0"; }
    static std::string isa() { return "none"; }

    explicit peer(const kittens_peer_gemm& p) : p_(p) {
        const bool bf16 = p.in == KITTENS_PEER_BF16 && p.out == KITTENS_PEER_BF16;
        const bool fp32 = p.in == KITTENS_PEER_FP32 && p.out == KITTENS_PEER_FP32;
        if (FAKE_KIND == single ? !fp32 : !bf16)
            throw kittens::peers::unsupported(std::string("Fake has no ") + kittens::peers::name_of(p.in));
    }
    std::string describe() const { return "plain"; }
    void run() {
        if (p_.in == KITTENS_PEER_FP32) multiply<float, float>(p_);
        else multiply<kittens::bf16, kittens::bf16>(p_);
        ++runs_;
        // The last row is left as if it had not been computed.
        if (FAKE_KIND == wrong || (FAKE_KIND == turns_wrong && runs_ > 3))
            std::memset(static_cast<kittens::bf16*>(p_.c) + (p_.m - 1) * p_.n, 0, static_cast<std::size_t>(p_.n) * 2);
    }

private:
    kittens_peer_gemm p_;
    int runs_ = 0;
};

}  // namespace

KITTENS_PEER(peer)
