// SPDX-License-Identifier: Apache-2.0
// How a compiled kernel is described to the runtime: what every target registers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kittens {

/// A grid of workgroups, each of `subgroups` subgroups of 16 lanes.
struct launch_shape {
    int groups[3] = {1, 1, 1};
    int subgroups = 1;
    std::size_t slm_bytes = 0;
};

/// What the compiler must be told about a kernel on Intel GPUs.
struct kernel_traits {
    /// General registers per hardware thread: 128, or 256 ("large register file").
    int grf = 128;
};

/// Called once per subgroup (cpu) or once per lane (emulated). `args` points to the kernel's globals,
/// `context` is what the back end hands through to `kittens::subgroup`.
using kernel_entry = void (*)(const void* args, void* context);

/// One compiled kernel: name and target identify it. All pointers have static storage duration.
struct kernel_record {
    const char* name;        ///< as in KITTENS_KERNEL, e.g. "gemm_bf16"
    const char* target;      ///< "cpu", "emulated" or "xe"
    const char* isa;         ///< cpu: "avx2", "avx512", "avx512_bf16" or "amx"; otherwise ""
    kernel_entry entry;      ///< cpu and emulated; nullptr for xe
    launch_shape (*geometry)(const void* args);
    std::size_t args_bytes;
    kernel_traits traits;
    const char* module;      ///< xe: name of the SPIR-V module that holds the kernel; otherwise nullptr
};

/// A SPIR-V module embedded at build time, in both forms (see docs/targets.md).
struct module_record {
    const char* name;
    const unsigned char* native_begin;    ///< uses the Intel matrix and 2-D block extensions
    const unsigned char* native_end;
    const unsigned char* software_begin;  ///< the same source with the software instruction library
    const unsigned char* software_end;
};

/// Called by static initialisers of kernel translation units. Records are copied; what they point to is not.
void register_kernel(const kernel_record& record);
void register_module(const module_record& record);

}  // namespace kittens
