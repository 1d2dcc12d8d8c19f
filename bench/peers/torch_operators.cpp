// SPDX-License-Identifier: Apache-2.0
// PyTorch's eager operators through libtorch, without autograd, into given outputs. No Python.
#include "torch_tensors.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#define HAVE_AVX2_CPU_DEFINITION
#define HAVE_AVX512_CPU_DEFINITION
#include <ATen/native/transformers/attention.h>
#include <c10/core/InferenceMode.h>
#include <torch/version.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

namespace {

using namespace kittens::peers;

/// What is given to an operation: the problem, and its tensors by name.
struct arguments {
    const kittens_operator_problem& problem;
    std::vector<at::Tensor> tensors;

    bool has(const char* name) const { return tensor_index(problem, name) >= 0; }
    at::Tensor operator[](const char* name) const {
        const int i = tensor_index(problem, name);
        if (i < 0) throw std::runtime_error(std::string("the problem has no tensor ") + name);
        return tensors[static_cast<std::size_t>(i)];
    }
    double number(const char* name, double otherwise = 0) const { return attribute(problem, name, otherwise); }
};

using step = std::function<void()>;
using builder = step (*)(const arguments&);

/// x is what is normalised; where there is a residual, it is added first and the sum is written.
at::Tensor normalised(const at::Tensor& x, const at::Tensor& residual, at::Tensor sum) {
    if (!residual.defined()) return x;
    at::add_out(sum, x, residual);
    return sum;
}

step rms_norm(const arguments& a) {
    const at::Tensor x = a["x"], weight = a["weight"], residual = a.has("residual") ? a["residual"] : at::Tensor();
    const at::Tensor sum = a.has("sum") ? a["sum"] : at::Tensor(), out = a["out"];
    const double epsilon = a.number("epsilon", 1e-5);
    return [=] { out.copy_(at::rms_norm(normalised(x, residual, sum), {x.size(1)}, weight, epsilon)); };
}

step layer_norm(const arguments& a) {
    const at::Tensor x = a["x"], weight = a["weight"], bias = a["bias"], residual = a.has("residual") ? a["residual"] : at::Tensor();
    const at::Tensor sum = a.has("sum") ? a["sum"] : at::Tensor();
    at::Tensor out = a["out"], mean = at::empty({x.size(0), 1}, x.options()), rstd = at::empty({x.size(0), 1}, x.options());
    const double epsilon = a.number("epsilon", 1e-5);
    return [=]() mutable { at::native_layer_norm_out(out, mean, rstd, normalised(x, residual, sum), {x.size(1)}, weight, bias, epsilon); };
}

/// Halved convention: the halves of a head are rotated against each other; interleaved: neighbours are.
void rotate(const at::Tensor& x, const at::Tensor& out, const at::Tensor& cos, const at::Tensor& sin, bool interleaved) {
    const auto half = cos.size(-1);
    const at::Tensor c = cos.unsqueeze(1), s = sin.unsqueeze(1);
    const at::Tensor x1 = interleaved ? x.slice(-1, 0, 2 * half, 2) : x.slice(-1, 0, half), x2 = interleaved ? x.slice(-1, 1, 2 * half, 2) : x.slice(-1, half, 2 * half);
    at::Tensor o1 = interleaved ? out.slice(-1, 0, 2 * half, 2) : out.slice(-1, 0, half), o2 = interleaved ? out.slice(-1, 1, 2 * half, 2) : out.slice(-1, half, 2 * half);
    at::sub_out(o1, x1 * c, x2 * s);
    at::add_out(o2, x2 * c, x1 * s);
}

step rotary(const arguments& a) {
    const at::Tensor cos = a["cos"], sin = a["sin"];
    const bool interleaved = a.number("interleaved") != 0;
    std::vector<std::pair<at::Tensor, at::Tensor>> pairs{{a["q"], a["q_out"]}};
    if (a.has("k")) pairs.emplace_back(a["k"], a["k_out"]);
    return [=] {
        for (const auto& [x, out] : pairs) rotate(x, out, cos, sin, interleaved);
    };
}

/// out = x weight^T, with a bias or a residual where the problem has one.
step linear(const arguments& a) {
    const at::Tensor x = a["x"], transposed = a["weight"].t();
    at::Tensor out = a["out"];
    if (a.has("bias")) {
        const at::Tensor bias = a["bias"];
        return [=]() mutable { at::addmm_out(out, bias, x, transposed); };
    }
    if (a.has("residual")) {
        const at::Tensor residual = a["residual"];
        return [=]() mutable { at::addmm_out(out, residual, x, transposed); };
    }
    return [=]() mutable { at::mm_out(out, x, transposed); };
}

/// out = silu(x gate^T) * (x up^T)
step gate_up(const arguments& a) {
    const at::Tensor x = a["x"], gate = a["gate"].t(), up = a["up"].t();
    at::Tensor out = a["out"], g = at::empty_like(out), u = at::empty_like(out);
    return [=]() mutable {
        at::mm_out(g, x, gate);
        at::mm_out(u, x, up);
        at::silu_out(g, g);
        at::mul_out(out, g, u);
    };
}

step silu_times(const at::Tensor& gate, const at::Tensor& up, at::Tensor out) {
    at::Tensor g = at::empty_like(out);
    return [=]() mutable {
        at::silu_out(g, gate);
        at::mul_out(out, g, up);
    };
}
step swiglu(const arguments& a) { return silu_times(a["gate"], a["up"], a["out"]); }
step swiglu_packed(const arguments& a) {
    const at::Tensor both = a["gate_up"];
    const auto width = both.size(1) / 2;
    return silu_times(both.slice(1, 0, width), both.slice(1, width, 2 * width), a["out"]);
}
step swiglu_interleaved(const arguments& a) {
    const at::Tensor both = a["gate_up"];
    return silu_times(both.slice(1, 0, both.size(1), 2), both.slice(1, 1, both.size(1), 2), a["out"]);
}

step softmax(const arguments& a) {
    const at::Tensor x = a["x"];
    const double factor = a.number("factor", 1);
    at::Tensor out = a["out"];
    if (factor == 1) return [=]() mutable { at::_softmax_out(out, x, -1, false); };
    return [=]() mutable { at::_softmax_out(out, x * factor, -1, false); };
}

step argmax(const arguments& a) {
    const at::Tensor x = a["x"];
    at::Tensor out = a["out"];
    return [=]() mutable { out.copy_(at::argmax(x, -1)); };
}

/// The usual way: the k largest (all of them sorted where k is the row's length), softmax, cumulative sum, a draw.
step sample(const arguments& a) {
    const at::Tensor logits = a["logits"];
    at::Tensor token = a["token"], kept = a["kept"];
    const double temperature = a.number("temperature", 1), p = a.number("top_p", 1);
    const auto k = static_cast<std::int64_t>(a.number("top_k"));
    return [=]() mutable {
        const at::Tensor scores = logits.to(at::kFloat).div_(temperature);
        if (p >= 1 && k >= scores.size(1)) {
            token.copy_(at::multinomial(at::softmax(scores, -1), 1).squeeze(1));
            kept.fill_(scores.size(1));
            return;
        }
        const auto [values, places] = k < scores.size(1) ? at::topk(scores, k) : at::sort(scores, -1, true);
        at::Tensor shares = at::softmax(values, -1);
        const at::Tensor inside = (at::cumsum(shares, -1) - shares).lt(p);
        shares = at::where(inside, shares, at::zeros({}, shares.options()));
        token.copy_(places.gather(1, at::multinomial(shares, 1)).squeeze(1));
        kept.copy_(inside.sum(1));
    };
}

step embedding(const arguments& a) {
    const at::Tensor table = a["table"], ids = a["ids"];
    if (ids.dim() != 1) throw unsupported("the comparison has 32-bit ids alone");
    at::Tensor out = a["out"];
    return [=]() mutable { at::index_select_out(out, table, 0, ids); };
}

/// scaled_dot_product_attention allocates its output. This is the kernel that it calls on a CPU, with an output of ours; heads of
/// queries may share one of keys, as with enable_gqa.
step attention(const arguments& a) {
    using stub = std::decay_t<decltype(at::native::flash_attention_kernel)>;
    const std::string level = at::get_cpu_capability();
    const auto kernel = level == "AVX512" ? stub::AVX512 : level == "AVX2" ? stub::AVX2 : stub::DEFAULT;
    const at::Tensor q = a["q"], k = a["k"], v = a["v"], out = a["o"].transpose(1, 2);
    const at::Tensor lse = at::empty({q.size(0), q.size(2), q.size(1)}, q.options().dtype(at::kFloat));
    const bool causal = a.number("causal") != 0;
    return [=] { kernel(out, lse, q, k, v, 0.0, causal, std::nullopt, std::nullopt); };
}

const std::map<std::string, builder>& operations() {
    static const std::map<std::string, builder> all = {{"rms_norm", rms_norm}, {"layer_norm", layer_norm}, {"rotary", rotary},   {"linear", linear},
                                                       {"gate_up", gate_up},   {"swiglu", swiglu},         {"softmax", softmax}, {"embedding", embedding},
                                                       {"swiglu_packed", swiglu_packed}, {"swiglu_interleaved", swiglu_interleaved}, {"argmax", argmax}, {"sample", sample},
                                                       {"attention", attention}};
    return all;
}

struct peer {
    static constexpr const char* name = "torch";

    static const char* unavailable() { return nullptr; }
    static std::string version() { return std::string("PyTorch ") + TORCH_VERSION; }
    static std::string isa() { return at::get_cpu_capability(); }

    explicit peer(const kittens_operator_problem& p) : operation_(p.operation) {
        const auto found = operations().find(p.operation);
        if (found == operations().end()) throw unsupported(std::string("PyTorch's ") + p.operation + " has not been written down for this comparison");
        at::set_num_threads(p.threads);
        const c10::InferenceMode guard;
        for (int s = 0; s < p.sets; ++s) steps_.push_back(found->second({p, torch_tensors(p, s)}));
    }
    std::string describe() const { return operation_ + ", eager"; }
    void run(int set) {
        const c10::InferenceMode guard;
        steps_[static_cast<std::size_t>(set)]();
    }

private:
    std::string operation_;
    std::vector<step> steps_;
};

}  // namespace

KITTENS_OPERATOR_PEER(peer)
