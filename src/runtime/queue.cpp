// SPDX-License-Identifier: Apache-2.0
#include "backend.hpp"

#include <kittens/runtime/cpu_isa.hpp>
#include <kittens/runtime/registry.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kittens {

void event::wait() const {
    if (state_) state_->wait();
}
bool event::done() const { return !state_ || state_->done(); }
std::optional<double> event::seconds() const { return state_ ? state_->seconds() : std::nullopt; }
const emulated::launch_report* event::report() const { return state_ ? state_->report() : nullptr; }

queue::queue(device where) : state_(where.impl().make_queue(where)) {}

const device& queue::where() const noexcept { return state_->where(); }

event queue::launch(const kernel_record& kernel, const void* args, std::size_t bytes) {
    if (bytes != kernel.args_bytes)
        throw launch_error(
            fmt::format("kernel {} takes globals of {} bytes, not {}", kernel.name, kernel.args_bytes, bytes),
            "pass the kernel's own globals type");
    return event(state_->launch(kernel, checked_shape(where(), kernel, args), args, bytes, false));
}

event queue::run(const kernel_record& kernel, const void* args, std::size_t bytes) {
    if (bytes != kernel.args_bytes)
        throw launch_error(
            fmt::format("kernel {} takes globals of {} bytes, not {}", kernel.name, kernel.args_bytes, bytes),
            "pass the kernel's own globals type");
    event started(state_->launch(kernel, checked_shape(where(), kernel, args), args, bytes, true));
    started.wait();
    return started;
}

event queue::copy(void* to, const void* from, std::size_t bytes) {
    if (bytes && (!to || !from)) throw memory_error("copy: a pointer is null");
    return event(state_->copy(to, from, bytes));
}

event queue::fill(void* to, unsigned char value, std::size_t bytes) {
    if (bytes && !to) throw memory_error("fill: the pointer is null");
    return event(state_->fill(to, value, bytes));
}

void queue::wait() { state_->wait(); }

void queue::emulate_with(const emulated::options& options) { state_->emulate_with(options); }

const kernel_record& kernel_for(const device& where, std::string_view name) {
    const device_properties& p = where.properties();
    if (const kernel_record* found = best_kernel(name, p.target, p.isa)) return *found;
    std::vector<std::string_view> here, elsewhere;
    for (const kernel_record* k : kernels()) {
        if (k->name == name) elsewhere.emplace_back(k->target);
        if (k->target == p.target && (here.empty() || here.back() != k->name)) here.emplace_back(k->name);
    }
    if (!elsewhere.empty()) {
        elsewhere.erase(std::unique(elsewhere.begin(), elsewhere.end()), elsewhere.end());
        throw launch_error(
            fmt::format("kernel {} is not compiled for {}{}", name, p.target, p.isa.empty() ? "" : " " + p.isa),
            fmt::format("this program has it for {}", fmt::join(elsewhere, ", ")));
    }
    throw launch_error(fmt::format("there is no kernel \"{}\" in this program", name),
                       here.empty() ? fmt::format("it has none at all for {}", p.target)
                                    : fmt::format("for {} it has {}", p.target, fmt::join(here, ", ")));
}

launch_shape checked_shape(const device& where, const kernel_record& kernel, const void* args) {
    const device_properties& p = where.properties();
    if (p.target != kernel.target)
        throw launch_error(fmt::format("kernel {} is compiled for {}, not for the target {} of device {}", kernel.name,
                                       kernel.target, p.target, where.id()));
    if (p.target == "cpu") {
        const auto needs = parse_cpu_isa(kernel.isa), has = parse_cpu_isa(p.isa);
        if (!needs || *needs > *has)
            throw launch_error(
                fmt::format("kernel {} is compiled for {}, beyond device {}", kernel.name, kernel.isa, where.id()));
    }
    if (p.target == "xe" ? !kernel.module : !kernel.entry)
        throw launch_error(fmt::format("kernel {} ({}) has no code", kernel.name, kernel.target),
                           "this is a fault of its registration");

    const launch_shape shape = kernel.geometry(args);
    std::uint64_t groups = 1;
    bool overflow = false;
    for (const int g : shape.groups) {
        if (g < 1)
            throw launch_error(fmt::format("kernel {} wants a grid of {} x {} x {} workgroups", kernel.name,
                                           shape.groups[0], shape.groups[1], shape.groups[2]),
                               "each dimension must be at least 1");
        overflow |= __builtin_mul_overflow(groups, static_cast<std::uint64_t>(g), &groups);
    }
    if (overflow || groups > (std::uint64_t{1} << 40))
        throw launch_error(fmt::format("kernel {} wants a grid of {} x {} x {} workgroups", kernel.name,
                                       shape.groups[0], shape.groups[1], shape.groups[2]),
                           "at most 2^40 can be launched at once");
    const int limit = kernel.traits.grf > 128 && p.target != "cpu" ? p.max_subgroups / 2 : p.max_subgroups;
    if (shape.subgroups < 1 || shape.subgroups > limit)
        throw launch_error(fmt::format("kernel {} wants {} subgroups in a workgroup", kernel.name, shape.subgroups),
                           fmt::format("device {} takes 1 to {}{}", where.id(), limit,
                                       limit != p.max_subgroups ? " with the large register file" : ""));
    if (shape.slm_bytes > p.slm_bytes)
        throw launch_error(
            fmt::format("kernel {} wants {} of shared local memory", kernel.name, detail::size_text(shape.slm_bytes)),
            fmt::format("device {} has {} for a workgroup", where.id(), detail::size_text(p.slm_bytes)));
    return shape;
}

}  // namespace kittens
