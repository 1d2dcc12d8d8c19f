// SPDX-License-Identifier: Apache-2.0
#include "opencl_api.hpp"

#include <fmt/format.h>

#include <dlfcn.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace kittens::detail {

namespace {

namespace fs = std::filesystem;

fs::path toolchain_directory() {
    if (const char* set = std::getenv("KITTENS_TOOLCHAIN"); set && *set) return set;
#ifdef KITTENS_TOOLCHAIN_DIR
    return KITTENS_TOOLCHAIN_DIR;
#else
    return {};
#endif
}

/// Makes the loader see the project's own CPU device, unless the user has said what it should see.
void offer_project_driver() {
    const fs::path toolchain = toolchain_directory();
    if (toolchain.empty() || std::getenv("OCL_ICD_VENDORS")) return;
    std::error_code ignored;
    // Set-up makes a folder of drivers that also links to the system's, so that a GPU stays visible.
    if (const fs::path vendors = toolchain / "opencl" / "vendors"; fs::is_directory(vendors, ignored)) {
        setenv("OCL_ICD_VENDORS", vendors.c_str(), 0);
        return;
    }
    if (const fs::path system = "/etc/OpenCL/vendors";
        fs::is_directory(system, ignored) && !fs::is_empty(system, ignored))
        return;
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(toolchain / "venv" / "lib", ignored))
        if (entry.path().filename().string().starts_with("libintelocl.so.")) found.push_back(entry.path());
    if (!found.empty()) setenv("OCL_ICD_VENDORS", std::max_element(found.begin(), found.end())->c_str(), 0);
}

template <class Function> bool find(void* library, const char* name, Function& to) {
    to = reinterpret_cast<Function>(dlsym(library, name));
    return to != nullptr;
}

}  // namespace

const opencl_api* load_opencl(std::string& why) {
    static std::string reason;
    static const opencl_api* const loaded = []() -> const opencl_api* {
        offer_project_driver();
        void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            const std::string complaint = dlerror();
            reason = complaint.find("No such file") != std::string::npos
                         ? "the OpenCL loader libOpenCL.so.1 is not installed"
                         : fmt::format("the OpenCL loader does not load: {}", complaint);
            return nullptr;
        }
        static opencl_api api;
        const char* missing = nullptr;
#define KITTENS_OPENCL_FIND(NAME) \
    if (!find(library, "cl" #NAME, api.NAME)) missing = "cl" #NAME;
        KITTENS_OPENCL_FIND(GetPlatformIDs)
        KITTENS_OPENCL_FIND(GetPlatformInfo)
        KITTENS_OPENCL_FIND(GetDeviceIDs)
        KITTENS_OPENCL_FIND(GetDeviceInfo)
        KITTENS_OPENCL_FIND(GetExtensionFunctionAddressForPlatform)
        KITTENS_OPENCL_FIND(CreateContext)
        KITTENS_OPENCL_FIND(ReleaseContext)
        KITTENS_OPENCL_FIND(CreateCommandQueueWithProperties)
        KITTENS_OPENCL_FIND(ReleaseCommandQueue)
        KITTENS_OPENCL_FIND(CreateProgramWithIL)
        KITTENS_OPENCL_FIND(CreateProgramWithBinary)
        KITTENS_OPENCL_FIND(BuildProgram)
        KITTENS_OPENCL_FIND(GetProgramInfo)
        KITTENS_OPENCL_FIND(GetProgramBuildInfo)
        KITTENS_OPENCL_FIND(ReleaseProgram)
        KITTENS_OPENCL_FIND(CreateKernel)
        KITTENS_OPENCL_FIND(ReleaseKernel)
        KITTENS_OPENCL_FIND(SetKernelArg)
        KITTENS_OPENCL_FIND(SetKernelExecInfo)
        KITTENS_OPENCL_FIND(GetKernelWorkGroupInfo)
        KITTENS_OPENCL_FIND(GetKernelSubGroupInfo)
        KITTENS_OPENCL_FIND(EnqueueNDRangeKernel)
        KITTENS_OPENCL_FIND(EnqueueMarkerWithWaitList)
        KITTENS_OPENCL_FIND(Flush)
        KITTENS_OPENCL_FIND(Finish)
        KITTENS_OPENCL_FIND(WaitForEvents)
        KITTENS_OPENCL_FIND(GetEventInfo)
        KITTENS_OPENCL_FIND(GetEventProfilingInfo)
        KITTENS_OPENCL_FIND(ReleaseEvent)
#undef KITTENS_OPENCL_FIND
        if (missing) {
            reason = fmt::format("the OpenCL loader is too old: it has no {}", missing);
            return nullptr;
        }
        return &api;
    }();
    why = reason;
    return loaded;
}

std::string opencl_error_name(cl_int code) {
    switch (code) {
#define KITTENS_OPENCL_NAME(NAME) \
    case NAME: return #NAME;
        KITTENS_OPENCL_NAME(CL_DEVICE_NOT_FOUND)
        KITTENS_OPENCL_NAME(CL_DEVICE_NOT_AVAILABLE)
        KITTENS_OPENCL_NAME(CL_COMPILER_NOT_AVAILABLE)
        KITTENS_OPENCL_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE)
        KITTENS_OPENCL_NAME(CL_OUT_OF_RESOURCES)
        KITTENS_OPENCL_NAME(CL_OUT_OF_HOST_MEMORY)
        KITTENS_OPENCL_NAME(CL_BUILD_PROGRAM_FAILURE)
        KITTENS_OPENCL_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        KITTENS_OPENCL_NAME(CL_INVALID_VALUE)
        KITTENS_OPENCL_NAME(CL_INVALID_DEVICE)
        KITTENS_OPENCL_NAME(CL_INVALID_CONTEXT)
        KITTENS_OPENCL_NAME(CL_INVALID_QUEUE_PROPERTIES)
        KITTENS_OPENCL_NAME(CL_INVALID_COMMAND_QUEUE)
        KITTENS_OPENCL_NAME(CL_INVALID_BINARY)
        KITTENS_OPENCL_NAME(CL_INVALID_BUILD_OPTIONS)
        KITTENS_OPENCL_NAME(CL_INVALID_PROGRAM)
        KITTENS_OPENCL_NAME(CL_INVALID_PROGRAM_EXECUTABLE)
        KITTENS_OPENCL_NAME(CL_INVALID_KERNEL_NAME)
        KITTENS_OPENCL_NAME(CL_INVALID_KERNEL)
        KITTENS_OPENCL_NAME(CL_INVALID_ARG_INDEX)
        KITTENS_OPENCL_NAME(CL_INVALID_ARG_VALUE)
        KITTENS_OPENCL_NAME(CL_INVALID_ARG_SIZE)
        KITTENS_OPENCL_NAME(CL_INVALID_KERNEL_ARGS)
        KITTENS_OPENCL_NAME(CL_INVALID_WORK_GROUP_SIZE)
        KITTENS_OPENCL_NAME(CL_INVALID_WORK_ITEM_SIZE)
        KITTENS_OPENCL_NAME(CL_INVALID_GLOBAL_WORK_SIZE)
        KITTENS_OPENCL_NAME(CL_INVALID_BUFFER_SIZE)
        KITTENS_OPENCL_NAME(CL_INVALID_OPERATION)
#undef KITTENS_OPENCL_NAME
    default: return fmt::format("OpenCL error {}", code);
    }
}

}  // namespace kittens::detail
