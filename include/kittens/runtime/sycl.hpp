// SPDX-License-Identifier: Apache-2.0
// The SYCL back end: kernels of this program on the user's own sycl::queue, with sycl::event for what comes before and
// after. Compiles with any SYCL 2020 implementation; the program also links SyclKittens::runtime. See docs/sycl.md.
#pragma once

#include <kittens/base/launch.hpp>
#include <kittens/base/target.hpp>
#include <kittens/runtime/queue.hpp>
#include <kittens/runtime/registry.hpp>
#include <kittens/runtime/sycl/device.hpp>
#include <kittens/runtime/sycl/host.hpp>
#include <kittens/runtime/sycl/modules.hpp>
#if defined(KITTENS_TARGET_XE)
#include <kittens/runtime/sycl/single_source.hpp>
#endif

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kittens::sycl_backend {

/// A kernel that has been made ready for a queue's device.
struct prepared_kernel {
    const kernel_record* record = nullptr;
    path how = path::automatic;              ///< native, software or host
    int subgroup_size = 16;                  ///< as the device's compiler reports it
    std::size_t max_subgroups = 0;           ///< in a workgroup of this kernel
    std::optional<unsigned> registers;       ///< per hardware thread, where the driver tells
    std::optional<std::size_t> spill_bytes;  ///< where the driver tells
    std::string build_options;               ///< given to the device's compiler
};

namespace detail {

[[noreturn]] inline void refuse(std::string_view kernel, const ::sycl::device& d, const std::string& why,
                                const std::string& hint) {
    throw launch_error("kernel " + std::string(kernel) + " cannot run on " + name_of(d) + ": " + why, hint);
}

inline void require_spirv(std::string_view kernel, const ::sycl::device& d) {
    if (!takes_spirv(d))
        refuse(kernel, d,
               KITTENS_SYCL_SPIRV ? "the device takes no SPIR-V" : "this SYCL implementation takes no SPIR-V",
               d.is_cpu() ? "use path::host"
                          : "use DPC++ and a device of its OpenCL or Level Zero back ends, or a CPU device");
    if (!has_subgroup_size(d, subgroup_size))
        refuse(kernel, d, "the device has no subgroups of 16", "use an Intel GPU or a CPU device");
}

inline void check_path(const kernel_record& record, const ::sycl::device& d, path how) {
    if (how == path::host) {
        if (!d.is_cpu())
            refuse(record.name, d, "kernels of the cpu target run on CPU devices",
                   "use a queue on a CPU device, or path::automatic");
        return;
    }
    require_spirv(record.name, d);
    if (how == path::native && !has_native_instructions(d))
        refuse(record.name, d, "the device has no Intel matrix and 2-D block instructions for subgroups of 16",
               "use path::software or path::automatic");
}

inline const kernel_record& xe_record(std::string_view name) {
    if (const auto* found = find_kernel(name, "xe")) return *found;
    throw launch_error("kernel " + std::string(name) + " is not compiled for xe in this program",
                       "add xe to its TARGETS in kittens_add_kernels");
}

struct choice {
    const kernel_record& record;
    path how;
};

inline choice choose(std::string_view name, const ::sycl::device& d, path how) {
    if (how == path::host) return {kernel_for(device(), name), how};
    if (how != path::automatic) return {xe_record(name), how};
    const auto* xe = find_kernel(name, "xe");
    if (xe && has_native_instructions(d) && takes_spirv(d)) return {*xe, path::native};
    if (d.is_cpu() && best_kernel(name, "cpu", device().properties().isa))
        return {kernel_for(device(), name), path::host};
    // The message for a name that no target has lists those that exist.
    if (!xe) return {kernel_for(device(), name), path::host};
    return {*xe, path::software};
}

inline choice choose(const kernel_record& record, const ::sycl::device& d, path how) {
    const std::string_view target = record.target;
    if (target != "xe" && target != "cpu")
        throw launch_error(
            std::string("kernel ") + record.name + " (" + record.target + ") does not run on a sycl::queue",
            "the emulator checks accesses to memory that it has allocated itself: use kittens::queue");
    const bool on_host = target == "cpu";
    if (how == path::automatic) how = on_host ? path::host : has_native_instructions(d) ? path::native : path::software;
    if ((how == path::host) != on_host)
        throw launch_error(std::string("kernel ") + record.name + " is compiled for " + record.target +
                               ", which is not for path::" + to_string(how),
                           "use path::automatic");
    return {record, how};
}

#if KITTENS_SYCL_SPIRV

/// The launch shape of an xe kernel, checked against the device's limits and those of the built kernel.
inline launch_shape checked_module_shape(const ::sycl::device& d, const kernel_record& record,
                                         const built_kernel& built, const void* args) {
    const launch_shape s = record.geometry(args);
    const auto text = [](std::size_t n) { return std::to_string(n); };
    for (const int g : s.groups)
        if (g < 1)
            throw launch_error(std::string("kernel ") + record.name + " wants a grid of " +
                                   std::to_string(s.groups[0]) + " x " + std::to_string(s.groups[1]) + " x " +
                                   std::to_string(s.groups[2]) + " workgroups",
                               "each dimension must be at least 1");
    const std::size_t limit = built.max_work_items / subgroup_size;
    if (s.subgroups < 1 || static_cast<std::size_t>(s.subgroups) > limit)
        throw launch_error(std::string("kernel ") + record.name + " wants " + std::to_string(s.subgroups) +
                               " subgroups in a workgroup",
                           name_of(d) + " takes 1 to " + text(limit) + " for this kernel" +
                               (record.traits.grf > 128 ? " with the large register file" : ""));
    const std::size_t slm = d.get_info<::sycl::info::device::local_mem_size>();
    if (s.slm_bytes > slm)
        throw launch_error(
            std::string("kernel ") + record.name + " wants " + text(s.slm_bytes) + " bytes of shared local memory",
            name_of(d) + " has " + text(slm) + " for a workgroup");
    return s;
}

inline ::sycl::event launch_module(::sycl::queue& on, const kernel_record& record, path form, const void* args,
                                   std::size_t bytes, const std::vector<::sycl::event>& depends_on) {
    const ::sycl::device d = on.get_device();
    const built_kernel& built = kernel_cache::instance().get(on.get_context(), d, record, form);
    const launch_shape s = checked_module_shape(d, record, built, args);
    // The last dimension of a SYCL range is the first of SPIR-V, in which subgroups form.
    const std::size_t lanes = std::size_t(s.subgroups) * subgroup_size;
    const ::sycl::range<3> local(1, 1, lanes);
    const ::sycl::range<3> global(std::size_t(s.groups[2]), std::size_t(s.groups[1]), std::size_t(s.groups[0]) * lanes);
    try {
        return on.submit([&](::sycl::handler& h) {
            h.depends_on(depends_on);
            h.set_arg(0, syclex::raw_kernel_arg(args, bytes));
            h.parallel_for(::sycl::nd_range<3>(global, local), built.kernel);
        });
    } catch (const ::sycl::exception& e) {
        throw launch_error(std::string("kernel ") + record.name + ": " + name_of(d) +
                           " refuses the launch: " + e.what());
    }
}

#endif

inline ::sycl::event launch(::sycl::queue& on, const choice& c, const void* args, std::size_t bytes,
                            const std::vector<::sycl::event>& depends_on) {
    const kernel_record& record = c.record;
    if (bytes != record.args_bytes)
        throw launch_error(std::string("kernel ") + record.name + " takes globals of " +
                               std::to_string(record.args_bytes) + " bytes, not " + std::to_string(bytes),
                           "pass the kernel's own globals type");
    check_path(record, on.get_device(), c.how);
#if KITTENS_SYCL_SPIRV
    if (c.how != path::host) return launch_module(on, record, c.how, args, bytes, depends_on);
#endif
    return launch_on_host(on, device(), record, args, bytes, depends_on);
}

inline prepared_kernel prepare(::sycl::queue& on, const choice& c) {
    prepared_kernel p{.record = &c.record, .how = c.how, .registers = {}, .spill_bytes = {}, .build_options = {}};
    check_path(c.record, on.get_device(), c.how);
    if (c.how == path::host) {
        p.max_subgroups = static_cast<std::size_t>(device().properties().max_subgroups);
        return p;
    }
#if KITTENS_SYCL_SPIRV
    const built_kernel& built = kernel_cache::instance().get(on.get_context(), on.get_device(), c.record, c.how);
    p.subgroup_size = built.subgroup_size;
    p.max_subgroups = built.max_work_items / subgroup_size;
    p.registers = built.registers;
    p.spill_bytes = built.spill_bytes;
    p.build_options = built.build_options;
#endif
    return p;
}

}  // namespace detail

/// Starts the kernel `name` over the grid that it wants for `globals`, after `depends_on`, and returns at once. Pointers
/// in `globals` are USM pointers of the queue's context. Throws launch_error where there is no such kernel, its arguments
/// are not these, or a limit of the device is exceeded; build_error where the device's compiler refuses the kernel's
/// module. What goes wrong inside the kernel goes to the queue's async_handler.
/// The first launch of a kernel builds it for the device; `prepare` does that ahead of time.
template <class Globals>
::sycl::event launch(::sycl::queue& on, std::string_view name, const Globals& globals,
                     const std::vector<::sycl::event>& depends_on = {}, path how = path::automatic) {
    static_assert(std::is_trivially_copyable_v<Globals>,
                  "launch: a kernel's globals are copied bytewise to the device");
    return detail::launch(on, detail::choose(name, on.get_device(), how), &globals, sizeof globals, depends_on);
}

/// The same for one compiled kernel: an xe record runs as native or software module, a cpu record on the host.
template <class Globals>
::sycl::event launch(::sycl::queue& on, const kernel_record& kernel, const Globals& globals,
                     const std::vector<::sycl::event>& depends_on = {}, path how = path::automatic) {
    static_assert(std::is_trivially_copyable_v<Globals>,
                  "launch: a kernel's globals are copied bytewise to the device");
    return detail::launch(on, detail::choose(kernel, on.get_device(), how), &globals, sizeof globals, depends_on);
}

/// Builds what a launch of the kernel would build, and says what it is. Throws as `launch` does.
inline prepared_kernel prepare(::sycl::queue& on, std::string_view name, path how = path::automatic) {
    return detail::prepare(on, detail::choose(name, on.get_device(), how));
}
inline prepared_kernel prepare(::sycl::queue& on, const kernel_record& kernel, path how = path::automatic) {
    return detail::prepare(on, detail::choose(kernel, on.get_device(), how));
}

/// Drops the kernels built in `context`, which are kept, with the context, until then. No launch in it may be under way.
inline void release([[maybe_unused]] const ::sycl::context& context) {
#if KITTENS_SYCL_SPIRV
    detail::kernel_cache::instance().release(context);
#endif
}

}  // namespace kittens::sycl_backend
