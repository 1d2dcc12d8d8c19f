// SPDX-License-Identifier: Apache-2.0
#include <kittens/target/emulated/report.hpp>

#include <fmt/format.h>
#include <algorithm>

namespace kittens::emulated {

const char* name(fault_kind kind) {
    switch (kind) {
    case fault_kind::surface_misaligned: return "surface_misaligned";
    case fault_kind::surface_width: return "surface_width";
    case fault_kind::surface_height: return "surface_height";
    case fault_kind::surface_pitch: return "surface_pitch";
    case fault_kind::block_coordinate: return "block_coordinate";
    case fault_kind::illegal_block: return "illegal_block";
    case fault_kind::illegal_matrix: return "illegal_matrix";
    case fault_kind::wrong_subgroup_size: return "wrong_subgroup_size";
    case fault_kind::divergent_collective: return "divergent_collective";
    case fault_kind::uninitialized_register: return "uninitialized_register";
    case fault_kind::out_of_allocation: return "out_of_allocation";
    case fault_kind::misaligned_access: return "misaligned_access";
    case fault_kind::barrier_not_reached: return "barrier_not_reached";
    case fault_kind::split_barrier_misuse: return "split_barrier_misuse";
    case fault_kind::named_barrier_misuse: return "named_barrier_misuse";
    case fault_kind::slm_out_of_bounds: return "slm_out_of_bounds";
    case fault_kind::slm_uninitialized: return "slm_uninitialized";
    case fault_kind::slm_race: return "slm_race";
    case fault_kind::shuffle_lane: return "shuffle_lane";
    case fault_kind::no_progress: return "no_progress";
    case fault_kind::kernel_exception: return "kernel_exception";
    case fault_kind::redundant_prefetch: return "redundant_prefetch";
    case fault_kind::unused_prefetch: return "unused_prefetch";
    case fault_kind::wrong_prefetch: return "wrong_prefetch";
    }
    return "unknown";
}

std::string fault::text() const {
    std::string s = fmt::format("{}: {}: {}", kernel.empty() ? "kernel" : kernel, name(kind), operation);
    if (!tile.empty()) s += fmt::format(" of {}", tile);
    if (has_coordinate) {
        s += fmt::format(" at {{{}, {}, {}, {}}}", coordinate[0], coordinate[1], coordinate[2], coordinate[3]);
    }
    s += fmt::format(": {} (workgroup {},{},{} subgroup {}", message, workgroup[0], workgroup[1], workgroup[2],
                     subgroup);
    if (lane >= 0) s += fmt::format(" lane {}", lane);
    s += ")";
    if (!source.empty()) s += " " + source;
    if (occurrences > 1) s += fmt::format(" [{} times]", occurrences);
    return s;
}

namespace {

template <class T, class Same> void merge_counts(std::vector<T>& into, const std::vector<T>& from, Same same) {
    for (const T& f : from) {
        const auto it = std::find_if(into.begin(), into.end(), [&](const T& t) { return same(t, f); });
        if (it == into.end()) {
            into.push_back(f);
        } else {
            it->count += f.count;
            if constexpr (requires { it->bytes; }) it->bytes += f.bytes;
        }
    }
}

}  // namespace

std::uint64_t counters::block_operations(model::block_op op) const {
    std::uint64_t n = 0;
    for (const block_count& b : blocks) n += b.op == op ? b.count : 0;
    return n;
}

std::uint64_t counters::block_bytes(model::block_op op) const {
    std::uint64_t n = 0;
    for (const block_count& b : blocks) n += b.op == op ? b.bytes : 0;
    return n;
}

std::uint64_t counters::dpas_operations() const {
    std::uint64_t n = 0;
    for (const dpas_count& d : dpas) n += d.count;
    return n;
}

double counters::prefetched_bytes_per_workgroup_k_step() const {
    return steps == 0 ? 0.0 : static_cast<double>(prefetched_bytes) / static_cast<double>(steps);
}

double counters::distinct_prefetched_bytes_per_workgroup_k_step() const {
    return steps == 0 ? 0.0 : static_cast<double>(distinct_prefetch_bytes) / static_cast<double>(steps);
}

void counters::merge(const counters& o) {
    workgroups += o.workgroups;
    subgroups += o.subgroups;
    steps += o.steps;
    merge_counts(dpas, o.dpas, [](const dpas_count& a, const dpas_count& b) { return a.kind == b.kind && a.m == b.m; });
    merge_counts(blocks, o.blocks,
                 [](const block_count& a, const block_count& b) { return a.op == b.op && a.shape == b.shape; });
    distinct_load_bytes += o.distinct_load_bytes;
    distinct_prefetch_bytes += o.distinct_prefetch_bytes;
    distinct_store_bytes += o.distinct_store_bytes;
    prefetched_bytes += o.prefetched_bytes;
    global_loads += o.global_loads;
    global_load_bytes += o.global_load_bytes;
    global_stores += o.global_stores;
    global_store_bytes += o.global_store_bytes;
    slm_loads += o.slm_loads;
    slm_load_bytes += o.slm_load_bytes;
    slm_stores += o.slm_stores;
    slm_store_bytes += o.slm_store_bytes;
    slm_bytes = std::max(slm_bytes, o.slm_bytes);
    atomics += o.atomics;
    fences += o.fences;
    barriers += o.barriers;
    shuffles += o.shuffles;
    reductions += o.reductions;
    votes += o.votes;
}

bool launch_report::clean() const {
    return std::none_of(faults.begin(), faults.end(), [](const fault& f) { return !is_advice(f.kind); });
}

std::string launch_report::text() const {
    std::string s;
    for (const bool advice : {false, true}) {
        for (const fault& f : faults) {
            if (is_advice(f.kind) == advice) s += f.text() + "\n";
        }
    }
    return s;
}

void launch_report::add(fault f) {
    // The compiler may have made several copies of one call (unrolled loops). locate() brings together what is one line of
    // the source; until then a few places of one operation are kept apart, and the rest are counted on the last.
    constexpr int places = 4;
    fault* last = nullptr;
    int similar = 0;
    for (fault& g : faults) {
        if (g.kind != f.kind || g.operation != f.operation || g.tile != f.tile) continue;
        last = &g;
        if (g.code == f.code || ++similar == places) break;
    }
    if (last != nullptr && (last->code == f.code || similar == places)) last->occurrences += f.occurrences;
    else faults.push_back(std::move(f));
}

void launch_report::merge(const launch_report& other) {
    if (kernel.empty()) kernel = other.kernel;
    for (const fault& f : other.faults) add(f);
    count.merge(other.count);
}

}  // namespace kittens::emulated
