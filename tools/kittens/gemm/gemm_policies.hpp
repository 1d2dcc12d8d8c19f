// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../operation.hpp"

#include <kittens/base/types.hpp>
#include <kittens/runtime/device.hpp>

#include <gemm/policy.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kittens::tool {

/// A policy that the command line can name.
struct gemm_policy_entry {
    const char* name;
    const char* expression;                    ///< the function that makes it, in C++
    kernels::gemm_policy (*make)(dtype type);  ///< as on target xe
};

const std::vector<gemm_policy_entry>& gemm_policies();
/// nullptr where there is none.
const gemm_policy_entry* find_gemm_policy(std::string_view name);

/// The registered kernel of a policy: "gemm_bf16" for the default, else "gemm_bf16_masked".
std::string gemm_kernel_name(dtype type, std::string_view policy);

/// A policy of kernels/gemm/xe_policies.hpp, to be compiled for a GPU. `name` is parsed by parse_xe_choice as valid.
inspect_plan xe_policy_plan(dtype type, const std::string& name);

/// What --policy may be on `where`: auto, the named policies, and the tiles of the cpu target.
std::vector<std::string> gemm_policies_on(const device& where, dtype type);

/// Policies that this program has kernels of for `type`, the default first.
std::vector<std::string> compiled_gemm_policies(dtype type);

}  // namespace kittens::tool
