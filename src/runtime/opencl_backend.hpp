// SPDX-License-Identifier: Apache-2.0
// Target xe on OpenCL devices: Intel GPUs with their own instructions, other devices with the software library.
#pragma once

#include "backend.hpp"
#include "opencl_api.hpp"

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace kittens::detail {

/// cl_intel_unified_shared_memory.
struct usm_api {
    clHostMemAllocINTEL_fn host_alloc = nullptr;
    clDeviceMemAllocINTEL_fn device_alloc = nullptr;
    clSharedMemAllocINTEL_fn shared_alloc = nullptr;
    clMemBlockingFreeINTEL_fn blocking_free = nullptr;
    clEnqueueMemcpyINTEL_fn enqueue_copy = nullptr;
    clEnqueueMemFillINTEL_fn enqueue_fill = nullptr;
};

class opencl_backend final : public backend, public std::enable_shared_from_this<opencl_backend> {
public:
    opencl_backend(const opencl_api& api, const usm_api& usm, cl_platform_id platform, cl_device_id device,
                   std::string id, device_properties properties);
    ~opencl_backend() override;

    void* allocate(std::uint64_t bytes, memory_kind kind) override;
    void deallocate(void* pointer) noexcept override;
    std::uint64_t available_memory() const override;
    std::shared_ptr<queue_state> make_queue(const device& self) override;

    const opencl_api& api() const { return api_; }
    const usm_api& usm() const { return usm_; }
    cl_device_id handle() const { return device_; }
    /// One for all queues, so that they share memory. Made on first use.
    cl_context context();

    /// A kernel object of the caller's own, ready for arguments. Throws build_error, launch_error.
    cl_kernel make_kernel(const kernel_record& kernel);

private:
    struct program_slot {
        std::mutex lock;
        cl_program program = nullptr;
    };

    cl_program program_for(const kernel_record& kernel);
    cl_program build(const module_record& module, const char* kernel, bool large_registers);
    cl_program build_binary(const std::vector<std::byte>& binary, const std::string& options);
    std::vector<std::byte> binary_of(cl_program program);
    std::string build_log(cl_program program);
    /// Everything but the module that decides what the device's compiler makes of it.
    std::vector<std::string> cache_key_parts(const std::string& options) const;

    const opencl_api& api_;
    const usm_api usm_;
    const cl_platform_id platform_;
    const cl_device_id device_;
    std::once_flag context_made_;
    cl_context context_ = nullptr;
    mutable std::mutex lock_;
    std::map<std::tuple<std::string, std::string, bool>, std::shared_ptr<program_slot>> programs_;  ///< by module, kernel, registers
    std::map<void*, std::uint64_t> allocations_;
    std::uint64_t allocated_ = 0;
};

std::shared_ptr<queue_state> make_opencl_queue(const device& self, std::shared_ptr<opencl_backend> backend);

}  // namespace kittens::detail
