// SPDX-License-Identifier: Apache-2.0
// From a policy's name to the kernel that is launched.
#pragma once

#include <kittens/base/types.hpp>
#include <kittens/runtime/device.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace kittens::bench {

struct chosen_kernel {
    std::string policy;   ///< what was meant: "plain" where 2-D blocks are not allowed, a tile for auto
    std::string kernel;   ///< the name that it is registered under
    std::string why;      ///< of auto: measured, or the nearest that was; else empty
    bool plain = false;   ///< which of the kernels' globals it takes: those with access by element
    bool split = false;   ///< K is shared out among threads: two launches (gemm_split.hpp)
};

/// "auto" takes what kernels::gemm_choices::active() says; a tile ("128x256x1024", "128x256x1024_split") is one of the cpu target's, a
/// name of kernels/gemm/xe_policies.hpp one of xe's; anything else is a named policy. `blocks_allowed`: no operand breaks a rule of the 2-D block instructions.
chosen_kernel choose_kernel(const device& where, dtype in, const std::string& policy, std::int64_t m, std::int64_t n, std::int64_t k, bool blocks_allowed);

/// Which GPU's entries of the table a device of target xe takes, by its name: "pvc", "bmg" or "cri"; "pvc" where the name says none of them, as an OpenCL CPU
/// device's does.
std::string inspected_gpu(const device& where);

/// The tiles that the cpu target has kernels of at this device's instruction set, and those policies of the table that xe has; none elsewhere.
std::vector<std::string> compiled_tiles(const device& where, dtype in);

}  // namespace kittens::bench
