// SPDX-License-Identifier: Apache-2.0
// oneMKL through its single dynamic library, which is opened here, so the plug-in is built without it. The products of
// 16-bit types have float output there; that is what is measured, and it is labelled so.
#include "plugin.hpp"

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <type_traits>

namespace {

// The part of the CBLAS interface that is used: 32-bit integers (LP64), row-major = 101, no transpose = 111.
using half_gemm_t = void (*)(int, int, int, int, int, int, float, const std::uint16_t*, int, const std::uint16_t*, int,
                             float, float*, int);
using sgemm_t = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
constexpr int row_major = 101, plain = 111;

struct library {
    void* handle = nullptr;
    sgemm_t sgemm = nullptr;
    half_gemm_t bf16 = nullptr, fp16 = nullptr;
    void (*set_threads)(int) = nullptr;
    void (*version)(char*, int) = nullptr;
    std::string problem;

    library() {
        for (const char* file : {KITTENS_VENV_LIB "/libmkl_rt.so.3", KITTENS_VENV_LIB "/libmkl_rt.so.2", "libmkl_rt.so.3",
                                 "libmkl_rt.so.2", "libmkl_rt.so"})
            if ((handle = dlopen(file, RTLD_NOW | RTLD_LOCAL))) break;
        if (!handle) {
            problem = "libmkl_rt is not here";
            return;
        }
        const auto find = [&](auto& function, const char* symbol) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, symbol));
        };
        find(sgemm, "cblas_sgemm");
        find(bf16, "cblas_gemm_bf16bf16f32");
        find(fp16, "cblas_gemm_f16f16f32");
        find(set_threads, "MKL_Set_Num_Threads");
        find(version, "mkl_get_version_string");
        if (!version) find(version, "MKL_Get_Version_String");
        if (!sgemm || !set_threads) problem = "libmkl_rt has no CBLAS interface";
    }
};

const library& mkl() {
    static const library loaded;
    return loaded;
}

struct peer {
    static constexpr const char* name = "mkl";

    static const char* unavailable() { return mkl().problem.empty() ? nullptr : mkl().problem.c_str(); }
    static std::string text() {
        char line[256] = "";
        if (mkl().version) mkl().version(line, sizeof line - 1);
        return line;
    }
    /// "... Math Kernel Library Version 2026.2-Product Build 20260901 for Intel(R) 64 architecture applications"
    static std::string version() {
        const std::string all = text();
        const auto at = all.find("Version ");
        return at == std::string::npos ? "oneMKL" : "oneMKL " + all.substr(at + 8, all.find_first_of("- ", at + 8) - at - 8);
    }
    static std::string isa() {
        const char* cap = std::getenv("MKL_ENABLE_INSTRUCTIONS");
        return cap ? std::string("at most ") + cap : "its own choice";
    }

    explicit peer(const kittens_peer_gemm& p) : p_(p) {
        if (p.out != KITTENS_PEER_FP32 || (p.in == KITTENS_PEER_BF16 && !mkl().bf16) ||
            (p.in == KITTENS_PEER_FP16 && !mkl().fp16) || p.in == KITTENS_PEER_INT8)
            throw kittens::peers::unsupported(std::string("oneMKL has no ") + kittens::peers::name_of(p.in) +
                                              " product with " + kittens::peers::name_of(p.out) + " output");
        mkl().set_threads(p.threads);
    }
    std::string describe() const {
        return p_.in == KITTENS_PEER_FP32 ? "sgemm" : p_.in == KITTENS_PEER_BF16 ? "gemm_bf16bf16f32" : "gemm_f16f16f32";
    }
    void run() {
        const int m = static_cast<int>(p_.m), n = static_cast<int>(p_.n), k = static_cast<int>(p_.k);
        auto* c = static_cast<float*>(p_.c);
        if (p_.in == KITTENS_PEER_FP32)
            mkl().sgemm(row_major, plain, plain, m, n, k, 1.0f, static_cast<const float*>(p_.a), k,
                        static_cast<const float*>(p_.b), n, 0.0f, c, n);
        else
            (p_.in == KITTENS_PEER_BF16 ? mkl().bf16 : mkl().fp16)(
                row_major, plain, plain, m, n, k, 1.0f, static_cast<const std::uint16_t*>(p_.a), k,
                static_cast<const std::uint16_t*>(p_.b), n, 0.0f, c, n);
    }

private:
    kittens_peer_gemm p_;
};

}  // namespace

KITTENS_PEER(peer)
