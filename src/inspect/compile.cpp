// SPDX-License-Identifier: Apache-2.0
#include "kittens/inspect/compile.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "files.hpp"
#include "kittens/inspect/process.hpp"

namespace kittens::inspect {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

/// The first line that reports an error; else the first line that says anything.
std::string error_line(const std::string& text) {
    std::string first;
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto end = rest.find('\n');
        const auto line = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        if (line.find("error:") != std::string_view::npos || line.find("Error:") != std::string_view::npos)
            return std::string(line);
        if (first.empty() && line.find_first_not_of(" \t\r") != std::string_view::npos) first = line;
    }
    return first;
}

/// Lines of ocloc that are there on every run.
std::string without_chatter(const std::string& text) {
    std::string result;
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto end = rest.find('\n');
        const auto line = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        if (line.empty() || line.starts_with("Compilation from IR") || line.starts_with("Build succeeded")) continue;
        result += line;
        result += '\n';
    }
    return result;
}

process_result start(const std::vector<std::string>& command, const fs::path& directory) {
    try {
        return run_process(command, {.working_directory = directory, .environment = {}});
    } catch (const std::system_error& error) {
        throw inspect_error("cannot start " + command[0] + ": " + error.code().message());
    }
}

std::vector<std::string> clang_command(const tool_info& clang, const source_input& source) {
    std::vector<std::string> command{clang.path.string()};
    command.insert(command.end(), spirv_flags().begin(), spirv_flags().end());
    for (const auto& dir : source.include_dirs) command.push_back("-I" + fs::absolute(dir).string());
    for (const auto& [name, value] : source.defines)
        command.push_back("-D" + name + (value.empty() ? "" : "=" + value));
    command.insert(command.end(), source.flags.begin(), source.flags.end());
    return command;
}

std::vector<std::string> joined(std::vector<std::string> a, std::initializer_list<std::string> b) {
    a.insert(a.end(), b);
    return a;
}

std::vector<std::string> grf_options(gpu device, unsigned grf) {
    switch (grf) {
    case 0: return {};
    case 128: return {"-ze-exp-register-file-size=128"};
    case 256: return {"-ze-opt-large-register-file"};
    case 512:
        if (device == gpu::cri) return {"-ze-exp-register-file-size=512"};
        [[fallthrough]];  // the compiler crashes instead of refusing
    default:
        throw inspect_error(std::string(gpu_name(device)) + " has no mode with " + std::to_string(grf) +
                            " registers per thread: use 128, 256" + (device == gpu::cri ? ", 512" : "") +
                            ", or 0 for the compiler's choice");
    }
}

}  // namespace

const char* gpu_name(gpu device) {
    static constexpr std::array names{"pvc", "bmg", "cri"};
    return names[static_cast<std::size_t>(device)];
}

gpu parse_gpu(const std::string& name) {
    for (const gpu device : {gpu::pvc, gpu::bmg, gpu::cri})
        if (name == gpu_name(device)) return device;
    throw inspect_error("unknown device '" + name + "': use pvc, bmg or cri");
}

const char* iga_platform(gpu device) {
    static constexpr std::array names{"12p72", "2", "xe3pxpc"};
    return names[static_cast<std::size_t>(device)];
}

compile_cache::compile_cache(fs::path directory) : directory_(std::move(directory)) {}

compile_cache compile_cache::standard() {
    if (const auto set = environment("KITTENS_CACHE_DIR"); !set.empty()) return compile_cache(set);
    if (const auto set = environment("XDG_CACHE_HOME"); !set.empty()) return compile_cache(fs::path(set) / "kittens");
    if (const auto set = environment("HOME"); !set.empty()) return compile_cache(fs::path(set) / ".cache" / "kittens");
    return {};
}

std::optional<std::vector<std::byte>> compile_cache::get(const std::string& key) const {
    if (directory_.empty()) return {};
    return read_file(directory_ / key);
}

void compile_cache::put(const std::string& key, std::span<const std::byte> data) const {
    if (directory_.empty()) return;
    static std::atomic<unsigned> counter{0};
    std::error_code error;
    fs::create_directories(directory_, error);
    const fs::path aside =
        directory_ / (key + "." + std::to_string(::getpid()) + "." + std::to_string(counter.fetch_add(1)));
    if (write_file(aside, as_text(data))) fs::rename(aside, directory_ / key, error);
    fs::remove(aside, error);
}

const std::vector<std::string>& spirv_extensions() {
    static const std::vector<std::string> names{"SPV_INTEL_2d_block_io",
                                                "SPV_INTEL_subgroup_matrix_multiply_accumulate",
                                                "SPV_INTEL_bfloat16_conversion",
                                                "SPV_INTEL_split_barrier",
                                                "SPV_INTEL_subgroups",
                                                "SPV_EXT_shader_atomic_float_add",
                                                "SPV_EXT_shader_atomic_float_min_max"};
    return names;
}

const std::vector<std::string>& spirv_flags() {
    static const std::vector<std::string> flags = [] {
        std::string extensions = "--spirv-ext=";
        for (const auto& name : spirv_extensions()) extensions += (extensions.back() == '=' ? "+" : ",+") + name;
        return std::vector<std::string>{"-std=c++20",
                                        "-O2",
                                        "--target=spirv64-unknown-unknown",
                                        "-fno-exceptions",
                                        "-fno-rtti",
                                        "-ffast-math",
                                        "-fno-finite-math-only",
                                        "-fconvergent-functions",
                                        "-fno-threadsafe-statics",
                                        "-DKITTENS_TARGET_XE",
                                        "-mllvm",
                                        extensions};
    }();
    return flags;
}

spirv_module compile_spirv(const toolchain& tools, const source_input& source, const compile_cache& cache) {
    const auto& clang = tools.require(tool::clang);
    const temporary_directory work;
    std::string file = "kernel.cpp";
    if (source.file.empty()) {
        if (!write_file(work / "kernel.cpp", source.text))
            throw inspect_error("cannot write to " + work.path().string());
    } else {
        file = fs::absolute(source.file).string();
        if (!fs::exists(file)) throw inspect_error("no such kernel source: " + source.file.string());
    }
    const auto command = clang_command(clang, source);
    const auto run = [&](std::initializer_list<std::string> rest) {
        auto result = start(joined(command, rest), work.path());
        if (!result.ok()) {
            const auto line = error_line(result.err);
            throw inspect_error("clang cannot compile the kernel: " + (line.empty() ? result.describe() : line),
                                result.err);
        }
        return result;
    };

    // What the preprocessor makes of the source holds all that included files contribute.
    std::string key;
    if (!cache.directory().empty()) {
        std::vector<std::string> parts = joined(command, {clang.version, run({"-E", "-P", "-x", "c++", file}).out});
        key = content_hash(parts) + ".spv";
    }
    std::optional<std::vector<std::byte>> binary;
    if (!key.empty()) binary = cache.get(key);
    if (!binary) {
        run({"-x", "c++", "-c", file, "-o", "kernel.spv"});
        binary = read_file(work / "kernel.spv");
        if (!binary) throw inspect_error("clang wrote no SPIR-V");
        if (!key.empty()) cache.put(key, *binary);
    }
    auto module = spirv_module::parse(*binary);
    if (module.entry_points().empty())
        throw inspect_error("the source has no kernel: mark a function __attribute__((device_kernel))");
    if (source.subgroup_size) require_subgroup_size(module, *source.subgroup_size);
    return module;
}

native_binary compile_native(const toolchain& tools, const spirv_module& module, gpu device,
                             const native_options& options, const compile_cache& cache) {
    const auto& ocloc = tools.require(tool::ocloc);
    std::string build;
    for (const auto& option : grf_options(device, options.grf)) build += (build.empty() ? "" : " ") + option;
    for (const auto& option : options.options) build += (build.empty() ? "" : " ") + option;

    native_binary result{.device = device, .image = {}, .log = {}};
    const auto key = content_hash(
        {"native", ocloc.version, tools.igc_version(), gpu_name(device), build, std::string(as_text(module.bytes()))});
    if (auto image = cache.get(key + ".bin")) {
        if (const auto log = cache.get(key + ".log")) {
            result.image = std::move(*image);
            result.log = as_text(*log);
            return result;
        }
    }
    const temporary_directory work;
    module.write(work / "kernel.spv");
    std::vector<std::string> command{
        ocloc.path.string(), "compile",        "-spirv_input", "-file",  "kernel.spv",
        "-device",           gpu_name(device), "-output",      "kernel", "-output_no_suffix"};
    if (!build.empty()) command.insert(command.end(), {"-options", build});
    const auto run = start(command, work.path());
    const std::string log = without_chatter(run.out + run.err);
    if (!run.ok()) {
        const auto line = error_line(log);
        throw inspect_error("ocloc cannot compile for " + std::string(gpu_name(device)) + ": " +
                                (run.signal != 0 || line.empty() ? run.describe() : line),
                            log);
    }
    auto image = read_file(work / "kernel.bin");
    if (!image) image = read_file(work / "kernel");
    if (!image) throw inspect_error("ocloc wrote no machine code", log);
    result.image = std::move(*image);
    result.log = log;
    cache.put(key + ".bin", result.image);
    cache.put(key + ".log", std::as_bytes(std::span(log)));
    return result;
}

}  // namespace kittens::inspect
