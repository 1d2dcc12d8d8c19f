// SPDX-License-Identifier: Apache-2.0
// From an embedded SPIR-V module to a kernel object, through the cache of compiled programs.
#include "host_machine.hpp"
#include "opencl_backend.hpp"

#include <kittens/inspect/compile.hpp>
#include <kittens/inspect/spirv.hpp>
#include <kittens/inspect/spirv_loops.hpp>
#include <kittens/inspect/spirv_select.hpp>
#include <kittens/runtime/error.hpp>
#include <kittens/runtime/registry.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

namespace kittens::detail {

namespace {

constexpr cl_kernel_sub_group_info compile_subgroup_size = 0x410A;  // CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL

std::string_view text_of(std::span<const std::byte> data) {
    return {reinterpret_cast<const char*>(data.data()), data.size()};
}

/// A cached binary is preceded by its own hash: a driver may crash on a damaged one.
constexpr std::size_t hash_digits = 64;

std::vector<std::byte> sealed(const std::vector<std::byte>& binary) {
    const std::string hash = inspect::content_hash({std::string(text_of(binary))});
    std::vector<std::byte> data(hash_digits + binary.size());
    std::memcpy(data.data(), hash.data(), hash_digits);
    std::memcpy(data.data() + hash_digits, binary.data(), binary.size());
    return data;
}

/// Empty where the seal is broken.
std::vector<std::byte> unsealed(const std::vector<std::byte>& data) {
    if (data.size() <= hash_digits) return {};
    std::vector<std::byte> binary(data.begin() + hash_digits, data.end());
    if (text_of(data).substr(0, hash_digits) != inspect::content_hash({std::string(text_of(binary))})) return {};
    return binary;
}

/// The first line of a build log that says something; Intel's compilers put banners before it.
std::string first_error(const std::string& log) {
    for (std::size_t begin = 0; begin < log.size();) {
        std::size_t end = log.find('\n', begin);
        if (end == std::string::npos) end = log.size();
        const std::string line = log.substr(begin, end - begin);
        if (line.find("rror") != std::string::npos || line.find("not found") != std::string::npos ||
            line.find("nsupported") != std::string::npos || line.find("nresolved") != std::string::npos)
            return line;
        begin = end + 1;
    }
    return {};
}

}  // namespace

std::vector<std::string> opencl_backend::cache_key_parts(const std::string& options) const {
    const device_properties& p = properties();
    std::vector<std::string> parts{"opencl", p.name, p.vendor, p.driver_version, options};
    if (!p.is_gpu) {
        // The CPU device compiles for the processor at hand, or for the one it is told, and its name may not tell them apart.
        parts.push_back(fmt::format("{}", fmt::join(cpu_features().features, " ")));
        const char* arch = std::getenv("CL_CONFIG_CPU_TARGET_ARCH");
        parts.emplace_back(arch ? arch : "");
    }
    return parts;
}

std::string opencl_backend::build_log(cl_program program) {
    std::size_t size = 0;
    api_.GetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    if (size) api_.GetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    log.resize(std::strlen(log.c_str()));
    return log;
}

std::vector<std::byte> opencl_backend::binary_of(cl_program program) {
    std::size_t size = 0;
    if (api_.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS) return {};
    std::vector<std::byte> binary(size);
    auto* to = reinterpret_cast<unsigned char*>(binary.data());
    if (!size ||
        api_.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof to, static_cast<void*>(&to), nullptr) != CL_SUCCESS)
        return {};
    return binary;
}

/// nullptr where the driver does not take the binary.
cl_program opencl_backend::build_binary(const std::vector<std::byte>& binary, const std::string& options) {
    const auto* data = reinterpret_cast<const unsigned char*>(binary.data());
    const std::size_t size = binary.size();
    cl_int status = CL_SUCCESS, code = CL_SUCCESS;
    cl_program program = api_.CreateProgramWithBinary(context(), 1, &device_, &size, &data, &status, &code);
    if (!program) return nullptr;
    if (code == CL_SUCCESS && status == CL_SUCCESS &&
        api_.BuildProgram(program, 1, &device_, options.c_str(), nullptr, nullptr) == CL_SUCCESS)
        return program;
    api_.ReleaseProgram(program);
    return nullptr;
}

cl_program opencl_backend::build(const module_record& module, const char* kernel, bool large_registers) {
    const bool native = properties().mode == "native";
    const unsigned char* begin = native ? module.native_begin : module.software_begin;
    const unsigned char* end = native ? module.native_end : module.software_end;
    if (begin == end)
        throw build_error(
            fmt::format("module {} has no {} form, which device {} needs", module.name, properties().mode, id()), "",
            "");

    inspect::spirv_module spirv = [&] {
        try {
            auto parsed = inspect::spirv_module::parse(std::as_bytes(std::span(begin, end)));
            const auto& all = parsed.entry_points();
            if (std::none_of(all.begin(), all.end(), [&](const auto& e) { return e.name == kernel; }))
                throw build_error(fmt::format("module {} has no kernel {}", module.name, kernel), "", "");
            parsed = inspect::select_kernel(parsed, kernel);
            if (!properties().is_gpu && inspect::has_named_barriers(parsed))
                throw launch_error(fmt::format("kernel {} waits at a named barrier, which device {} does not have: it runs the subgroups "
                                               "of a workgroup one after another",
                                               kernel, id()),
                                   "run it on target cpu or emulated, or on an Intel GPU");
            inspect::require_subgroup_size(parsed, 16);
            return native ? parsed : inspect::keep_loops(parsed);
        } catch (const inspect::spirv_error& e) {
            throw build_error(fmt::format("module {}: {}", module.name, e.what()), "", "");
        }
    }();

    std::string options;
    if (large_registers && properties().is_gpu) options = "-cl-intel-256-GRF-per-thread";
    const auto cache = inspect::compile_cache::standard();
    auto parts = cache_key_parts(options);
    parts.emplace_back(text_of(spirv.bytes()));
    const std::string key = inspect::content_hash(parts) + ".cl.bin";
    if (const auto data = cache.get(key))
        if (const auto binary = unsealed(*data); !binary.empty())
            if (cl_program program = build_binary(binary, options)) return program;

    cl_int code = CL_SUCCESS;
    cl_program program = api_.CreateProgramWithIL(context(), spirv.bytes().data(), spirv.bytes().size(), &code);
    if (code == CL_SUCCESS) {
        code = api_.BuildProgram(program, 1, &device_, options.c_str(), nullptr, nullptr);
        if (code == CL_INVALID_BUILD_OPTIONS && !options.empty())  // Level Zero's spelling, which some drivers want
            code = api_.BuildProgram(program, 1, &device_, "-ze-opt-large-register-file", nullptr, nullptr);
    }
    if (code != CL_SUCCESS) {
        const std::string log = program ? build_log(program) : std::string();
        if (program) api_.ReleaseProgram(program);
        const std::string line = first_error(log);
        throw build_error(fmt::format("device {} cannot compile kernel {} of module {}: {}{}{}", id(), kernel,
                                      module.name, opencl_error_name(code), line.empty() ? "" : ": ", line),
                          "the build log has the rest", log);
    }
    if (const auto binary = binary_of(program); !binary.empty()) cache.put(key, sealed(binary));
    return program;
}

cl_program opencl_backend::program_for(const kernel_record& kernel) {
    const module_record* module = find_module(kernel.module);
    if (!module)
        throw build_error(fmt::format("kernel {} wants the SPIR-V module {}, which this program does not hold",
                                      kernel.name, kernel.module),
                          "", "");
    // A program for each kernel: a module may hold dozens, and compiling takes the device's compiler seconds.
    const bool large_registers = kernel.traits.grf > 128;
    std::shared_ptr<program_slot> slot;
    {
        const std::lock_guard guard(lock_);
        auto& entry = programs_[{module->name, kernel.name, large_registers}];
        if (!entry) entry = std::make_shared<program_slot>();
        slot = entry;
    }
    const std::lock_guard guard(slot->lock);
    if (!slot->program) slot->program = build(*module, kernel.name, large_registers);
    return slot->program;
}

cl_kernel opencl_backend::make_kernel(const kernel_record& record) {
    cl_program program = program_for(record);
    cl_int code = CL_SUCCESS;
    cl_kernel kernel = api_.CreateKernel(program, record.name, &code);
    if (code != CL_SUCCESS)
        throw build_error(fmt::format("module {} has no kernel {} on device {}: {}", record.module, record.name, id(),
                                      opencl_error_name(code)),
                          "", build_log(program));
    try {
        std::size_t size = 0;
        code =
            api_.GetKernelSubGroupInfo(kernel, device_, compile_subgroup_size, 0, nullptr, sizeof size, &size, nullptr);
        if (code != CL_SUCCESS || size != 16)
            throw build_error(
                fmt::format("device {} compiled kernel {} for subgroups of {}, not 16", id(), record.name, size), "",
                build_log(program));
        // Pointers stand inside the globals, where the driver does not look for them.
        const cl_bool yes = CL_TRUE;
        for (const cl_kernel_exec_info access :
             {CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
              CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL}) {
            code = api_.SetKernelExecInfo(kernel, access, sizeof yes, &yes);
            if (code != CL_SUCCESS)
                throw device_error(fmt::format("device {} does not give kernels indirect access to unified memory: {}",
                                               id(), opencl_error_name(code)));
        }
    } catch (...) {
        api_.ReleaseKernel(kernel);
        throw;
    }
    return kernel;
}

}  // namespace kittens::detail
