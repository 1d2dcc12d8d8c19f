// SPDX-License-Identifier: Apache-2.0
//
// What an emulated launch found (faults) and did (counters).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <kittens/model/block_shape.hpp>
#include <kittens/model/dpas.hpp>

namespace kittens::emulated {

enum class fault_kind {
    // errors: the hardware's behaviour is undefined or wrong
    surface_misaligned,      ///< base address of a 2-D block surface
    surface_width,           ///< surface width
    surface_height,          ///< surface height
    surface_pitch,           ///< surface pitch
    block_coordinate,        ///< x of a block not a multiple of what the element size demands
    illegal_block,           ///< block shape or element size that does not exist
    illegal_matrix,          ///< matrix operands that do not exist
    wrong_subgroup_size,     ///< a 16-lane instruction in a subgroup of another size
    divergent_collective,    ///< lanes at different operations, or with different uniform arguments
    uninitialized_register,  ///< tile register read before it was written
    out_of_allocation,       ///< global access outside every registered allocation
    misaligned_access,       ///< plain access not naturally aligned
    barrier_not_reached,     ///< some subgroups wait at a barrier that others never reach
    split_barrier_misuse,    ///< arrive and wait out of order
    named_barrier_misuse,    ///< a barrier of some subgroups used by others, made twice, or one number for two of them
    slm_out_of_bounds,       ///< access outside the workgroup's SLM
    slm_uninitialized,       ///< SLM read before any write
    slm_race,                ///< two accesses, one a write, with nothing between that orders them
    shuffle_lane,            ///< shuffle from a lane that does not exist
    no_progress,             ///< a waiting loop that nothing will end
    kernel_exception,        ///< an exception left the kernel
    // advice: correct, but work for nothing
    redundant_prefetch,  ///< every byte was already in the cache or on its way
    unused_prefetch,     ///< nothing of it was loaded by the workgroup
    wrong_prefetch,      ///< unused, while the surface's loads ran without prefetch
};
inline constexpr int fault_kinds = static_cast<int>(fault_kind::wrong_prefetch) + 1;

/// Stable name of a kind, e.g. "slm_race".
const char* name(fault_kind kind);
/// True for kinds that do not make a result wrong.
constexpr bool is_advice(fault_kind kind) { return kind >= fault_kind::redundant_prefetch; }

/// One distinct fault: the first occurrence, and how many there were.
struct fault {
    fault_kind kind = fault_kind::kernel_exception;
    std::string kernel;
    std::string operation;  ///< tile operation, or the instruction where the kernel opened no operation_scope
    std::string tile;       ///< tile type as the operation names it, or empty
    bool has_coordinate = false;
    std::array<int, 4> coordinate{};  ///< {batch, depth, row, column} as the kernel gave it
    std::array<int, 3> workgroup{};
    int subgroup = 0;
    int lane = -1;  ///< -1: the whole subgroup
    std::string message;
    std::string source;  ///< "file:line" where debug information has it, else empty
    std::uint64_t occurrences = 1;
    const void* code = nullptr;  ///< code address of the instruction's call, for `source`

    /// One line: kind, kernel, operation, tile, coordinate, place, message.
    std::string text() const;
};

/// Executions of one matrix instruction by a subgroup.
struct dpas_count {
    model::dpas_kind kind{};
    int m = 0;
    std::uint64_t count = 0;
};

/// Executions of one 2-D block instruction by a subgroup; `bytes` are those inside the surface.
struct block_count {
    model::block_op op{};
    model::block_shape shape{};
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
};

/// Totals over the launch. Subgroup instructions count once per subgroup, plain accesses once per lane.
struct counters {
    std::uint64_t workgroups = 0;
    std::uint64_t subgroups = 0;
    std::uint64_t steps = 0;  ///< main-loop steps: per workgroup the most of any subgroup, summed

    std::vector<dpas_count> dpas;     ///< by shape
    std::vector<block_count> blocks;  ///< by operation and shape

    std::uint64_t distinct_load_bytes = 0;      ///< global bytes loaded, each once per workgroup
    std::uint64_t distinct_prefetch_bytes = 0;  ///< global bytes prefetched, each once per workgroup
    std::uint64_t distinct_store_bytes = 0;
    std::uint64_t prefetched_bytes = 0;  ///< all prefetched bytes inside surfaces, repeats included

    std::uint64_t global_loads = 0, global_load_bytes = 0;    ///< plain, per lane
    std::uint64_t global_stores = 0, global_store_bytes = 0;  ///< plain, per lane
    std::uint64_t slm_loads = 0, slm_load_bytes = 0;
    std::uint64_t slm_stores = 0, slm_store_bytes = 0;
    std::uint64_t slm_bytes = 0;  ///< SLM of a workgroup, the most of any
    std::uint64_t atomics = 0;
    std::uint64_t fences = 0;
    std::uint64_t barriers = 0;  ///< workgroup barriers, counted per subgroup
    std::uint64_t shuffles = 0;  ///< shuffles and broadcasts
    std::uint64_t reductions = 0;
    std::uint64_t votes = 0;

    /// Instructions of one operation, and their bytes inside the surface.
    std::uint64_t block_operations(model::block_op op) const;
    std::uint64_t block_bytes(model::block_op op) const;
    std::uint64_t dpas_operations() const;
    /// prefetched_bytes / steps, 0 without steps.
    double prefetched_bytes_per_workgroup_k_step() const;
    double distinct_prefetched_bytes_per_workgroup_k_step() const;

    void merge(const counters& other);
};

/// Result of emulating (part of) a launch.
struct launch_report {
    std::string kernel;
    std::vector<fault> faults;  ///< distinct, in order of first occurrence
    counters count;

    /// True when no error was found; advice does not count.
    bool clean() const;
    /// Errors, then advice, one line each.
    std::string text() const;
    /// Adds another part of the same launch; equal faults become one.
    void merge(const launch_report& other);
    /// Adds a fault, or counts it on an equal one (same kind, operation, tile and place in the code).
    void add(fault f);
    /// Fills fault::source from debug information, with llvm-symbolizer or addr2line where one is installed, and makes one of
    /// equal faults of one line.
    void locate();
};

}  // namespace kittens::emulated
