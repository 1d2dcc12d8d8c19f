// SPDX-License-Identifier: Apache-2.0
// Kernels of embedded SPIR-V modules, built for a SYCL context and device. Included by runtime/sycl.hpp.
#pragma once

#include <kittens/runtime/sycl/device.hpp>

#if KITTENS_SYCL_SPIRV

#include <kittens/base/launch.hpp>
#include <kittens/base/target.hpp>
#include <kittens/inspect/spirv.hpp>
#include <kittens/runtime/registry.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

namespace kittens::sycl_backend::detail {

namespace syclex = ::sycl::ext::oneapi::experimental;

/// A kernel that is ready to be launched, and what the implementation tells about it.
struct built_kernel {
    ::sycl::kernel kernel;
    int subgroup_size = 0;
    std::size_t max_work_items = 0;  ///< in a workgroup, for this kernel
    std::optional<unsigned> registers;
    std::optional<std::size_t> spill_bytes;
    std::string build_options;
};

/// One module in one form, built with one register file, in one context for one device.
class built_module {
public:
    built_module(const ::sycl::context& context, const ::sycl::device& device, const module_record& module, path form, int grf)
        : context_(context), device_(device), module_(module), form_(form), grf_(grf) {}

    bool is(const ::sycl::context& context, const ::sycl::device& device, const module_record& module, path form, int grf) const {
        return context_ == context && device_ == device && &module_ == &module && form_ == form && grf_ == grf;
    }
    const ::sycl::context& context() const { return context_; }

    /// Builds the module on first use. Throws build_error, launch_error.
    const built_kernel& get(const kernel_record& record) {
        const std::lock_guard guard(lock_);
        const auto found = kernels_.find(&record);
        if (found != kernels_.end()) return found->second;
        if (!bundle_) build(record.name);
        return kernels_.emplace(&record, make(record)).first->second;
    }

private:
    void build(const char* kernel) {
        const bool native = form_ == path::native;
        const auto* begin = reinterpret_cast<const std::byte*>(native ? module_.native_begin : module_.software_begin);
        const auto* end = reinterpret_cast<const std::byte*>(native ? module_.native_end : module_.software_end);
        if (begin == end)
            throw launch_error(std::string("kernel ") + kernel + ": module " + module_.name + " has no " + to_string(form_) + " form");
        std::string log;
        try {
            auto spirv = inspect::spirv_module::parse(std::span(begin, end));
            inspect::require_subgroup_size(spirv, subgroup_size);
            const auto bytes = spirv.bytes();
            auto source = syclex::create_kernel_bundle_from_source(context_, syclex::source_language::spirv,
                                                                   std::vector<std::byte>(bytes.begin(), bytes.end()));
            // The option is the graphics compiler's; a CPU device refuses it.
            if (grf_ > 128 && device_.is_gpu()) options_ = "-ze-opt-large-register-file";
            syclex::build_options options;
            if (!options_.empty()) options.add(options_);
            bundle_.emplace(syclex::build(source, {device_}, syclex::properties{options, syclex::save_log(&log)}));
        } catch (const inspect::spirv_error& e) {
            throw build_error(std::string("kernel ") + kernel + ": module " + module_.name + ": " + e.what(), "this is a fault of the build", {});
        } catch (const ::sycl::exception& e) {
            // The implementation puts the compiler's text, which has many lines, into either place.
            throw build_error(std::string("kernel ") + kernel + ": device " + name_of(device_) + " refuses module " + module_.name + " (" +
                                  to_string(form_) + ")",
                              "build_log() has the compiler's message", log.empty() ? std::string(e.what()) : log);
        }
    }

    built_kernel make(const kernel_record& record) {
        if (!bundle_->ext_oneapi_has_kernel(record.name))
            throw launch_error(std::string("module ") + module_.name + " holds no kernel " + record.name, "this is a fault of its registration");
        namespace facts = ::sycl::info::kernel_device_specific;
        built_kernel k{.kernel = bundle_->ext_oneapi_get_kernel(record.name), .registers = {}, .spill_bytes = {}, .build_options = options_};
        k.subgroup_size = static_cast<int>(k.kernel.get_info<facts::compile_sub_group_size>(device_));
        k.max_work_items = k.kernel.get_info<facts::work_group_size>(device_);
        if (k.subgroup_size != subgroup_size)
            throw launch_error(std::string("kernel ") + record.name + " was built by " + name_of(device_) + " for subgroups of " +
                                   std::to_string(k.subgroup_size) + ", not " + std::to_string(subgroup_size),
                               "its results would be wrong; use another device");
        if (device_.is_gpu()) check_registers(record, k);
        return k;
    }

    /// Not every driver tells; what it tells is believed.
    void check_registers(const kernel_record& record, built_kernel& k) const {
        try {
            const unsigned n = k.kernel.get_info<::sycl::info::kernel_device_specific::ext_codeplay_num_regs>(device_);
            if (n > 0) k.registers = n;
        } catch (const ::sycl::exception&) {
        }
        try {
            if (device_.has(::sycl::aspect::ext_intel_spill_memory_size))
                k.spill_bytes = k.kernel.get_info<::sycl::ext::intel::info::kernel_device_specific::spill_memory_size>(device_);
        } catch (const ::sycl::exception&) {
        }
        if (k.registers && *k.registers < static_cast<unsigned>(record.traits.grf))
            throw launch_error(std::string("kernel ") + record.name + " asks for " + std::to_string(record.traits.grf) + " registers and " +
                                   name_of(device_) + " gave it " + std::to_string(*k.registers),
                               "the driver was given \"" + options_ + "\"; it would spill registers to memory");
    }

    ::sycl::context context_;
    ::sycl::device device_;
    const module_record& module_;
    path form_;
    int grf_;
    std::mutex lock_;
    std::string options_;
    std::optional<::sycl::kernel_bundle<::sycl::bundle_state::executable>> bundle_;
    std::map<const kernel_record*, built_kernel> kernels_;
};

/// All modules built in this process.
class module_cache {
public:
    /// Never destroyed: the SYCL implementation may be gone by the time that static objects are.
    static module_cache& instance() {
        static auto* cache = new module_cache;
        return *cache;
    }

    const built_kernel& get(const ::sycl::context& context, const ::sycl::device& device, const kernel_record& record, path form) {
        const module_record* module = record.module ? find_module(record.module) : nullptr;
        if (!module) throw launch_error(std::string("kernel ") + record.name + " has no SPIR-V module in this program", "this is a fault of its registration");
        return find(context, device, *module, form, record.traits.grf).get(record);
    }

    /// Forgets what was built in `context`.
    void release(const ::sycl::context& context) {
        const std::lock_guard guard(lock_);
        std::erase_if(modules_, [&](const auto& m) { return m->context() == context; });
    }

private:
    built_module& find(const ::sycl::context& context, const ::sycl::device& device, const module_record& module, path form, int grf) {
        const std::lock_guard guard(lock_);
        for (const auto& m : modules_)
            if (m->is(context, device, module, form, grf)) return *m;
        return *modules_.emplace_back(std::make_unique<built_module>(context, device, module, form, grf));
    }

    std::mutex lock_;
    std::vector<std::unique_ptr<built_module>> modules_;
};

}  // namespace kittens::sycl_backend::detail

#endif
