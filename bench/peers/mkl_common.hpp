// SPDX-License-Identifier: Apache-2.0
// oneMKL's single dynamic library, opened at run time, so that plug-ins are built without it. Of its CBLAS interface what is used:
// 32-bit integers (LP64), row-major = 101, no transpose = 111, transpose = 112.
#pragma once

#include "plugin.hpp"

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <type_traits>

namespace kittens::peers::mkl {

using half_gemm_t = void (*)(int, int, int, int, int, int, float, const std::uint16_t*, int, const std::uint16_t*, int, float, float*, int);
using sgemm_t = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
inline constexpr int row_major = 101, plain = 111, transposed = 112;

struct functions {
    void* handle = nullptr;
    sgemm_t sgemm = nullptr;
    half_gemm_t bf16 = nullptr, fp16 = nullptr;
    void (*set_threads)(int) = nullptr;
    void (*version)(char*, int) = nullptr;
    std::string problem;

    functions() {
        for (const char* file : {KITTENS_VENV_LIB "/libmkl_rt.so.3", KITTENS_VENV_LIB "/libmkl_rt.so.2", "libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"})
            if ((handle = dlopen(file, RTLD_NOW | RTLD_LOCAL))) break;
        if (!handle) {
            problem = "libmkl_rt is not here";
            return;
        }
        const auto find = [&](auto& function, const char* symbol) { function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, symbol)); };
        find(sgemm, "cblas_sgemm");
        find(bf16, "cblas_gemm_bf16bf16f32");
        find(fp16, "cblas_gemm_f16f16f32");
        find(set_threads, "MKL_Set_Num_Threads");
        find(version, "mkl_get_version_string");
        if (!version) find(version, "MKL_Get_Version_String");
        if (!sgemm || !set_threads) problem = "libmkl_rt has no CBLAS interface";
    }
};

inline const functions& loaded() {
    static const functions all;
    return all;
}

struct library {
    static const char* unavailable() { return loaded().problem.empty() ? nullptr : loaded().problem.c_str(); }
    /// "... Math Kernel Library Version 2026.2-Product Build 20260901 for Intel(R) 64 architecture applications"
    static std::string version() {
        char line[256] = "";
        if (loaded().version) loaded().version(line, sizeof line - 1);
        const std::string all = line;
        const auto at = all.find("Version ");
        return at == std::string::npos ? "oneMKL" : "oneMKL " + all.substr(at + 8, all.find_first_of("- ", at + 8) - at - 8);
    }
    static std::string isa() {
        const char* cap = std::getenv("MKL_ENABLE_INSTRUCTIONS");
        return cap ? std::string("at most ") + cap : "its own choice";
    }
};

}  // namespace kittens::peers::mkl
