// SPDX-License-Identifier: Apache-2.0
#include "../operands.hpp"
#include "../text.hpp"
#include "gemm_check.hpp"
#include "gemm_operation.hpp"
#include "gemm_policies.hpp"
#include "gemm_verdict.hpp"

#include <bench/gemm_choice.hpp>
#include <bench/gemm_split.hpp>
#include <fmt/format.h>
#include <gemm/gemm.hpp>
#include <gemm/policies.hpp>
#include <gemm/xe_policies.hpp>

namespace kittens::tool {

namespace {

/// Operands on host and device.
struct operands {
    std::vector<std::byte> a, b;
    guarded_buffer device_a, device_b, device_c;
};

/// Globals of a kernel as bytes: types and access decide their layout, so all policies that agree in these share one type.
struct launch_args {
    std::vector<std::byte> bytes;
    std::string broken_rule;  ///< of the 2-D block instructions; empty where none is broken
};

template <class Globals>
std::vector<std::byte> bytes_of(const Globals& g) {
    const auto* p = reinterpret_cast<const std::byte*>(&g);
    return {p, p + sizeof g};
}

template <dtype In>
launch_args make_args(const operands& o, int m, int n, int k, bool want_block) {
    using block = typename kernels::gemm<kernels::default_policy(In)>::globals;
    using plain = typename kernels::gemm<kernels::plain_policy(In)>::globals;
    const auto layouts = [&]<class G>(G*) {
        using in_t = typename decltype(G::a)::element;
        using out_t = typename decltype(G::c)::element;
        return G{{static_cast<in_t*>(o.device_a.data()), 1, 1, m, k},
                 {static_cast<in_t*>(o.device_b.data()), 1, 1, k, n},
                 {static_cast<out_t*>(o.device_c.data()), 1, 1, m, n}};
    };
    const plain p = layouts(static_cast<plain*>(nullptr));
    launch_args result;
    const auto note = [&](const char* matrix, const char* rule) {
        if (rule && result.broken_rule.empty()) result.broken_rule = fmt::format("{}: {}", matrix, rule);
    };
    note("A", p.a.broken_rule());
    note("B", p.b.broken_rule());
    note("C", p.c.broken_rule());
    result.bytes =
        want_block && result.broken_rule.empty() ? bytes_of(layouts(static_cast<block*>(nullptr))) : bytes_of(p);
    return result;
}

launch_args make_args(dtype type, const operands& o, std::int64_t m, std::int64_t n, std::int64_t k, bool want_block) {
    const int i = static_cast<int>(m), j = static_cast<int>(n), l = static_cast<int>(k);
    switch (type) {
    case dtype::f16: return make_args<dtype::f16>(o, i, j, l, want_block);
    case dtype::i8: return make_args<dtype::i8>(o, i, j, l, want_block);
    default: return make_args<dtype::bf16>(o, i, j, l, want_block);
    }
}

/// Bytes per workgroup and K step, as the panels' sizes are given; all prefetches of the launch count.
void add_prefetch_figure(launches& runs, std::uint64_t k_steps) {
    if (runs.workgroups == 0 || k_steps == 0) return;
    runs.counters["k_steps"] = k_steps;
    runs.counters["prefetched_bytes_per_workgroup_k_step"] =
        static_cast<double>(runs.prefetched_bytes) / static_cast<double>(runs.workgroups * k_steps);
}

}  // namespace

run_outcome gemm_operation::run(const run_request& request) {
    if (options_.general(type_)) return run_general_gemm(request, options_, type_, {m_, n_, k_}, scale_);
    const device& where = request.where;
    const dtype out = accumulator_of(type_) == dtype::i32 ? dtype::i32 : type_;
    const std::uint64_t bytes_a = matrix_bytes(m_, k_, type_), bytes_b = matrix_bytes(k_, n_, type_),
                        bytes_c = matrix_bytes(m_, n_, out);
    // Inputs have zones too: what is read outside them is NaN and shows in C.
    const std::uint64_t guard_in = guard_bytes(where, std::max(k_, n_) * size_of(type_)),
                        guard_out = guard_bytes(where, n_ * size_of(out));
    const std::uint64_t on_device =
        saturating_sum({guarded_buffer::footprint(bytes_a, guard_in), guarded_buffer::footprint(bytes_b, guard_in),
                        guarded_buffer::footprint(bytes_c, guard_out)});
    const std::uint64_t on_host = saturating_sum({bytes_a, bytes_b, bytes_c, 2 * guard_out});
    const std::string what = fmt::format("gemm {} x {} x {}", m_, n_, k_);
    if (where.properties().is_gpu) {
        require_memory(where, on_device, what);
        require_memory(find_device("emulated"), on_host, what + " on the host");
    } else {
        require_memory(where, saturating_sum({on_device, on_host}), what);
    }

    const auto count = [](std::int64_t rows, std::int64_t cols) { return static_cast<std::size_t>(rows * cols); };
    const operands o{random_operand(type_, count(m_, k_), request.seed, 0, scale_),
                     random_operand(type_, count(k_, n_), request.seed, 1, scale_),
                     {where, bytes_a, guard_in},
                     {where, bytes_b, guard_in},
                     {where, bytes_c, guard_out}};
    queue on(where);
    o.device_a.upload(on, o.a);
    o.device_b.upload(on, o.b);

    run_outcome result;
    result.policy = policy_;
    result.type = type_text_;
    result.shape = {{"m", m_}, {"n", n_}, {"k", k_}};
    result.shape_text = fmt::format("{} x {} x {}", m_, n_, k_);
    result.work = 2.0 * static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_);

    // A split policy of xe is listed without the number of its planes, which is no part of its code.
    const bool numbered = kernels::parse_xe_choice(policy_.c_str()).parts > 0;
    if (policy_ != "auto") require_choice(fmt::format("gemm policy for {} on {}", type_text_, where.id()), numbered ? policy_.substr(0, policy_.find("_split") + 6) : policy_, gemm_policies_on(where, type_));
    launch_args args = make_args(type_, o, m_, n_, k_, policy_ != "plain");
    const bool blocks = args.broken_rule.empty() && policy_ != "plain";
    const bench::chosen_kernel chosen = bench::choose_kernel(where, type_, policy_, m_, n_, k_, blocks);
    if (blocks && chosen.plain) args = make_args(type_, o, m_, n_, k_, false);
    result.policy = chosen.policy;
    if (!chosen.why.empty()) result.notes.push_back(fmt::format("policy {}: {}", chosen.policy, chosen.why));
    if (chosen.policy == "plain" && policy_ != "plain") {
        if (policy_ != "default" && policy_ != "auto")
            throw user_error(
                fmt::format("policy {} reads by 2-D blocks, which this size does not allow ({}); leave --policy out or "
                            "take another size",
                            policy_, args.broken_rule));
        result.notes.push_back(
            fmt::format("2-D block access is not allowed here ({}): policy plain", args.broken_rule));
    }
    const kernel_record& kernel = kernel_for(where, chosen.kernel);
    result.kernel = kernel.name;

    std::vector<launch_step> steps;
    std::optional<guarded_buffer> planes;
    if (chosen.split) {
        const bench::gemm_operands of{m_, n_, k_, o.device_a.data(), o.device_b.data(), o.device_c.data()};
        planes.emplace(where, bench::split_bytes(where, type_, chosen, m_, n_, k_), guard_out);
        for (const auto& step : bench::split_steps(where, type_, chosen, of, planes->data())) steps.push_back({step.kernel, step.args});
    } else steps.push_back({&kernel, args.bytes});
    result.runs = run_repeatedly(on, steps, request.repeat, [&] {
        o.device_c.poison(on);
        if (planes) planes->poison(on);
        on.wait();
    });
    const gemm_policy_entry* entry = find_gemm_policy(result.policy);
    const std::int64_t k_step = entry ? entry->make(type_).k_step : 0;
    add_prefetch_figure(result.runs, k_step > 0 ? static_cast<std::uint64_t>((k_ + k_step - 1) / k_step) : 0);
    if (!result.runs.failure.empty()) {
        result.verdict = "the kernel did not complete";
        result.findings.push_back(result.runs.failure);
        return result;
    }
    const guarded_buffer::content c = o.device_c.download(on);
    judge(result, compare_gemm({m_, n_, k_, type_, out, o.a, o.b, c.data}), c.guard_bytes_written + (planes ? planes->download(on).guard_bytes_written : 0));
    return result;
}

}  // namespace kittens::tool
