// SPDX-License-Identifier: Apache-2.0
// Which OpenCL devices there are, which of them kernels can run on, and what stands in the way.
#include "opencl_backend.hpp"

#include <fmt/format.h>

#include <dlfcn.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace kittens::detail {

namespace {

constexpr cl_device_info device_subgroup_sizes = 0x4108;  // CL_DEVICE_SUB_GROUP_SIZES_INTEL
constexpr const char* no_xe = "kernels of target xe do not run here (they still compile, and run on emulated)";
constexpr const char* set_up = "./scripts/setup.sh";

std::string text_info(const opencl_api& cl, cl_device_id d, cl_device_info what) {
    std::size_t size = 0;
    if (cl.GetDeviceInfo(d, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
    std::string text(size, '\0');
    if (cl.GetDeviceInfo(d, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
    text.resize(text.find('\0'));
    return text;
}

template <class T> T info(const opencl_api& cl, cl_device_id d, cl_device_info what) {
    T value{};
    cl.GetDeviceInfo(d, what, sizeof value, &value, nullptr);
    return value;
}

device_properties read_properties(const opencl_api& cl, cl_device_id d) {
    device_properties p;
    p.target = "xe";
    p.backend = "opencl";
    p.name = text_info(cl, d, CL_DEVICE_NAME);
    p.name.erase(0, std::min(p.name.find_first_not_of(' '), p.name.size()));
    p.vendor = text_info(cl, d, CL_DEVICE_VENDOR);
    p.driver_version = text_info(cl, d, CL_DRIVER_VERSION);
    p.is_gpu = info<cl_device_type>(cl, d, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU;
    p.cores = static_cast<int>(info<cl_uint>(cl, d, CL_DEVICE_MAX_COMPUTE_UNITS));
    p.memory_bytes = info<cl_ulong>(cl, d, CL_DEVICE_GLOBAL_MEM_SIZE);
    p.max_allocation_bytes = info<cl_ulong>(cl, d, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    p.slm_bytes = std::min<std::size_t>(info<cl_ulong>(cl, d, CL_DEVICE_LOCAL_MEM_SIZE), gpu_slm_bytes);
    p.max_subgroups = static_cast<int>(
        std::min<std::size_t>(info<std::size_t>(cl, d, CL_DEVICE_MAX_WORK_GROUP_SIZE) / 16, gpu_max_subgroups));
    if (const auto bytes = info<cl_ulong>(cl, d, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE))
        p.caches.push_back({0, "global memory", bytes, p.cores});

    std::istringstream extensions(text_info(cl, d, CL_DEVICE_EXTENSIONS));
    for (std::string name; extensions >> name;) p.extensions.push_back(name);
    std::sort(p.extensions.begin(), p.extensions.end());

    std::size_t bytes = 0;
    if (cl.GetDeviceInfo(d, device_subgroup_sizes, 0, nullptr, &bytes) == CL_SUCCESS) {
        std::vector<std::size_t> sizes(bytes / sizeof(std::size_t));
        cl.GetDeviceInfo(d, device_subgroup_sizes, bytes, sizes.data(), nullptr);
        p.subgroup_sizes.assign(sizes.begin(), sizes.end());
    }
    return p;
}

bool has(const device_properties& p, const char* extension) {
    return std::find(p.extensions.begin(), p.extensions.end(), extension) != p.extensions.end();
}

/// What the device lacks that no kernel can do without, or nullptr.
const char* why_unusable(const opencl_api& cl, cl_device_id d, const device_properties& p) {
    if (text_info(cl, d, CL_DEVICE_IL_VERSION).find("SPIR-V") == std::string::npos) return "takes no SPIR-V";
    if (!has(p, "cl_intel_unified_shared_memory"))
        return "has no unified shared memory (cl_intel_unified_shared_memory)";
    if (std::find(p.subgroup_sizes.begin(), p.subgroup_sizes.end(), 16) == p.subgroup_sizes.end())
        return "has no subgroups of 16";
    return nullptr;
}

template <class Function> bool find(const opencl_api& cl, cl_platform_id platform, const char* name, Function& to) {
    to = reinterpret_cast<Function>(cl.GetExtensionFunctionAddressForPlatform(platform, name));
    return to != nullptr;
}

bool find_usm(const opencl_api& cl, cl_platform_id platform, usm_api& usm) {
    return find(cl, platform, "clHostMemAllocINTEL", usm.host_alloc) &&
           find(cl, platform, "clDeviceMemAllocINTEL", usm.device_alloc) &&
           find(cl, platform, "clSharedMemAllocINTEL", usm.shared_alloc) &&
           find(cl, platform, "clMemBlockingFreeINTEL", usm.blocking_free) &&
           find(cl, platform, "clEnqueueMemcpyINTEL", usm.enqueue_copy) &&
           find(cl, platform, "clEnqueueMemFillINTEL", usm.enqueue_fill);
}

/// Why the driver that OCL_ICD_VENDORS names does not load, which the loader keeps to itself. A common cause is a
/// program linked with an older oneTBB than Intel's CPU device needs.
std::string driver_complaint() {
    namespace fs = std::filesystem;
    const char* vendors = std::getenv("OCL_ICD_VENDORS");
    if (!vendors) return {};
    std::vector<fs::path> libraries;
    std::error_code ignored;
    if (fs::is_directory(vendors, ignored)) {
        for (const auto& entry : fs::directory_iterator(vendors, ignored)) {
            if (entry.path().extension() != ".icd") continue;
            std::FILE* file = std::fopen(entry.path().c_str(), "r");
            char line[4096] = {};
            if (file && std::fgets(line, sizeof line, file))
                libraries.emplace_back(std::string(line).substr(0, std::string(line).find('\n')));
            if (file) std::fclose(file);
        }
    } else {
        libraries.emplace_back(vendors);
    }
    for (const auto& library : libraries)
        if (!dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) return dlerror();
    return {};
}

}  // namespace

std::vector<device> opencl_devices(std::vector<missing_part>& missing) {
    std::string why;
    const opencl_api* cl = load_opencl(why);
    if (!cl) {
        missing.push_back({why, no_xe, set_up});
        return {};
    }
    cl_uint count = 0;
    std::vector<cl_platform_id> platforms;
    if (cl->GetPlatformIDs(0, nullptr, &count) == CL_SUCCESS && count) {
        platforms.resize(count);
        cl->GetPlatformIDs(count, platforms.data(), nullptr);
    }
    if (platforms.empty()) {
        std::string complaint = driver_complaint();
        if (complaint.find("tbb") != std::string::npos)
            complaint +=
                " (this process has loaded an older oneTBB than the driver needs: do not link the distribution's)";
        missing.push_back({complaint.empty() ? "no OpenCL driver is installed"
                                             : fmt::format("the OpenCL driver does not load: {}", complaint),
                           no_xe, complaint.empty() ? set_up : ""});
        return {};
    }

    struct candidate {
        cl_platform_id platform;
        cl_device_id handle;
        usm_api usm;
        device_properties properties;
    };
    std::vector<candidate> usable;
    for (cl_platform_id platform : platforms) {
        cl_uint n = 0;
        if (cl->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &n) != CL_SUCCESS || !n) continue;
        std::vector<cl_device_id> handles(n);
        cl->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, handles.data(), nullptr);
        for (cl_device_id handle : handles) {
            candidate c{platform, handle, {}, read_properties(*cl, handle)};
            const char* lacks = why_unusable(*cl, handle, c.properties);
            if (!lacks && !find_usm(*cl, platform, c.usm)) lacks = "has no unified shared memory functions";
            if (lacks) {
                missing.push_back({fmt::format("the OpenCL device {} {}", c.properties.name, lacks),
                                   "kernels of target xe do not run on it", ""});
                continue;
            }
            const bool native = has(c.properties, "cl_intel_subgroup_2d_block_io") &&
                                has(c.properties, "cl_intel_subgroup_matrix_multiply_accumulate");
            c.properties.mode = native ? "native" : "software";
            usable.push_back(std::move(c));
        }
    }
    std::vector<device> found;
    for (const bool gpus : {true, false})
        for (const candidate& c : usable)
            if (c.properties.is_gpu == gpus)
                found.emplace_back(std::make_shared<opencl_backend>(*cl, c.usm, c.platform, c.handle,
                                                                    fmt::format("xe:{}", found.size()), c.properties));
    if (found.empty()) missing.push_back({"no OpenCL device can run kernels of target xe", no_xe, set_up});
    if (std::none_of(found.begin(), found.end(), [](const device& d) { return d.properties().mode == "native"; }))
        missing.push_back({"no Intel GPU with matrix and 2-D block instructions is visible to OpenCL",
                           "target xe runs in software at best, which says nothing about speed", ""});
    return found;
}

}  // namespace kittens::detail
