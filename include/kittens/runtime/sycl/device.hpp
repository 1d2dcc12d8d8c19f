// SPDX-License-Identifier: Apache-2.0
// What a SYCL device and this SYCL implementation can do for us. Included by runtime/sycl.hpp.
#pragma once

#include <kittens/runtime/error.hpp>

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

// Whether this implementation makes kernels from SPIR-V (DPC++ does).
#if defined(SYCL_EXT_ONEAPI_KERNEL_COMPILER_SPIRV) && defined(SYCL_EXT_ONEAPI_RAW_KERNEL_ARG)
#define KITTENS_SYCL_SPIRV 1
#else
#define KITTENS_SYCL_SPIRV 0
#endif

namespace kittens::sycl_backend {

/// How a kernel is executed on a SYCL queue.
enum class path {
    automatic,  ///< native where the device has the instructions, else host on a CPU device, else software
    native,     ///< the xe module with the Intel matrix and 2-D block instructions
    software,   ///< the xe module with the software instruction library: any device that takes SPIR-V
    host,       ///< the kernel of the cpu target, as a host task in the queue: CPU devices
};

constexpr const char* to_string(path p) {
    switch (p) {
    case path::native: return "native";
    case path::software: return "software";
    case path::host: return "host";
    default: return "automatic";
    }
}

namespace detail {

inline std::string name_of(const ::sycl::device& d) { return d.get_info<::sycl::info::device::name>(); }

inline bool has_subgroup_size(const ::sycl::device& d, std::size_t size) {
    const auto sizes = d.get_info<::sycl::info::device::sub_group_sizes>();
    return std::find(sizes.begin(), sizes.end(), size) != sizes.end();
}

}  // namespace detail

/// Whether the device can make kernels from SPIR-V through this SYCL implementation.
inline bool takes_spirv([[maybe_unused]] ::sycl::device d) {
#if KITTENS_SYCL_SPIRV
    return d.ext_oneapi_can_build(::sycl::ext::oneapi::experimental::source_language::spirv);
#else
    return false;
#endif
}

/// Whether the device executes the matrix and 2-D block instructions for subgroups of 16.
inline bool has_native_instructions(const ::sycl::device& d) {
    if (!d.is_gpu()) return false;
#if KITTENS_SYCL_SPIRV
    // SYCL 2020 deprecates the list without anything else that tells of an OpenCL extension.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    const auto names = d.get_info<::sycl::info::device::extensions>();
#pragma GCC diagnostic pop
    const auto lists = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
    if (lists("cl_intel_subgroup_matrix_multiply_accumulate") && lists("cl_intel_subgroup_2d_block_io")) return true;
    // Level Zero devices list no OpenCL extensions. Those with matrix engines and no subgroups below 16 (PVC, Xe2 and
    // later) have both; older ones with matrix engines have subgroups of 8.
    const auto sizes = d.get_info<::sycl::info::device::sub_group_sizes>();
    return d.has(::sycl::aspect::ext_intel_matrix) && !sizes.empty() &&
           *std::min_element(sizes.begin(), sizes.end()) == 16;
#else
    return false;
#endif
}

}  // namespace kittens::sycl_backend
