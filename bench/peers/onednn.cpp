// SPDX-License-Identifier: Apache-2.0
// oneDNN 3 through its C++ API: the matmul primitive with plain row-major operands and output, created once, with
// scratch memory of ours. Weights stay row-major, since the kernel that it is compared with gets them so.
#include "plugin.hpp"

#include <oneapi/dnnl/dnnl.hpp>

#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <unordered_map>

namespace {

using dnnl::memory;

memory::data_type type_of(kittens_peer_dtype type) {
    switch (type) {
    case KITTENS_PEER_FP32: return memory::data_type::f32;
    case KITTENS_PEER_BF16: return memory::data_type::bf16;
    case KITTENS_PEER_FP16: return memory::data_type::f16;
    case KITTENS_PEER_INT8: return memory::data_type::s8;
    case KITTENS_PEER_INT32: return memory::data_type::s32;
    }
    throw kittens::peers::unsupported("unknown element type");
}

const char* isa_name(dnnl::cpu_isa isa) {
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

struct peer {
    static constexpr const char* name = "onednn";

    static const char* unavailable() { return nullptr; }
    static std::string version() {
        const dnnl_version_t* v = dnnl_version();
        const char* threading = v->cpu_runtime == DNNL_RUNTIME_OMP   ? "OpenMP"
                                : v->cpu_runtime == DNNL_RUNTIME_TBB ? "TBB"
                                : v->cpu_runtime == DNNL_RUNTIME_SEQ ? "sequential"
                                                                     : "other threads";
        return "oneDNN " + std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch) +
               " (" + threading + ")";
    }
    static std::string isa() { return isa_name(dnnl::get_effective_cpu_isa()); }

    explicit peer(const kittens_peer_gemm& p) : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
        set_threads(p.threads);
        const auto row_major = memory::format_tag::ab;
        const memory::desc a({p.m, p.k}, type_of(p.in), row_major), b({p.k, p.n}, type_of(p.in), row_major),
            c({p.m, p.n}, type_of(p.out), row_major);
        dnnl::primitive_attr attributes;
        attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
        dnnl::matmul::primitive_desc description;
        try {
            description = dnnl::matmul::primitive_desc(engine_, a, b, c, attributes);
        } catch (const dnnl::error& e) {
            if (e.status != dnnl_unimplemented) throw;
            throw kittens::peers::unsupported(std::string("oneDNN has no ") + kittens::peers::name_of(p.in) +
                                              " matmul for " + isa() + " here");
        }
        implementation_ = description.impl_info_str();
        matmul_ = dnnl::matmul(description);
        const memory::desc scratch = description.scratchpad_desc();
        if (scratch.get_size() > 0) {
            constexpr std::size_t page = 4096;
            scratch_.reset(std::aligned_alloc(page, (scratch.get_size() + page - 1) / page * page));
            if (!scratch_) throw std::bad_alloc();
        }
        arguments_ = {{DNNL_ARG_SRC, memory(a, engine_, const_cast<void*>(p.a))},
                      {DNNL_ARG_WEIGHTS, memory(b, engine_, const_cast<void*>(p.b))},
                      {DNNL_ARG_DST, memory(c, engine_, p.c)},
                      {DNNL_ARG_SCRATCHPAD, memory(scratch, engine_, scratch_.get())}};
    }
    std::string describe() const { return implementation_; }
    void run() {
        matmul_.execute(stream_, arguments_);
        stream_.wait();
    }

private:
    /// oneDNN takes as many threads as OpenMP gives it; the header of that OpenMP is not everywhere.
    static void set_threads(int n) {
        if (auto* set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) set(n);
    }

    struct release {
        void operator()(void* p) const { std::free(p); }
    };
    dnnl::engine engine_;
    dnnl::stream stream_;
    dnnl::matmul matmul_;
    std::string implementation_;
    std::unique_ptr<void, release> scratch_;
    std::unordered_map<int, memory> arguments_;
};

}  // namespace

KITTENS_PEER(peer)
