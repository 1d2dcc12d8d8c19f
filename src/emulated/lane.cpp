// SPDX-License-Identifier: Apache-2.0
// The lanes' side of the instructions: what kernel code calls.
#include <stdexcept>

#include <fmt/format.h>

#include "emulated/state.hpp"

namespace kittens::emulated {

int lane() { return machine::lane().index; }
int subgroup_id() { return machine::lane().subgroup->index; }
int num_subgroups() {
    machine::lane();
    return static_cast<int>(machine::local().subgroups.size());
}
int group_id(int dimension) {
    machine::lane();
    return machine::local().group[static_cast<std::size_t>(dimension)];
}
int num_groups(int dimension) {
    machine::lane();
    return machine::local().current->groups[dimension];
}

std::string describe(const request& r) {
    switch (r.what) {
    case request::kind::dpas:
        return fmt::format("dpas {} M={}", model::form(static_cast<model::dpas_kind>(r.uniform[0])).name, r.uniform[1]);
    case request::kind::block:
        return fmt::format("{} {}-byte {}x{} x{} at column {}, row {}",
                           model::name(static_cast<model::block_op>(r.uniform[0])), r.uniform[1], r.uniform[2],
                           r.uniform[3], r.uniform[4], r.uniform[7], r.uniform[8]);
    case request::kind::shuffle: {
        static constexpr const char* names[] = {"shuffle", "shuffle_xor", "shuffle_up", "shuffle_down", "broadcast"};
        return names[r.uniform[0]];
    }
    case request::kind::reduce_float:
    case request::kind::reduce_int: {
        static constexpr const char* names[] = {"reduce_add", "reduce_max", "reduce_min"};
        return names[r.uniform[0]];
    }
    case request::kind::ballot: return "vote";
    case request::kind::named_barrier: return fmt::format("named barrier {}", r.uniform[0]);
    case request::kind::barrier: {
        static constexpr const char* names[] = {"barrier", "split barrier arrive", "split barrier wait"};
        return r.uniform[1] == 2 ? names[r.uniform[0]] : "subgroup barrier";
    }
    }
    return "instruction";
}

void dpas(model::dpas_kind kind, int m, const void* a, const void* b, const void* c, void* r, site at) {
    lane_state& lane = machine::lane();
    lane.pending = {.what = request::kind::dpas,
                    .uniform = {static_cast<int>(kind), m},
                    .uniforms = 2,
                    .a = a,
                    .b = b,
                    .c = c,
                    .r = r,
                    .code = __builtin_return_address(0),
                    .at = at};
    machine::local().rendezvous(lane);
}

model::dpas_kind dpas_kind_of(int k, int operands, model::element accumulator) {
    for (int i = 0; i < model::dpas_kinds; ++i) {
        const auto kind = static_cast<model::dpas_kind>(i);
        const model::dpas_form f = model::form(kind);
        if (f.operands == operands && f.acc == accumulator && f.k() == k) return kind;
    }
    lane_state& lane = machine::lane();
    machine& m = machine::local();
    lane.pending = {
        .what = request::kind::dpas, .uniform = {0, 0}, .uniforms = 2, .code = __builtin_return_address(0), .at = {}};
    m.report(fault_kind::illegal_matrix, lane, __builtin_return_address(0),
             fmt::format("no matrix instruction has K {}, operand bits {:#x} and this accumulator", k, operands));
    return model::dpas_kind::bf16;
}

void block(model::block_op op, model::block_shape shape, const void* base, int width_bytes, int height, int pitch_bytes,
           int x, int y, void* reg, site at) {
    lane_state& lane = machine::lane();
    lane.pending = {.what = request::kind::block,
                    .uniform = {static_cast<int>(op), shape.elem, shape.width, shape.height, shape.count, width_bytes,
                                height, x, y, pitch_bytes},
                    .uniforms = 10,
                    .base = base,
                    .r = reg,
                    .code = __builtin_return_address(0),
                    .at = at};
    machine::local().rendezvous(lane);
}

void shuffle(shuffle_op op, void* value, std::size_t bytes, unsigned argument, site at) {
    lane_state& lane = machine::lane();
    if (bytes > 64) throw std::length_error("shuffle: a value of more than 64 bytes");
    const bool uniform = op == shuffle_op::broadcast;
    lane.pending = {
        .what = request::kind::shuffle,
        .uniform = {static_cast<int>(op), static_cast<int>(bytes), uniform ? static_cast<int>(argument) : 0},
        .uniforms = 3,
        .r = value,
        .argument = argument,
        .code = __builtin_return_address(0),
        .at = at};
    machine::local().rendezvous(lane);
}

float reduce(reduce_op op, float v, site at) {
    lane_state& lane = machine::lane();
    lane.pending = {.what = request::kind::reduce_float,
                    .uniform = {static_cast<int>(op)},
                    .uniforms = 1,
                    .r = &v,
                    .code = __builtin_return_address(0),
                    .at = at};
    machine::local().rendezvous(lane);
    return v;
}

int reduce(reduce_op op, int v, site at) {
    lane_state& lane = machine::lane();
    lane.pending = {.what = request::kind::reduce_int,
                    .uniform = {static_cast<int>(op)},
                    .uniforms = 1,
                    .r = &v,
                    .code = __builtin_return_address(0),
                    .at = at};
    machine::local().rendezvous(lane);
    return v;
}

unsigned ballot(bool predicate, site at) {
    lane_state& lane = machine::lane();
    unsigned v = predicate ? 1U : 0U;
    lane.pending = {
        .what = request::kind::ballot, .r = &v, .argument = v, .code = __builtin_return_address(0), .at = at};
    machine::local().rendezvous(lane);
    return v;
}

void barrier(barrier_kind kind, int execution_scope, int semantics, site at) {
    lane_state& lane = machine::lane();
    lane.pending = {.what = request::kind::barrier,
                    .uniform = {static_cast<int>(kind), execution_scope, semantics},
                    .uniforms = 3,
                    .code = __builtin_return_address(0),
                    .at = at};
    machine::local().rendezvous(lane);
}

void make_named_barrier(int id, int first, int count) {
    lane_state& lane = machine::lane();
    machine::local().make_named_barrier(lane, id, first, count, __builtin_return_address(0));
}

void named_barrier(int id, int first, int count, int semantics, site at) {
    lane_state& lane = machine::lane();
    lane.pending = {.what = request::kind::named_barrier,
                    .uniform = {id, first, count, semantics},
                    .uniforms = 4,
                    .code = __builtin_return_address(0),
                    .at = at};
    machine::local().rendezvous(lane);
}

void mark_step() {
    lane_state& lane = machine::lane();
    if (lane.index == 0) ++lane.subgroup->steps;
}

operation_scope::operation_scope(const char* operation_, const char* tile_)
    : operation(operation_),
      tile(tile_),
      coordinate{},
      has_coordinate(false),
      code(__builtin_return_address(0)) {
    lane_state& lane = machine::lane();
    outer = lane.scope;
    lane.scope = this;
}

operation_scope::operation_scope(const char* operation_, const char* tile_, int b, int d, int r, int c)
    : operation(operation_),
      tile(tile_),
      coordinate{b, d, r, c},
      has_coordinate(true),
      code(__builtin_return_address(0)) {
    lane_state& lane = machine::lane();
    outer = lane.scope;
    lane.scope = this;
}

operation_scope::~operation_scope() { machine::lane().scope = outer; }

}  // namespace kittens::emulated
