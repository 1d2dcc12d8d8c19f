// SPDX-License-Identifier: Apache-2.0
// What oneDNN's plug-ins have in common: types, the library's version, instruction set and threads.
#pragma once

#include "plugin.hpp"

#include <oneapi/dnnl/dnnl.hpp>

#include <dlfcn.h>

namespace kittens::peers::onednn {

inline dnnl::memory::data_type type_of(kittens_peer_dtype type) {
    switch (type) {
    case KITTENS_PEER_FP32: return dnnl::memory::data_type::f32;
    case KITTENS_PEER_BF16: return dnnl::memory::data_type::bf16;
    case KITTENS_PEER_FP16: return dnnl::memory::data_type::f16;
    case KITTENS_PEER_INT8: return dnnl::memory::data_type::s8;
    case KITTENS_PEER_INT32: return dnnl::memory::data_type::s32;
    }
    throw unsupported("unknown element type");
}

inline const char* isa_name(dnnl::cpu_isa isa) {
    switch (isa) {
    case dnnl::cpu_isa::sse41: return "SSE4.1";
    case dnnl::cpu_isa::avx: return "AVX";
    case dnnl::cpu_isa::avx2: return "AVX2";
    case dnnl::cpu_isa::avx2_vnni: return "AVX2 VNNI";
    case dnnl::cpu_isa::avx2_vnni_2: return "AVX2 VNNI 2";
    case dnnl::cpu_isa::avx512_core: return "AVX-512";
    case dnnl::cpu_isa::avx512_core_vnni: return "AVX-512 VNNI";
    case dnnl::cpu_isa::avx512_core_bf16: return "AVX-512 BF16";
    case dnnl::cpu_isa::avx512_core_fp16: return "AVX-512 FP16";
    case dnnl::cpu_isa::avx512_core_amx: return "AMX";
    case dnnl::cpu_isa::avx512_core_amx_fp16: return "AMX FP16";
    default: return "default";
    }
}

/// oneDNN takes as many threads as OpenMP gives it; the header of that OpenMP is not everywhere.
inline void set_threads(int n) {
    if (auto* set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) set(n);
}

struct library {
    static const char* unavailable() { return nullptr; }
    static std::string version() {
        const dnnl_version_t* v = dnnl_version();
        const char* threading = v->cpu_runtime == DNNL_RUNTIME_OMP   ? "OpenMP"
                                : v->cpu_runtime == DNNL_RUNTIME_TBB ? "TBB"
                                : v->cpu_runtime == DNNL_RUNTIME_SEQ ? "sequential"
                                                                     : "other threads";
        return "oneDNN " + std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch) + " (" + threading + ")";
    }
    static std::string isa() { return isa_name(dnnl::get_effective_cpu_isa()); }
};

}  // namespace kittens::peers::onednn
