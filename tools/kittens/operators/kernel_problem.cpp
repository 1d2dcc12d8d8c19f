// SPDX-License-Identifier: Apache-2.0
#include "kernel_problem.hpp"

#include "../operands.hpp"
#include "../text.hpp"

#include <kittens/runtime/runtime.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kittens::tool {

std::function<void()> kernel_problem::candidate(const device& where, std::span<void* const> tensors) const {
    struct prepared {
        queue on;
        const kernel_record* kernel;
        std::vector<std::byte> globals;
    };
    kernel_call c = call(tensors);
    auto p = std::make_shared<prepared>(prepared{queue(where), &kernel_for(where, c.kernel), std::move(c.globals)});
    return [p] { p->on.run(*p->kernel, p->globals.data(), p->globals.size()); };
}

store_policy stores_for(double bytes) { return bytes >= 0x1p23 ? store_policy::streaming : store_policy::cached; }

double rounding_gate(dtype type) { return type == dtype::bf16 ? 0x1p-8 : type == dtype::f16 ? 0x1p-11 * 2 : 0x1p-20; }

std::string type_suffix(dtype type) { return name_of(type); }

void operator_operation::add_kernel_options(CLI::App& to) {
    to.add_option("--dtype", type_text_, "Element type: bf16 or fp16")->type_name("TYPE")->capture_default_str();
}

void operator_operation::check_kernel_options() {
    require_choice("element type", type_text_, {"bf16", "fp16"});
    type_ = type_text_ == "fp16" ? dtype::f16 : dtype::bf16;
}

run_outcome operator_operation::run(const run_request& request) {
    const device& where = request.where;
    const std::shared_ptr<const kernel_problem> p = problem();
    const std::vector<bench::tensor_spec> specs = p->tensors();
    std::uint64_t bytes = 0;
    for (const auto& t : specs) {
        const std::uint64_t guard = guard_bytes(where, t.sizes.back() * size_of(t.type));
        bytes = saturating_sum({bytes, guarded_buffer::footprint(t.bytes(), guard), t.bytes(), t.bytes()});
    }
    require_memory(where, bytes, fmt::format("{} {}", name(), p->text()));

    // Inputs have zones too: what is read outside them is NaN and shows in the result.
    queue on(where);
    std::vector<std::vector<std::byte>> host;
    std::vector<guarded_buffer> memory;
    std::vector<void*> host_pointers, device_pointers;
    for (const auto& t : specs) {
        host.emplace_back(t.bytes());
        memory.emplace_back(where, t.bytes(), guard_bytes(where, t.sizes.back() * size_of(t.type)));
    }
    for (std::size_t i = 0; i < specs.size(); ++i) {
        host_pointers.push_back(host[i].data());
        device_pointers.push_back(memory[i].data());
    }
    p->fill(host_pointers, request.seed);
    for (std::size_t i = 0; i < specs.size(); ++i)
        if (!specs[i].output) memory[i].upload(on, host[i]);

    run_outcome result;
    const kernel_call c = p->call(device_pointers);
    result.kernel = c.kernel;
    result.policy = policy();
    result.type = type_text_;
    result.shape = p->shape();
    result.shape_text = p->text();
    result.work = p->flops();
    result.runs = run_repeatedly(on, kernel_for(where, c.kernel), c.globals.data(), c.globals.size(), request.repeat, [&] {
        for (std::size_t i = 0; i < specs.size(); ++i)
            if (specs[i].output) memory[i].poison(on);
        on.wait();
    });
    if (!result.runs.failure.empty()) {
        result.verdict = "the kernel did not complete";
        result.findings.push_back(result.runs.failure);
        return result;
    }
    std::uint64_t outside = 0;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        if (!specs[i].output) continue;
        guarded_buffer::content content = memory[i].download(on);
        outside += content.guard_bytes_written;
        host[i] = std::move(content.data);
        host_pointers[i] = host[i].data();
    }
    const bench::operator_verdict v = p->check(host_pointers, false);
    result.passed = v.passed() && outside == 0;
    const auto finite = [](double x) { return std::isfinite(x) ? json(x) : json(nullptr); };
    result.error = {{"relative_frobenius", finite(v.relative_frobenius)}, {"gate", rounding_gate(type_)}, {"max_abs", finite(v.max_abs)},
                    {"nonfinite", nullptr}, {"different", nullptr}, {"guard_bytes_written", outside}};
    result.verdict = fmt::format("relative Frobenius error {:.3e} against double precision", v.relative_frobenius);
    if (!v.passed()) result.findings.push_back(v.failure);
    if (outside > 0) result.findings.push_back(fmt::format("the kernel wrote {} bytes outside its results", show_count(outside)));
    return result;
}

}  // namespace kittens::tool
