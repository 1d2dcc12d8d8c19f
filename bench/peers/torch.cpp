// SPDX-License-Identifier: Apache-2.0
// PyTorch through libtorch: torch.mm into a given output, without autograd. No Python.
#include "plugin.hpp"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_int_mm.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>
#include <c10/core/InferenceMode.h>
#include <torch/version.h>

namespace {

at::ScalarType type_of(kittens_peer_dtype type) {
    switch (type) {
    case KITTENS_PEER_FP32: return at::kFloat;
    case KITTENS_PEER_BF16: return at::kBFloat16;
    case KITTENS_PEER_FP16: return at::kHalf;
    case KITTENS_PEER_INT8: return at::kChar;
    case KITTENS_PEER_INT32: return at::kInt;
    }
    throw kittens::peers::unsupported("unknown element type");
}

at::Tensor tensor(const void* data, int64_t rows, int64_t cols, kittens_peer_dtype type) {
    return at::from_blob(const_cast<void*>(data), {rows, cols}, at::TensorOptions().dtype(type_of(type)));
}

struct peer {
    static constexpr const char* name = "torch";

    static const char* unavailable() { return nullptr; }
    static std::string version() {
        // "Intel(R) MKL-DNN v3.7.1 (Git Hash ...)" is the oneDNN inside.
        std::string onednn = at::get_mkldnn_version();
        const auto v = onednn.find(" v");
        onednn = v == std::string::npos ? "" : ", with oneDNN " + onednn.substr(v + 2, onednn.find(' ', v + 2) - v - 2);
        return std::string("PyTorch ") + TORCH_VERSION + onednn;
    }
    static std::string isa() { return at::get_cpu_capability(); }

    explicit peer(const kittens_peer_gemm& p) : out_(p.out) {
        if (p.in == KITTENS_PEER_INT8 && p.out != KITTENS_PEER_INT32)
            throw kittens::peers::unsupported("PyTorch multiplies int8 into int32 only");
        if (p.in != KITTENS_PEER_INT8 && p.in != p.out)
            throw kittens::peers::unsupported("torch.mm has the output in the type of its inputs only");
        at::set_num_threads(p.threads);
        const c10::InferenceMode guard;
        a_ = tensor(p.a, p.m, p.k, p.in);
        b_ = tensor(p.b, p.k, p.n, p.in);
        c_ = tensor(p.c, p.m, p.n, p.out);
    }
    std::string describe() const { return out_ == KITTENS_PEER_INT32 ? "_int_mm" : "mm"; }
    void run() {
        const c10::InferenceMode guard;
        if (out_ == KITTENS_PEER_INT32) at::_int_mm_out(c_, a_, b_);
        else at::mm_out(c_, a_, b_);
    }

private:
    kittens_peer_dtype out_;
    at::Tensor a_, b_, c_;
};

}  // namespace

KITTENS_PEER(peer)
