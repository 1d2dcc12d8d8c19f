// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kittens::inspect {

/// One argument as the launch hands it over, at a byte offset of the argument block.
struct zebin_argument {
    unsigned offset = 0;
    unsigned size = 0;
    int index = -1;              ///< of the kernel's parameter list; -1 for what the compiler adds
    unsigned source_offset = 0;  ///< within a by-value struct parameter
    std::string kind;            ///< "arg_bypointer", "arg_byvalue", "local_id", ...
};

/// A kernel of a zebin image: what its `.ze_info` says, and its code.
struct zebin_kernel {
    std::string name;
    unsigned simd = 0;
    unsigned grf = 0;            ///< registers per thread
    unsigned spill_bytes = 0;    ///< per thread
    unsigned private_bytes = 0;  ///< per thread
    unsigned scratch_bytes = 0;  ///< per thread, spill and private space together, as allocated
    unsigned slm_bytes = 0;      ///< per workgroup, static
    unsigned barriers = 0;
    unsigned threads_per_eu = 0;
    unsigned inline_bytes = 0;  ///< of the argument block, delivered in registers
    bool has_dpas = false;
    std::vector<zebin_argument> arguments;
    std::vector<std::byte> code;
};

/// Reads Intel's zebin ELF image. Throws inspect_error when it is none or is damaged.
std::vector<zebin_kernel> parse_zebin(std::span<const std::byte> image);

/// The kernels of a `.ze_info` text, without code.
std::vector<zebin_kernel> parse_ze_info(std::string_view yaml);

}  // namespace kittens::inspect
