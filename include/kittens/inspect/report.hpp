// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kittens/inspect/assembly.hpp"
#include "kittens/inspect/blocks.hpp"
#include "kittens/inspect/compile.hpp"
#include "kittens/inspect/zebin.hpp"

/// What a kernel becomes: figures and an annotated listing of its machine code. Everything here is
/// read from code that Intel's compiler made; nothing of it was run or measured.
namespace kittens::inspect {

/// How many instructions of each sort. The seven kinds of sends are disjoint, and so are the nine
/// classes (dpas, the sends together, moves, alu, math, compare, control, sync, nop).
struct instruction_counts {
    unsigned instructions = 0;
    unsigned dpas = 0;
    unsigned block_loads = 0;  ///< plain 2-D loads alone
    unsigned transform_loads = 0;
    unsigned transpose_loads = 0;
    unsigned prefetches = 0;  ///< 2-D
    unsigned block_stores = 0;
    unsigned other_sends = 0;
    unsigned moves = 0;
    unsigned alu = 0;
    unsigned math = 0;
    unsigned compare = 0;
    unsigned control = 0;
    unsigned sync = 0;
    unsigned nop = 0;
    std::map<std::string, unsigned> other;  ///< other_sends by kind: "slm_load", "barrier", ...

    unsigned sends() const {
        return block_loads + transform_loads + transpose_loads + prefetches + block_stores + other_sends;
    }
    void add(const instruction& in);
};

struct annotated_line {
    std::string label;  ///< before the line, or ""
    std::string text;
    std::string note;  ///< what the instruction is for, or ""
};

/// The loop that decides the kernel's speed, per iteration, nested loops left out.
struct loop_report {
    std::string label;
    instruction_counts counts;
    unsigned nested_loops = 0;
    /// Steps of K in one iteration; 0 when it is unknown or no whole number.
    unsigned k_steps = 0;
    /// Bytes of 2-D messages per iteration and subgroup; nothing when a block's shape is unknown.
    std::optional<unsigned> loaded_bytes;
    std::optional<unsigned> prefetched_bytes;
    std::vector<block_send> blocks;  ///< its 2-D sends; indices into the program
    std::vector<annotated_line> lines;
};

struct kernel_report {
    std::string name;
    unsigned simd = 0;
    unsigned grf = 0;
    unsigned spill_bytes = 0;
    unsigned private_bytes = 0;
    unsigned scratch_bytes = 0;
    unsigned slm_bytes = 0;
    unsigned barriers = 0;
    unsigned threads_per_eu = 0;
    instruction_counts counts;                 ///< of the whole kernel
    std::map<std::string, unsigned> messages;  ///< sends by message: "load.ugm.d32x4.a64"
    unsigned loops = 0;
    unsigned undecoded = 0;  ///< instructions that iga64 could not decode
    std::optional<loop_report> main_loop;
    std::string assembly;  ///< as iga64 wrote it
};

struct report {
    gpu device = gpu::pvc;
    std::vector<std::pair<std::string, std::string>> compiler;  ///< tool, version
    std::vector<kernel_report> kernels;
    std::vector<std::string> warnings;  ///< spills, a register file other than asked for, ...
};

/// Reads one kernel's listing. `dpas_per_k_step` says how many dpas one step of K takes, so that an
/// unrolled main loop can be counted per step; 0 when it is not known.
kernel_report analyse_kernel(const zebin_kernel& kernel, const std::string& listing, unsigned dpas_per_k_step = 0);

/// JSON in the documented form (docs/machine-code.md), indented.
std::string to_json(const report& result);

/// For a terminal: a table per kernel and the sends of its main loop.
std::string to_text(const report& result);

/// The main loop line by line, each send explained. Empty when the kernel has no loop.
std::string annotated_main_loop(const kernel_report& kernel);

/// Kernels side by side: one column each, one line per figure.
struct report_column {
    std::string title;
    const kernel_report* kernel = nullptr;
};
std::string side_by_side(std::span<const report_column> columns);

struct inspect_options {
    std::optional<source_input> source;  ///< compile this, or
    std::optional<spirv_module> module;  ///< take this, or
    std::filesystem::path spirv_file;    ///< read this
    gpu device = gpu::pvc;
    native_options native;
    std::string kernel;            ///< only kernels with this in their names; empty: all
    unsigned dpas_per_k_step = 0;  ///< see analyse_kernel()
    /// Of every kernel of the module; source_input has its own.
    std::optional<std::uint32_t> subgroup_size = 16;
    toolchain_options tools;
    std::optional<compile_cache> cache;   ///< nothing: compile_cache::standard()
    std::filesystem::path save_spirv;     ///< write the module there
    std::filesystem::path save_assembly;  ///< write all listings there
};

/// Compiles for a device and reads the machine code. Throws inspect_error.
report run(const inspect_options& options);

}  // namespace kittens::inspect
