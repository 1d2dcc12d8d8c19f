// SPDX-License-Identifier: Apache-2.0
// State of the workgroup that a thread emulates: lanes, subgroups, shared memory, and the report under construction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include <kittens/base/host_context.hpp>
#include <kittens/target/emulated/engine.hpp>
#include <kittens/target/emulated/lane.hpp>

#include "emulated/fiber.hpp"
#include "emulated/slm.hpp"
#include "emulated/traffic.hpp"

namespace kittens::emulated {

/// A collective instruction that a lane waits at. The uniform part must be equal in all lanes.
struct request {
    enum class kind { dpas, block, shuffle, reduce_float, reduce_int, ballot, barrier, named_barrier };
    static constexpr int max_arguments = 10;

    kind what{};
    int uniform[max_arguments] = {};
    int uniforms = 0;
    const void* base = nullptr;  // uniform: surface base address

    const void* a = nullptr;  // per lane
    const void* b = nullptr;
    const void* c = nullptr;
    void* r = nullptr;
    unsigned argument = 0;
    const void* code = nullptr;
    site at;
};

struct subgroup_state;

struct lane_state {
    enum class status { ready, blocked, yielded, ended };

    int index = 0;
    int fiber = 0;
    status now = status::ready;
    request pending;
    const operation_scope* scope = nullptr;
    subgroup_state* subgroup = nullptr;

    // Register storage marked undefined and not written through the engine since, as address ranges.
    struct range {
        std::uintptr_t begin, end;
    };
    std::vector<range> undefined;
    std::uint64_t polls = 0;
    std::uint32_t named = 0;  // bit i: has made named barrier i
};

struct subgroup_state {
    enum class status { runnable, at_barrier, at_named_barrier, ended };

    int index = 0;
    status now = status::runnable;
    std::vector<lane_state> lanes;
    int steps = 0;
    std::uint32_t round = 0;  // collectives executed: lanes of one round are not ordered among themselves
    std::uint32_t arrivals = 0, waits = 0;
    std::vector<std::uint32_t> clock;            // vector clock over subgroups
    std::vector<std::uint32_t> released;         // clock at the last release fence
    std::vector<std::uint32_t> pending_acquire;  // clocks read by relaxed loads, taken by the next acquire fence
    int barrier_semantics = 0;
    std::uint64_t named_round = 0;  // of the named barrier that it waits at
};

/// A barrier of some subgroups. Of two rounds that follow each other one clock each, as a subgroup may arrive for the next
/// before another has left the last.
struct named_barrier_state {
    int first = 0, count = 0;  // count 0: nobody has made it
    int arrived = 0;
    std::uint64_t rounds = 0;  // that are complete
    std::array<std::vector<std::uint32_t>, 2> clock;
};

/// Raised on the scheduler's stack when a workgroup cannot go on. Its fault is already in the report.
struct workgroup_abandoned {};

class machine {
public:
    /// The calling thread's machine.
    static machine& local();
    /// Lane that is running on this thread; throws std::logic_error outside of a launch.
    static lane_state& lane();

    void run(const launch& l, long first, long last, launch_report& report);

    // --- for instructions -----------------------------------------------------------------------------------------
    /// Suspends the running lane until its subgroup has executed the request in lane.pending.
    void rendezvous(lane_state& lane);
    /// Suspends the running lane and lets other subgroups run.
    void give_way(lane_state& lane);
    /// A lane says whose the named barrier `id` is.
    void make_named_barrier(lane_state& lane, int id, int first, int count, const void* code);
    /// Records a fault of a lane (or, with whole_subgroup, of all its lanes).
    /// `instruction` names it where the lane is not at a collective and no operation_scope is open.
    void report(fault_kind kind, const lane_state& lane, const void* code, std::string message,
                bool whole_subgroup = false, const char* instruction = nullptr);
    origin origin_of(const lane_state& lane, const void* code) const;
    [[noreturn]] void abandon() { throw workgroup_abandoned{}; }

    const launch* current = nullptr;
    std::array<int, 3> group{};
    std::vector<subgroup_state> subgroups;
    launch_report* out = nullptr;
    traffic memory_traffic;
    slm_state slm;
    std::unordered_map<const void*, std::vector<std::uint32_t>> atomic_clocks;
    std::uint64_t advances = 0;  // lane resumptions that ended in a collective, for the progress watch

private:
    void prepare(long index);
    void run_workgroup();
    void run_subgroup(subgroup_state& sg);
    void finish_workgroup();
    bool lanes_meet(const subgroup_state& sg);
    void arrive(subgroup_state& sg, int semantics);
    void finish_wait(subgroup_state& sg);
    /// True when the barrier lets the subgroup go on at once.
    bool barrier(subgroup_state& sg);
    bool named_barrier(subgroup_state& sg);
    void finish_named_wait(subgroup_state& sg);
    /// Says who waits and who never comes, and gives the workgroup up.
    [[noreturn]] void report_missed_barrier();
    void execute(subgroup_state& sg);
    static void lane_body(void* lane);

    fiber_set fibers_;
    std::vector<int> order_;
    std::array<std::vector<std::uint32_t>, 2> barrier_clock_;
    std::array<named_barrier_state, max_named_barriers> named_;
};

/// Text of a request's operation, e.g. "2-D block load 2 x 16 x 32 x2".
std::string describe(const request& r);
/// Execute a request that all lanes of the subgroup have made.
void execute_dpas(machine& m, subgroup_state& sg);
void execute_block(machine& m, subgroup_state& sg);
void execute_shuffle(machine& m, subgroup_state& sg);
void execute_reduce(machine& m, subgroup_state& sg);
void execute_ballot(machine& m, subgroup_state& sg);

// --- undefined registers ------------------------------------------------------------------------------------------
/// Marks written register storage.
void mark_defined(lane_state& lane, const void* p, std::size_t bytes);
/// True when [p, p + bytes) lies in storage marked undefined and not written through the engine since.
bool marked_undefined(const lane_state& lane, const void* p, std::size_t bytes);
/// The pattern that undefined storage is filled with, 16 bits at a time: a signalling NaN as bf16 and as float.
inline constexpr std::uint16_t undefined_pattern = 0x7FBA;
/// The same after arithmetic or a conversion has made it quiet.
inline constexpr std::uint16_t undefined_quiet = 0x7FFA;
bool looks_undefined16(std::uint16_t v);
bool looks_undefined32(std::uint32_t v);

// --- allocations --------------------------------------------------------------------------------------------------
/// True when [p, p + bytes) lies in one registered allocation.
bool in_allocation(std::uintptr_t p, std::size_t bytes);
/// The nearest allocation in words, for messages.
std::string nearest_allocation(std::uintptr_t p);

}  // namespace kittens::emulated
