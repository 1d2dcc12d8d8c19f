// SPDX-License-Identifier: Apache-2.0
// Kernels compiled by the SYCL compiler itself, in the translation unit that launches them. Included by runtime/sycl.hpp
// where KITTENS_TARGET_XE is defined: `icpx -fsycl -DKITTENS_TARGET_XE`.
#pragma once

#include <kittens/base/kernel.hpp>
#include <kittens/runtime/sycl/device.hpp>

#include <type_traits>
#include <vector>

namespace kittens::sycl_backend {

inline namespace KITTENS_NS {
namespace single_source {

struct alignas(64) slm_line {
    char bytes[64];
};
using slm_lines = ::sycl::local_accessor<slm_line, 1>;

/// What each work-item does. Its type is the kernel's name.
template <class Kernel> struct kernel_body {
    typename Kernel::globals globals;
    slm_lines slm;

#if defined(SYCL_EXT_ONEAPI_KERNEL_PROPERTIES)
    void operator()(::sycl::nd_item<3>) const { run(); }
    auto get(::sycl::ext::oneapi::experimental::properties_tag) const {
        namespace ex = ::sycl::ext::oneapi::experimental;
#if defined(KITTENS_XE_SOFTWARE)
        // A CPU device does not know the option that DPC++ makes of the register file's size.
        return ex::properties{ex::sub_group_size<subgroup_size>};
#else
        return ex::properties{ex::sub_group_size<subgroup_size>,
                              ::sycl::ext::intel::experimental::grf_size<kernel_detail::traits_of<Kernel>().grf>};
#endif
    }
#else
    void operator()(::sycl::nd_item<3>) const { run(); }
#endif

    KITTENS_INLINE void run() const {
#if KITTENS_HAS_TILE_OPS
        KITTENS_LOCAL char* memory = nullptr;
        if constexpr (kernel_detail::slm_bytes_of<Kernel>() > 0)
            memory = (KITTENS_LOCAL char*)slm.template get_multi_ptr<::sycl::access::decorated::yes>().get();
        Kernel{}(globals, subgroup{memory});
#endif
    }
};

}  // namespace single_source

/// Runs `Kernel` over the grid that it wants for `globals`, after `depends_on`. The kernel is compiled for the device by
/// the SYCL compiler that compiles this call, with the matrix and 2-D block instructions unless KITTENS_XE_SOFTWARE is
/// defined. Throws launch_error where the device has not what the kernel needs.
template <class Kernel>
::sycl::event parallel_for(::sycl::queue& on, const typename Kernel::globals& globals,
                           const std::vector<::sycl::event>& depends_on = {}) {
    static_assert(std::is_trivially_copyable_v<typename Kernel::globals>,
                  "parallel_for: a kernel's globals are copied bytewise to the device");
#if !defined(SYCL_LANGUAGE_VERSION)
    (void)on, (void)globals, (void)depends_on;
    throw launch_error(
        "parallel_for: this file was not compiled by a SYCL compiler, so there is no kernel for the device",
        "compile it with icpx -fsycl, or use launch");
#else
    const ::sycl::device d = on.get_device();
    // Compiled for another kind of device the kernel would be empty.
    if (!takes_spirv(d) || !detail::has_subgroup_size(d, subgroup_size))
        throw launch_error("parallel_for: " + detail::name_of(d) + " takes no SPIR-V with subgroups of 16",
                           "use launch, or DPC++ and a device of its OpenCL or Level Zero back ends");
#if !defined(KITTENS_XE_SOFTWARE)
    if (!has_native_instructions(d))
        throw launch_error("parallel_for: " + detail::name_of(d) +
                               " has no Intel matrix and 2-D block instructions for subgroups of 16",
                           "compile with KITTENS_XE_SOFTWARE, or use launch");
#endif
    const launch_shape s = Kernel::geometry(globals);
    for (const int g : s.groups)
        if (g < 1)
            throw launch_error("parallel_for: the kernel wants an empty grid", "each dimension must be at least 1");
    const std::size_t lanes = std::size_t(s.subgroups) * subgroup_size,
                      limit = d.get_info<::sycl::info::device::max_work_group_size>();
    if (s.subgroups < 1 || lanes > limit)
        throw launch_error(
            "parallel_for: the kernel wants " + std::to_string(s.subgroups) + " subgroups in a workgroup",
            detail::name_of(d) + " takes 1 to " + std::to_string(limit / subgroup_size));
    const ::sycl::range<3> local(1, 1, lanes);
    const ::sycl::range<3> global(std::size_t(s.groups[2]), std::size_t(s.groups[1]), std::size_t(s.groups[0]) * lanes);
    return on.submit([&](::sycl::handler& h) {
        h.depends_on(depends_on);
        // Empty for a kernel without shared memory.
        single_source::slm_lines slm(::sycl::range<1>((kernel_detail::slm_bytes_of<Kernel>() + 63) / 64), h);
        h.parallel_for(::sycl::nd_range<3>(global, local), single_source::kernel_body<Kernel>{globals, slm});
    });
#endif
}

}  // namespace KITTENS_NS
}  // namespace kittens::sycl_backend
