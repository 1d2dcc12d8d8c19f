// SPDX-License-Identifier: Apache-2.0
#include "attention_check.hpp"
#include "attention_choice.hpp"
#include "attention_operation.hpp"

#include <kittens/runtime/runtime.hpp>

#include <fmt/format.h>

namespace kittens::tool {

namespace {

class attention_problem : public bench::operator_problem {
public:
    attention_problem(kernels::attention_request r, float scale, bool choose) : request_(r), scale_(scale), choose_(choose) {}

    nlohmann::ordered_json shape() const override {
        const auto& r = request_;
        return {{"batch", r.batch}, {"heads", r.heads}, {"kv_heads", r.key_heads}, {"queries", r.queries}, {"keys", r.keys}, {"head_dim", r.dim}, {"causal", r.causal}};
    }
    std::string text() const override {
        const auto& r = request_;
        return fmt::format("{} x {}{} x {} x {}{}", r.batch, r.heads, r.key_heads == r.heads ? "" : fmt::format("/{}", r.key_heads), r.queries == r.keys ? fmt::format("{}", r.keys) : fmt::format("{}:{}", r.queries, r.keys), r.dim,
                           r.causal ? ", causal" : "");
    }
    std::string workload() const override {
        if (request_.decode) return "decode";
        return fmt::format("{}{}", request_.key_heads == request_.heads ? "MHA" : "GQA", scale_ == 1 ? "" : fmt::format(", inputs scaled by {}", scale_));
    }
    bench::cache_state cache() const override { return request_.decode ? bench::cache_state::cold : bench::cache_state::warm; }
    double flops() const override { return 4.0 * request_.batch * request_.heads * request_.dim * double(request_.queries) * request_.keys * (request_.causal ? 0.5 : 1); }

    std::vector<bench::tensor_spec> tensors() const override {
        const auto& r = request_;
        return {{"q", r.type, {r.batch, r.heads, r.queries, r.dim}}, {"k", r.type, {r.batch, r.key_heads, r.keys, r.dim}}, {"v", r.type, {r.batch, r.key_heads, r.keys, r.dim}},
                {"o", r.type, {r.batch, r.heads, r.queries, r.dim}, true}};
    }
    std::string peer_operation() const override { return "attention"; }
    std::vector<std::pair<std::string, double>> attributes() const override { return {{"causal", request_.causal ? 1.0 : 0.0}}; }

    void fill(std::span<void* const> tensors, std::uint64_t seed) const override {
        const auto specs = this->tensors();
        for (std::size_t i = 0; i < specs.size(); ++i)
            if (!specs[i].output) bench::fill_normal(specs[i].type, tensors[i], specs[i].count(), seed + i, scale_);
    }
    std::string policy(const device& where) const override {
        if (choose_) return choose_attention(where, request_).first.text();
        return attention_candidate{request_.decode ? "decode" : request_.policy, request_.splits}.text();
    }
    std::function<void()> candidate(const device& where, std::span<void* const> tensors) const override {
        struct prepared {
            queue on;
            buffer<std::byte> workspace;
            std::vector<std::pair<const kernel_record*, std::vector<std::byte>>> steps;
        };
        kernels::attention_request r = on(tensors);
        r.threads = where.properties().threads;
        if (choose_) r = with_candidate(r, choose_attention(where, r).first);
        const auto p = std::make_shared<prepared>(prepared{queue(where), buffer<std::byte>(where, std::max<std::size_t>(1, kernels::attention_workspace(r))), {}});
        r.workspace = {p->workspace.data(), p->workspace.size()};
        for (kernels::attention_launch& l : kernels::prepare_attention(r)) p->steps.emplace_back(&kernel_for(where, l.kernel), std::move(l.globals));
        return [p] {
            for (const auto& [kernel, globals] : p->steps) p->on.run(*kernel, globals.data(), globals.size());
        };
    }
    bench::operator_verdict check(std::span<void* const> tensors, bool tolerant) const override {
        // A peer may round scores to the element type, which is what the weights' error then is made of.
        const attention_comparison c = compare_attention(on(tensors), 5e8, tolerant ? 64 : 1);
        bench::operator_verdict v;
        v.relative_frobenius = c.relative_frobenius;
        v.max_abs = c.max_abs;
        if (c.wrong > 0 && !(tolerant && c.relative_frobenius < bench::operator_gate)) v.failure = fmt::format("{} elements are wrong; the first: {}", c.wrong, c.first);
        return v;
    }

private:
    kernels::attention_request on(std::span<void* const> t) const {
        kernels::attention_request r = request_;
        r.q = kernels::attention_tensor::bhnd(t[0], r.heads, r.queries, r.dim);
        r.k = kernels::attention_tensor::bhnd(t[1], r.key_heads, r.keys, r.dim);
        r.v = kernels::attention_tensor::bhnd(t[2], r.key_heads, r.keys, r.dim);
        r.o = kernels::attention_tensor::bhnd(t[3], r.heads, r.queries, r.dim);
        return r;
    }

    kernels::attention_request request_;
    float scale_;
    bool choose_;
};

}  // namespace

std::shared_ptr<const bench::operator_problem> attention_bench_problem(const kernels::attention_request& r, float scale, bool choose) {
    return std::make_shared<attention_problem>(r, scale, choose);
}

std::vector<std::shared_ptr<const bench::operator_problem>> attention_operation::bench_problems(const std::string& suite) const {
    std::vector<std::shared_ptr<const bench::operator_problem>> all;
    if (suite == "decode") {
        for (const int keys : {4096, 8192, 16384, 32768}) {
            kernels::attention_request r;
            r.type = type_;
            r.dim = dim_;
            r.decode = true;
            r.heads = 32;
            r.key_heads = 8;
            r.queries = 1;
            r.keys = keys;
            all.push_back(std::make_shared<attention_problem>(r, 1.0f, false));
        }
        return all;
    }
    const bool quick = suite == "quick";
    for (const bool causal : {false, true})
        for (const int key_heads : {8, 2})
            for (const int n : quick ? std::vector<int>{512, 2048} : std::vector<int>{512, 1024, 2048, 4096}) {
                kernels::attention_request r;
                r.type = type_;
                r.dim = dim_;
                if (policy_ != "auto") r = with_candidate(r, {policy_, 0});
                r.heads = 8;
                r.key_heads = key_heads;
                r.queries = r.keys = n;
                r.causal = causal;
                all.push_back(std::make_shared<attention_problem>(r, suite == "large-scores" ? 6.0f : 1.0f, policy_ == "auto"));
            }
    return all;
}

}  // namespace kittens::tool
