// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"
#include "kittens/inspect/process.hpp"
#include "kittens/inspect/report.hpp"

#include <algorithm>

namespace kittens::inspect {
namespace {

/// One kernel's code as text.
std::string disassemble(const tool_info& iga, gpu device, const zebin_kernel& kernel) {
    const temporary_directory work;
    const auto file = work / "kernel.krn";
    if (!write_file(file, as_text(kernel.code))) throw inspect_error("cannot write to " + work.path().string());
    process_result result;
    try {
        result = run_process({iga.path.string(), "-d", std::string("-p=") + iga_platform(device), "--output-on-fail",
                              file.string(), "-o", (work / "kernel.asm").string()});
    } catch (const std::system_error& error) {
        throw inspect_error("cannot start " + iga.path.string() + ": " + error.code().message());
    }
    // iga64 fails when it cannot decode some instruction, and then still shows all others; the listing's reader
    // counts those. Only without a listing is there nothing to report.
    const auto listing = read_file(work / "kernel.asm");
    if (!listing || listing->empty())
        throw inspect_error("iga64 cannot disassemble kernel '" + kernel.name + "': " + result.describe(), result.err);
    return std::string(as_text(*listing));
}

spirv_module module_of(const inspect_options& options, const toolchain& tools, const compile_cache& cache) {
    if (options.source) return compile_spirv(tools, *options.source, cache);
    auto module = options.module ? *options.module
                  : options.spirv_file.empty()
                      ? throw inspect_error("nothing to inspect: no source and no module given")
                      : spirv_module::read(options.spirv_file);
    if (options.subgroup_size) require_subgroup_size(module, *options.subgroup_size);
    return module;
}

void add_warnings(report& result, const kernel_report& kernel, unsigned grf_asked, unsigned dpas_per_k_step) {
    const std::string where = "kernel '" + kernel.name + "' ";
    if (kernel.spill_bytes != 0)
        result.warnings.push_back(where + "spills " + std::to_string(kernel.spill_bytes) +
                                  " bytes per thread: use a smaller tile or more registers");
    if (kernel.private_bytes != 0)
        result.warnings.push_back(where + "keeps " + std::to_string(kernel.private_bytes) +
                                  " bytes per thread of private memory: an array is indexed at run time");
    if (kernel.undecoded != 0)
        result.warnings.push_back(where + "has " + std::to_string(kernel.undecoded) +
                                  " instructions that this iga64 cannot decode; they are counted by opcode only");
    if (grf_asked != 0 && kernel.grf != grf_asked)
        result.warnings.push_back(where + "was given " + std::to_string(kernel.grf) + " registers, not the " +
                                  std::to_string(grf_asked) + " asked for");
    if (kernel.main_loop && kernel.main_loop->counts.dpas != 0 && dpas_per_k_step != 0 &&
        kernel.main_loop->k_steps == 0)
        result.warnings.push_back(where + "has " + std::to_string(kernel.main_loop->counts.dpas) +
                                  " dpas in its main loop, no multiple of the " + std::to_string(dpas_per_k_step) +
                                  " of a K step");
}

report run_checked(const inspect_options& options) {
    const auto tools = toolchain::locate(options.tools);
    // Say what is missing before any time is spent compiling.
    if (options.source) tools.require(tool::clang);
    const auto& ocloc = tools.require(tool::ocloc);
    const auto& iga = tools.require(tool::iga);
    const auto cache = options.cache ? *options.cache : compile_cache::standard();

    const auto module = module_of(options, tools, cache);
    if (!options.save_spirv.empty()) module.write(options.save_spirv);
    const auto binary = compile_native(tools, module, options.device, options.native, cache);

    report result;
    result.device = options.device;
    if (options.source) result.compiler.emplace_back("clang", tools.require(tool::clang).version);
    result.compiler.emplace_back("ocloc", ocloc.version);
    if (!tools.igc_version().empty()) result.compiler.emplace_back("igc", tools.igc_version());
    result.compiler.emplace_back("iga", iga.version);

    std::string assembly;
    for (const auto& kernel : parse_zebin(binary.image)) {
        // The compiler adds kernels of its own to hold the module's symbols.
        const auto& entries = module.entry_points();
        if (std::ranges::find(entries, kernel.name, &spirv_entry_point::name) == entries.end()) continue;
        if (kernel.name.find(options.kernel) == std::string::npos) continue;
        const auto listing = disassemble(iga, options.device, kernel);
        result.kernels.push_back(analyse_kernel(kernel, listing, options.dpas_per_k_step));
        add_warnings(result, result.kernels.back(), options.native.grf, options.dpas_per_k_step);
        assembly += "// kernel " + kernel.name + ", " + gpu_name(options.device) + "\n" + listing;
    }
    if (result.kernels.empty()) {
        std::string names;
        for (const auto& entry : module.entry_points()) names += (names.empty() ? "" : ", ") + entry.name;
        throw inspect_error("no kernel named '" + options.kernel + "' in the module, which has: " + names);
    }
    if (!options.save_assembly.empty() && !write_file(options.save_assembly, assembly))
        throw inspect_error("cannot write " + options.save_assembly.string());
    return result;
}

}  // namespace

report run(const inspect_options& options) {
    try {
        return run_checked(options);
    } catch (const spirv_error& error) {
        throw inspect_error(error.what());
    }
}

}  // namespace kittens::inspect
