// SPDX-License-Identifier: Apache-2.0
#include "opencl_backend.hpp"

#include "host_machine.hpp"

#include <kittens/runtime/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace kittens::detail {

opencl_backend::opencl_backend(const opencl_api& api, const usm_api& usm, cl_platform_id platform, cl_device_id device,
                               std::string id, device_properties properties)
    : backend(std::move(id), std::move(properties)),
      api_(api),
      usm_(usm),
      platform_(platform),
      device_(device) {}

opencl_backend::~opencl_backend() {
    for (auto& [key, slot] : programs_)
        if (slot->program) api_.ReleaseProgram(slot->program);
    if (context_) api_.ReleaseContext(context_);
}

cl_context opencl_backend::context() {
    std::call_once(context_made_, [this] {
        cl_int code = CL_SUCCESS;
        const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                    reinterpret_cast<cl_context_properties>(platform_), 0};
        context_ = api_.CreateContext(properties, 1, &device_, nullptr, nullptr, &code);
        if (code != CL_SUCCESS)
            throw device_error(fmt::format("device {} gives no OpenCL context: {}", id(), opencl_error_name(code)));
    });
    return context_;
}

void* opencl_backend::allocate(std::uint64_t bytes, memory_kind kind) {
    constexpr cl_uint alignment = 64;
    constexpr cl_mem_flags any_size = cl_mem_flags{1} << 23;  // CL_MEM_ALLOW_UNRESTRICTED_SIZE_INTEL
    const std::size_t size = std::max<std::uint64_t>(bytes, 1);
    const bool beyond = properties().is_gpu && bytes > properties().max_allocation_bytes;
    const cl_mem_properties_intel large[] = {CL_MEM_FLAGS, any_size, 0};
    const cl_mem_properties_intel* options = beyond ? large : nullptr;
    cl_int code = CL_SUCCESS;
    void* p = nullptr;
    switch (kind) {
    case memory_kind::shared: p = usm_.shared_alloc(context(), device_, options, size, alignment, &code); break;
    case memory_kind::host: p = usm_.host_alloc(context(), options, size, alignment, &code); break;
    case memory_kind::device: p = usm_.device_alloc(context(), device_, options, size, alignment, &code); break;
    }
    if (!p || code != CL_SUCCESS)
        throw memory_error(
            fmt::format("device {} cannot allocate {}: {}", id(), size_text(bytes), opencl_error_name(code)),
            "use a smaller problem");
    const std::lock_guard guard(lock_);
    allocations_[p] = bytes;
    allocated_ += bytes;
    return p;
}

void opencl_backend::deallocate(void* pointer) noexcept {
    {
        const std::lock_guard guard(lock_);
        if (const auto found = allocations_.find(pointer); found != allocations_.end()) {
            allocated_ -= found->second;
            allocations_.erase(found);
        }
    }
    usm_.blocking_free(context_, pointer);
}

std::uint64_t opencl_backend::available_memory() const {
    if (!properties().is_gpu) return available_host_memory();
    // OpenCL does not tell what others have taken.
    const std::lock_guard guard(lock_);
    return properties().memory_bytes - std::min(allocated_, properties().memory_bytes);
}

std::shared_ptr<queue_state> opencl_backend::make_queue(const device& self) {
    return make_opencl_queue(self, shared_from_this());
}

}  // namespace kittens::detail
