// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kittens {

namespace detail {
class backend;
}

struct cache_properties {
    int level = 0;
    std::string type;       ///< "data", "instruction" or "unified"
    std::size_t bytes = 0;  ///< of one cache
    int shared_by = 1;      ///< hardware threads
};

struct device_properties {
    std::string target;   ///< "cpu", "emulated" or "xe"
    std::string backend;  ///< "host" or "opencl"
    std::string isa;      ///< cpu: "avx2", "avx512", "avx512_bf16" or "amx"; otherwise ""
    std::string mode;     ///< xe: "native" (the device has the matrix and 2-D block instructions) or "software"
    std::string name, vendor, driver_version;
    bool is_gpu = false;
    int cores = 0;    ///< host: physical cores; OpenCL: compute units
    int threads = 0;  ///< host: worker threads of the back end
    std::vector<cache_properties> caches;
    std::uint64_t memory_bytes = 0;
    std::uint64_t max_allocation_bytes = 0;
    std::size_t slm_bytes = 0;  ///< shared local memory that one workgroup may use
    int max_subgroups = 0;      ///< in a workgroup; half of it for kernels with 256 registers on xe and emulated
    std::vector<int> subgroup_sizes;
    std::vector<std::string> extensions;
};

/// Something this machine could do but for a missing part.
struct missing_part {
    std::string what;         ///< what is missing, one line
    std::string consequence;  ///< what does not work without it
    std::string command;      ///< what to run to get it; may be empty where nothing can be installed
};

/// A way to execute kernels on this machine. A cheap handle; equal handles mean the same device.
class device {
public:
    /// The cpu target at the best usable instruction set.
    device();
    explicit device(std::shared_ptr<detail::backend> impl) noexcept : impl_(std::move(impl)) {}

    const device_properties& properties() const noexcept;
    const std::string& target() const noexcept { return properties().target; }
    const std::string& name() const noexcept { return properties().name; }
    /// Short unique name for a command line: "cpu:amx", "emulated", "xe:0".
    const std::string& id() const noexcept;

    friend bool operator==(const device& a, const device& b) noexcept { return a.impl_ == b.impl_; }

    detail::backend& impl() const noexcept { return *impl_; }
    const std::shared_ptr<detail::backend>& shared_impl() const noexcept { return impl_; }

private:
    std::shared_ptr<detail::backend> impl_;
};

/// All devices: cpu (best instruction set first), emulated, then OpenCL devices (GPUs first).
/// Detected once per process.
const std::vector<device>& devices();

/// The device of `target` whose id is `name`, else the first whose id or name contains it, letter case ignored. Throws device_error with the
/// choices, or with the command that installs what is missing.
device find_device(std::string_view target, std::string_view name = {});

/// What is missing for the targets that cannot run here.
std::vector<missing_part> missing_parts();

}  // namespace kittens
