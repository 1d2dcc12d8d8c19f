// SPDX-License-Identifier: Apache-2.0
#include "backend.hpp"

#include <kittens/runtime/cpu_isa.hpp>
#include <kittens/runtime/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace kittens {

namespace {

struct machine {
    std::vector<device> devices;
    std::vector<missing_part> missing;
};

const machine& detected() {
    // Never destroyed: events and buffers of static storage duration may outlive it.
    static const machine& found = *[] {
        auto m = std::make_unique<machine>();
        m->devices = detail::host_devices();
        if (!detected_cpu_isa())
            m->missing.push_back(
                {"this processor has no AVX2, FMA and F16C", "kernels of the cpu target do not run", ""});
        for (auto& d : detail::opencl_devices(m->missing)) m->devices.push_back(std::move(d));
        return m.release();
    }();
    return found;
}

std::string lower(std::string_view text) {
    std::string s(text);
    std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return s;
}

}  // namespace

device::device() : device(find_device("cpu")) {}

const device_properties& device::properties() const noexcept { return impl_->properties(); }
const std::string& device::id() const noexcept { return impl_->id(); }

const std::vector<device>& devices() { return detected().devices; }

std::vector<missing_part> missing_parts() { return detected().missing; }

device find_device(std::string_view target, std::string_view name) {
    static constexpr std::string_view targets[] = {"cpu", "emulated", "xe"};
    if (std::find(std::begin(targets), std::end(targets), target) == std::end(targets))
        throw device_error(fmt::format("there is no target \"{}\"", target), "the targets are cpu, emulated and xe");
    // A whole id, with or without the target, wins: "avx512" is also a part of "cpu:avx512_bf16".
    for (const device& d : devices())
        if (d.target() == target && !name.empty() &&
            (lower(d.id()) == lower(name) || lower(d.id()) == fmt::format("{}:{}", target, lower(name))))
            return d;
    std::vector<std::string> choices;
    for (const device& d : devices()) {
        if (d.target() != target) continue;
        if (lower(d.id()).find(lower(name)) != std::string::npos ||
            lower(d.name()).find(lower(name)) != std::string::npos)
            return d;
        choices.push_back(fmt::format("{} ({})", d.id(), d.name()));
    }
    if (!choices.empty())
        throw device_error(fmt::format("no {} device is called \"{}\"", target, name),
                           fmt::format("there are: {}", fmt::join(choices, ", ")));
    for (const missing_part& part : missing_parts())
        if (target == "xe" || part.consequence.find(target) != std::string::npos)
            throw device_error(fmt::format("no device for target {}: {}", target, part.what),
                               part.command.empty() ? "" : fmt::format("run {}", part.command));
    throw device_error(fmt::format("no device for target {}", target));
}

}  // namespace kittens
