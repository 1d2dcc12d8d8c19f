// SPDX-License-Identifier: Apache-2.0
// Kernels of embedded SPIR-V modules, built for a SYCL context and device. Included by runtime/sycl.hpp.
#pragma once

#include <kittens/runtime/sycl/device.hpp>

#if KITTENS_SYCL_SPIRV

#include <kittens/base/launch.hpp>
#include <kittens/base/target.hpp>
#include <kittens/inspect/spirv.hpp>
#include <kittens/inspect/spirv_loops.hpp>
#include <kittens/inspect/spirv_select.hpp>
#include <kittens/runtime/registry.hpp>

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

/// One kernel in one form, in one context for one device.
class kernel_slot {
public:
    kernel_slot(const ::sycl::context& context, const ::sycl::device& device, const kernel_record& record, path form)
        : context_(context),
          device_(device),
          record_(record),
          form_(form) {}

    bool is(const ::sycl::context& context, const ::sycl::device& device, const kernel_record& record,
            path form) const {
        return context_ == context && device_ == device && &record_ == &record && form_ == form;
    }
    const ::sycl::context& context() const { return context_; }

    /// Builds the kernel on first use. Throws build_error, launch_error.
    const built_kernel& get() {
        const std::lock_guard guard(lock_);
        if (!built_) built_.emplace(check(build()));
        return *built_;
    }

private:
    std::string kernel_name() const { return std::string("kernel ") + record_.name; }

    built_kernel build() const {
        const module_record* module = record_.module ? find_module(record_.module) : nullptr;
        if (!module)
            throw launch_error(kernel_name() + " has no SPIR-V module in this program",
                               "this is a fault of its registration");
        const bool native = form_ == path::native;
        const auto* begin = reinterpret_cast<const std::byte*>(native ? module->native_begin : module->software_begin);
        const auto* end = reinterpret_cast<const std::byte*>(native ? module->native_end : module->software_end);
        if (begin == end)
            throw launch_error(kernel_name() + ": module " + module->name + " has no " + to_string(form_) + " form");

        const std::string refused = kernel_name() + ": device " + name_of(device_) + " refuses module " + module->name +
                                    " (" + to_string(form_) + ")";
        std::string log;
        try {
            // The other kernels of the module would be compiled too, at a few seconds each on a CPU device.
            auto spirv = inspect::select_kernel(inspect::spirv_module::parse(std::span(begin, end)), record_.name);
            if (!device_.is_gpu() && inspect::has_named_barriers(spirv))
                throw launch_error(kernel_name() + " waits at a named barrier, which " + name_of(device_) +
                                       " does not have: it runs the subgroups of a workgroup one after another",
                                   "run it on target cpu or emulated, or on an Intel GPU");
            inspect::require_subgroup_size(spirv, subgroup_size);
            if (!native) spirv = inspect::keep_loops(spirv);
            const auto bytes = spirv.bytes();
            auto source = syclex::create_kernel_bundle_from_source(context_, syclex::source_language::spirv,
                                                                   std::vector<std::byte>(bytes.begin(), bytes.end()));
            // The option is the graphics compiler's; Level Zero and OpenCL drivers both take it.
            std::string options = record_.traits.grf > 128 && device_.is_gpu() ? "-ze-opt-large-register-file" : "";
            syclex::build_options given;
            if (!options.empty()) given.add(options);
            auto bundle = syclex::build(source, {device_}, syclex::properties{given, syclex::save_log(&log)});
            return {.kernel = bundle.ext_oneapi_get_kernel(record_.name),
                    .registers = {},
                    .spill_bytes = {},
                    .build_options = std::move(options)};
        } catch (const inspect::spirv_error& e) {
            throw build_error(kernel_name() + ": module " + module->name + ": " + e.what(),
                              "this is a fault of the build", {});
        } catch (const ::sycl::exception& e) {
            // The implementation puts the compiler's text, which has many lines, into either place.
            throw build_error(refused, "build_log() has the compiler's message",
                              log.empty() ? std::string(e.what()) : log);
        }
    }

    /// Fills in what the implementation tells about the kernel, and refuses one that would compute or spill wrongly.
    built_kernel check(built_kernel k) const {
        namespace facts = ::sycl::info::kernel_device_specific;
        k.subgroup_size = static_cast<int>(k.kernel.get_info<facts::compile_sub_group_size>(device_));
        k.max_work_items = k.kernel.get_info<facts::work_group_size>(device_);
        if (k.subgroup_size != subgroup_size)
            throw launch_error(kernel_name() + " was built by " + name_of(device_) + " for subgroups of " +
                                   std::to_string(k.subgroup_size) + ", not " + std::to_string(subgroup_size),
                               "its results would be wrong; use another device");
        if (!device_.is_gpu()) return k;
        // Not every driver tells these.
        try {
            if (const unsigned n = k.kernel.get_info<facts::ext_codeplay_num_regs>(device_)) k.registers = n;
        } catch (const ::sycl::exception&) {
        }
        try {
            if (device_.has(::sycl::aspect::ext_intel_spill_memory_size))
                k.spill_bytes =
                    k.kernel.get_info<::sycl::ext::intel::info::kernel_device_specific::spill_memory_size>(device_);
        } catch (const ::sycl::exception&) {
        }
        if (k.registers && *k.registers < static_cast<unsigned>(record_.traits.grf))
            throw launch_error(kernel_name() + " asks for " + std::to_string(record_.traits.grf) + " registers and " +
                                   name_of(device_) + " gave it " + std::to_string(*k.registers),
                               "the driver was given \"" + k.build_options + "\"; it would spill registers to memory");
        return k;
    }

    ::sycl::context context_;
    ::sycl::device device_;
    const kernel_record& record_;
    path form_;
    std::mutex lock_;
    std::optional<built_kernel> built_;
};

/// All kernels built in this process.
class kernel_cache {
public:
    /// Never destroyed: the SYCL implementation may be gone by the time that static objects are.
    static kernel_cache& instance() {
        static auto* cache = new kernel_cache;
        return *cache;
    }

    const built_kernel& get(const ::sycl::context& context, const ::sycl::device& device, const kernel_record& record,
                            path form) {
        return slot(context, device, record, form).get();
    }

    /// Forgets what was built in `context`.
    void release(const ::sycl::context& context) {
        const std::lock_guard guard(lock_);
        std::erase_if(slots_, [&](const auto& s) { return s->context() == context; });
    }

private:
    kernel_slot& slot(const ::sycl::context& context, const ::sycl::device& device, const kernel_record& record,
                      path form) {
        const std::lock_guard guard(lock_);
        for (const auto& s : slots_)
            if (s->is(context, device, record, form)) return *s;
        return *slots_.emplace_back(std::make_unique<kernel_slot>(context, device, record, form));
    }

    std::mutex lock_;
    std::vector<std::unique_ptr<kernel_slot>> slots_;
};

}  // namespace kittens::sycl_backend::detail

#endif
