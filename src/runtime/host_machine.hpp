// SPDX-License-Identifier: Apache-2.0
// What this machine is: processor features, caches, memory.
#pragma once

#include <kittens/runtime/device.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kittens::detail {

struct cpu_feature_set {
    std::string vendor, name;
    /// Present in the processor and enabled by the operating system; Linux's names.
    std::vector<std::string> features;
    bool has(std::string_view feature) const;
};

const cpu_feature_set& cpu_features();

/// Asks the kernel, once per process, for the right to use AMX tile data. False where it refuses.
bool request_amx();

int physical_cores();
std::vector<cache_properties> cpu_caches();
std::uint64_t total_host_memory();
/// Memory that could be used now without swapping, within the limits of the control group.
std::uint64_t available_host_memory();
/// "Linux 6.1.0", for the driver version of host devices.
std::string operating_system();

}  // namespace kittens::detail
