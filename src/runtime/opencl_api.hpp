// SPDX-License-Identifier: Apache-2.0
// OpenCL 3.0 through the loader, found when the program runs: without it everything else still works.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <string>

namespace kittens::detail {

/// The functions that the back end calls; the names without their prefix.
struct opencl_api {
    decltype(&clGetPlatformIDs) GetPlatformIDs;
    decltype(&clGetPlatformInfo) GetPlatformInfo;
    decltype(&clGetDeviceIDs) GetDeviceIDs;
    decltype(&clGetDeviceInfo) GetDeviceInfo;
    decltype(&clGetExtensionFunctionAddressForPlatform) GetExtensionFunctionAddressForPlatform;
    decltype(&clCreateContext) CreateContext;
    decltype(&clReleaseContext) ReleaseContext;
    decltype(&clCreateCommandQueueWithProperties) CreateCommandQueueWithProperties;
    decltype(&clReleaseCommandQueue) ReleaseCommandQueue;
    decltype(&clCreateProgramWithIL) CreateProgramWithIL;
    decltype(&clCreateProgramWithBinary) CreateProgramWithBinary;
    decltype(&clBuildProgram) BuildProgram;
    decltype(&clGetProgramInfo) GetProgramInfo;
    decltype(&clGetProgramBuildInfo) GetProgramBuildInfo;
    decltype(&clReleaseProgram) ReleaseProgram;
    decltype(&clCreateKernel) CreateKernel;
    decltype(&clReleaseKernel) ReleaseKernel;
    decltype(&clSetKernelArg) SetKernelArg;
    decltype(&clSetKernelExecInfo) SetKernelExecInfo;
    decltype(&clGetKernelWorkGroupInfo) GetKernelWorkGroupInfo;
    decltype(&clGetKernelSubGroupInfo) GetKernelSubGroupInfo;
    decltype(&clEnqueueNDRangeKernel) EnqueueNDRangeKernel;
    decltype(&clEnqueueMarkerWithWaitList) EnqueueMarkerWithWaitList;
    decltype(&clFlush) Flush;
    decltype(&clFinish) Finish;
    decltype(&clWaitForEvents) WaitForEvents;
    decltype(&clGetEventInfo) GetEventInfo;
    decltype(&clGetEventProfilingInfo) GetEventProfilingInfo;
    decltype(&clReleaseEvent) ReleaseEvent;
};

/// The loader's functions, or nullptr with the reason in `why`. Loaded once.
const opencl_api* load_opencl(std::string& why);

/// "CL_OUT_OF_RESOURCES", or the number.
std::string opencl_error_name(cl_int code);

}  // namespace kittens::detail
