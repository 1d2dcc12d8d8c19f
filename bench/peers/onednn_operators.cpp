// SPDX-License-Identifier: Apache-2.0
// Operators that oneDNN has as one primitive: layer normalisation, softmax, matmul. Primitives are created once, with scratch
// memory of ours; the affine parameters of a norm are single precision there and are converted beforehand.
#include "elements_16.hpp"
#include "onednn_common.hpp"
#include "operator_plugin.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace {

using namespace kittens::peers;
using dnnl::memory;
using arguments = std::unordered_map<int, memory>;

struct peer : onednn::library {
    static constexpr const char* name = "onednn";

    explicit peer(const kittens_operator_problem& p) : p_(p), engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
        onednn::set_threads(p.threads);
        attributes_.set_scratchpad_mode(dnnl::scratchpad_mode::user);
        const std::map<std::string, void (peer::*)()> all = {{"layer_norm", &peer::layer_norm}, {"softmax", &peer::softmax}, {"linear", &peer::linear}};
        const auto found = all.find(p.operation);
        if (found == all.end()) throw unsupported(version() + " has no primitive that is " + p.operation);
        try {
            (this->*found->second)();
        } catch (const dnnl::error& e) {
            if (e.status != dnnl_unimplemented) throw;
            throw unsupported(std::string("oneDNN has no ") + p.operation + " of these types for " + isa() + " here");
        }
    }
    std::string describe() const { return implementation_; }
    void run(int set) {
        primitive_.execute(stream_, sets_[static_cast<std::size_t>(set)]);
        stream_.wait();
    }

private:
    bool has(const char* tensor) const { return tensor_index(p_, tensor) >= 0; }
    const kittens_operator_tensor& tensor(const char* name) const { return p_.tensor[tensor_index(p_, name)]; }
    void* data(const char* name, int set) const { return p_.data[set * p_.tensors + tensor_index(p_, name)]; }
    /// Row-major, or its transpose.
    memory::desc describe_tensor(const char* name, bool transposed = false) const {
        const kittens_operator_tensor& t = tensor(name);
        if (t.rank == 1) return {{t.sizes[0]}, onednn::type_of(t.type), memory::format_tag::a};
        if (transposed) return {{t.sizes[1], t.sizes[0]}, onednn::type_of(t.type), memory::format_tag::ba};
        return {{t.sizes[0], t.sizes[1]}, onednn::type_of(t.type), memory::format_tag::ab};
    }

    /// Takes the primitive, and for each copy what `bind` puts into its arguments.
    template <class Description, class Bind> void make(const Description& d, const dnnl::primitive& made, Bind bind) {
        primitive_ = made;
        implementation_ = d.impl_info_str();
        const memory::desc scratch = d.scratchpad_desc();
        scratch_ = memory(scratch, engine_);
        for (int s = 0; s < p_.sets; ++s) {
            arguments a{{DNNL_ARG_SCRATCHPAD, scratch_}};
            bind(a, s);
            sets_.push_back(std::move(a));
        }
    }

    void layer_norm() {
        if (has("residual")) throw unsupported("oneDNN has no layer normalisation that adds a residual and returns the sum");
        const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
        const memory::desc x = describe_tensor("x");
        const dnnl::layer_normalization_forward::primitive_desc d(engine_, dnnl::prop_kind::forward_inference, x, x, static_cast<float>(attribute(p_, "epsilon", 1e-5)), flags, attributes_);
        const int64_t n = tensor("weight").sizes[0];
        make(d, dnnl::layer_normalization_forward(d), [&](arguments& a, int s) {
            a[DNNL_ARG_SRC] = memory(x, engine_, data("x", s));
            a[DNNL_ARG_DST] = memory(x, engine_, data("out", s));
            for (const auto& [what, from] : {std::pair<int, const char*>{DNNL_ARG_SCALE, "weight"}, {DNNL_ARG_SHIFT, "bias"}}) {
                memory wide({{n}, memory::data_type::f32, memory::format_tag::a}, engine_);
                const auto* const narrow = static_cast<const std::uint16_t*>(data(from, s));
                for (int64_t i = 0; i < n; ++i) static_cast<float*>(wide.get_data_handle())[i] = widen_16(tensor(from).type, narrow[i]);
                a[what] = wide;
            }
        });
    }

    void softmax() {
        if (std::abs(attribute(p_, "factor", 1) - 1) > 1e-7) throw unsupported("oneDNN's softmax has no scale");
        const memory::desc x = describe_tensor("x");
        const dnnl::softmax_forward::primitive_desc d(engine_, dnnl::prop_kind::forward_inference, dnnl::algorithm::softmax_accurate, x, x, 1, attributes_);
        make(d, dnnl::softmax_forward(d), [&](arguments& a, int s) {
            a[DNNL_ARG_SRC] = memory(x, engine_, data("x", s));
            a[DNNL_ARG_DST] = memory(x, engine_, data("out", s));
        });
    }

    /// out = x weight^T, with a bias or a residual
    void linear() {
        const memory::desc x = describe_tensor("x"), weight = describe_tensor("weight", true), out = describe_tensor("out");
        dnnl::post_ops after;
        if (has("residual")) after.append_binary(dnnl::algorithm::binary_add, describe_tensor("residual"));
        attributes_.set_post_ops(after);
        memory::desc bias;
        if (has("bias")) bias = {{1, tensor("bias").sizes[0]}, onednn::type_of(tensor("bias").type), memory::format_tag::ab};
        const dnnl::matmul::primitive_desc d = has("bias") ? dnnl::matmul::primitive_desc(engine_, x, weight, bias, out, attributes_) : dnnl::matmul::primitive_desc(engine_, x, weight, out, attributes_);
        make(d, dnnl::matmul(d), [&](arguments& a, int s) {
            a[DNNL_ARG_SRC] = memory(x, engine_, data("x", s));
            a[DNNL_ARG_WEIGHTS] = memory(weight, engine_, data("weight", s));
            a[DNNL_ARG_DST] = memory(out, engine_, data("out", s));
            if (has("bias")) a[DNNL_ARG_BIAS] = memory(bias, engine_, data("bias", s));
            if (has("residual")) a[DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1] = memory(describe_tensor("residual"), engine_, data("residual", s));
        });
    }

    kittens_operator_problem p_;  ///< what it points to is there during construction alone
    dnnl::engine engine_;
    dnnl::stream stream_;
    dnnl::primitive_attr attributes_;
    dnnl::primitive primitive_;
    memory scratch_;
    std::string implementation_;
    std::vector<arguments> sets_;
};

}  // namespace

KITTENS_OPERATOR_PEER(peer)
