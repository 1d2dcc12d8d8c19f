// SPDX-License-Identifier: Apache-2.0
// oneDNN 3 through its C++ API: the matmul primitive with plain row-major operands and output, created once, with
// scratch memory of ours. Weights stay row-major, since the kernel that it is compared with gets them so.
#include "onednn_common.hpp"

#include <cstdlib>
#include <memory>
#include <unordered_map>

namespace {

using dnnl::memory;

using namespace kittens::peers::onednn;

struct peer : library {
    static constexpr const char* name = "onednn";

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
