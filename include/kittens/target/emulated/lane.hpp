// SPDX-License-Identifier: Apache-2.0
//
// What kernel code running on the emulator calls, from a lane's fiber. kittens::isa and the __spirv_* definitions
// (builtins.hpp) are the only users; kernels never call these.
#pragma once

#include <cstddef>
#include <source_location>

#include <kittens/model/block_layout.hpp>
#include <kittens/model/block_shape.hpp>
#include <kittens/model/dpas.hpp>

namespace kittens::emulated {

// ---- ids -----------------------------------------------------------------------------------------------------------------------
int lane();
int subgroup_id();
int num_subgroups();
int group_id(int dimension);
int num_groups(int dimension);

/// Where in the source a collective is called. Lanes that meet at the same instruction from different places have taken
/// different paths, which is a fault; an empty site (direct builtin calls) is not compared.
struct site {
    const char* file = nullptr;
    unsigned line = 0, column = 0;

    constexpr site() = default;
    constexpr site(const std::source_location& l) : file(l.file_name()), line(l.line()), column(l.column()) {}
};

// ---- collective instructions: every lane of the subgroup calls with the same uniform arguments ---------------------------------

/// r = a x b + c; the operands are per-lane vectors in the form of model/dpas.hpp.
void dpas(model::dpas_kind kind, int m, const void* a, const void* b, const void* c, void* r, site at = {});

/// A 2-D block operation; `reg` is the lane's register array (source for a store, unused for a prefetch).
void block(model::block_op op, model::block_shape shape, const void* base, int width_bytes, int height, int pitch_bytes,
           int x, int y, void* reg, site at = {});

enum class shuffle_op { index, exclusive_or, up, down, broadcast };
/// Replaces *value (bytes up to 64) by the addressed lane's.
void shuffle(shuffle_op op, void* value, std::size_t bytes, unsigned argument, site at = {});

enum class reduce_op { add, max, min };
float reduce(reduce_op op, float v, site at = {});
int reduce(reduce_op op, int v, site at = {});
/// Bit l is lane l's predicate.
unsigned ballot(bool predicate, site at = {});

enum class barrier_kind { full, arrive, wait };
/// execution_scope 2: workgroup, 3: subgroup; semantics as in spirv.hpp.
void barrier(barrier_kind kind, int execution_scope, int semantics, site at = {});

/// A barrier of subgroups [first, first + count). `make` is each lane's own and says that the number `id` is theirs from now on.
void make_named_barrier(int id, int first, int count);
void named_barrier(int id, int first, int count, int semantics, site at = {});

// ---- one lane's instructions ---------------------------------------------------------------------------------------------------
void fence(int scope, int semantics);

enum class access_kind { global_load, global_store, local_load, local_store };
/// Checks and counts a plain access that the caller is about to make, and says where to make it: at p, or at a scratch place
/// (which reads zero) when the access is a fault.
void* access(access_kind kind, const void* p, std::size_t bytes);
/// A plain prefetch.
void prefetch_line(const void* p, std::size_t bytes);
/// The same for an atomic access; gives other subgroups a turn, so that a waiting loop makes progress.
void* atomic(const void* p, std::size_t bytes, int scope, int semantics, bool loads, bool stores);
/// Start of the running workgroup's SLM of launch::slm_bytes bytes.
void* slm_base();
/// SLM of the running workgroup for a key, outside slm_base's; the same address for all its lanes.
void* slm(const void* key, std::size_t bytes);

// ---- hooks ---------------------------------------------------------------------------------------------------------------------
void mark_step();
void undefined(void* p, int bytes);
void defined(const void* p, int bytes);
void require_defined(const void* p, int bytes, int elem);

/// Names the tile operation that the lane is in. Strings must outlive the run (literals).
class operation_scope {
public:
    operation_scope(const char* operation, const char* tile);
    /// Coordinate {batch, depth, row, column} as the kernel gave it.
    operation_scope(const char* operation, const char* tile, int b, int d, int r, int c);
    ~operation_scope();
    operation_scope(const operation_scope&) = delete;
    operation_scope& operator=(const operation_scope&) = delete;

    const char* operation;
    const char* tile;
    int coordinate[4];
    bool has_coordinate;
    const void* code;  ///< where the scope was opened
    const operation_scope* outer;
};

}  // namespace kittens::emulated

#include <kittens/target/emulated/builtins.hpp>
