// SPDX-License-Identifier: Apache-2.0
#include <kittens/runtime/cpu_isa.hpp>
#include <kittens/runtime/error.hpp>
#include <kittens/runtime/registry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

namespace kittens {

namespace {

struct registry {
    std::mutex lock;
    std::vector<std::unique_ptr<const kernel_record>> kernels;
    std::vector<std::unique_ptr<const module_record>> modules;
    /// Two different things under one name. A static initialiser cannot throw; the first look-up does.
    std::string conflict;
};

// Registration runs from static initialisers in any order, so the storage is made by its first user.
registry& storage() {
    static registry instance;
    return instance;
}

auto key(const kernel_record& r) {
    return std::tuple(std::string_view(r.name), std::string_view(r.target), std::string_view(r.isa ? r.isa : ""));
}

template <class T> std::vector<const T*> pointers(const std::vector<std::unique_ptr<const T>>& records) {
    std::vector<const T*> all;
    for (const auto& record : records) all.push_back(record.get());
    return all;
}

void check(const registry& r) {
    if (!r.conflict.empty()) throw error(r.conflict, "give each kernel and module of a program its own name");
}

}  // namespace

void register_kernel(const kernel_record& record) {
    registry& r = storage();
    const std::lock_guard guard(r.lock);
    const auto at = std::lower_bound(r.kernels.begin(), r.kernels.end(), key(record),
                                     [](const auto& a, const auto& b) { return key(*a) < b; });
    if (at != r.kernels.end() && key(**at) == key(record)) {
        // The same instantiation registered from two translation units is one kernel.
        if ((*at)->entry != record.entry || (*at)->args_bytes != record.args_bytes)
            r.conflict = fmt::format("two different kernels are registered as {} for {} {}", record.name, record.target,
                                     record.isa);
        return;
    }
    r.kernels.insert(at, std::make_unique<const kernel_record>(record));
}

void register_module(const module_record& record) {
    registry& r = storage();
    const std::lock_guard guard(r.lock);
    const auto at = std::lower_bound(r.modules.begin(), r.modules.end(), std::string_view(record.name),
                                     [](const auto& a, std::string_view b) { return a->name < b; });
    if (at != r.modules.end() && std::string_view((*at)->name) == record.name) {
        if ((*at)->native_begin != record.native_begin || (*at)->software_begin != record.software_begin)
            r.conflict = fmt::format("two different SPIR-V modules are registered as {}", record.name);
        return;
    }
    r.modules.insert(at, std::make_unique<const module_record>(record));
}

const kernel_record* find_kernel(std::string_view name, std::string_view target, std::string_view isa) {
    registry& r = storage();
    const std::lock_guard guard(r.lock);
    check(r);
    const auto wanted = std::tuple(name, target, isa);
    const auto at = std::lower_bound(r.kernels.begin(), r.kernels.end(), wanted,
                                     [](const auto& a, const auto& b) { return key(*a) < b; });
    return at != r.kernels.end() && key(**at) == wanted ? at->get() : nullptr;
}

const kernel_record* best_kernel(std::string_view name, std::string_view target, std::string_view max_isa) {
    if (target != "cpu") return find_kernel(name, target);
    const auto top = parse_cpu_isa(max_isa);
    if (!top) return nullptr;
    for (int level = static_cast<int>(*top); level >= 0; --level)
        if (const auto* found = find_kernel(name, target, to_string(static_cast<cpu_isa>(level)))) return found;
    return nullptr;
}

std::vector<const kernel_record*> kernels() {
    registry& r = storage();
    const std::lock_guard guard(r.lock);
    check(r);
    return pointers(r.kernels);
}

std::vector<std::string_view> kernel_names() {
    std::vector<std::string_view> names;
    for (const auto* k : kernels())
        if (names.empty() || names.back() != k->name) names.emplace_back(k->name);
    return names;
}

const module_record* find_module(std::string_view name) {
    registry& r = storage();
    const std::lock_guard guard(r.lock);
    check(r);
    for (const auto& m : r.modules)
        if (m->name == name) return m.get();
    return nullptr;
}

std::vector<const module_record*> modules() {
    registry& r = storage();
    const std::lock_guard guard(r.lock);
    check(r);
    return pointers(r.modules);
}

}  // namespace kittens
