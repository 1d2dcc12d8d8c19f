// SPDX-License-Identifier: Apache-2.0
// What a peer for an operator (norm, rotary, attention, ...) looks like to the benchmark. As peer.h for GEMM: a shared
// object with one function, plain C. The shared object of peer NAME is NAME_operators.so.
#pragma once

#include "peer.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KITTENS_OPERATOR_PEER_ABI 1

/// Packed and row-major.
typedef struct kittens_operator_tensor {
    const char* name;
    kittens_peer_dtype type;
    int rank;
    const int64_t* sizes;
    int output;
} kittens_operator_tensor;

typedef struct kittens_operator_attribute {
    const char* name;
    double value;
} kittens_operator_attribute;

/// `sets` copies of the same problem, for measurements with cold caches: tensor i of copy s is at data[s * tensors + i].
/// The memory stays valid and in place until `destroy`; inputs are not written. Outputs are given: a peer writes
/// into them. Names, sizes and attributes are valid during `prepare` alone.
typedef struct kittens_operator_problem {
    const char* operation;
    int attributes;
    const kittens_operator_attribute* attribute;
    int tensors;
    const kittens_operator_tensor* tensor;
    int sets;
    void* const* data;
    int threads;
    const char* isa_cap;  ///< "avx2", ...; "" for none
} kittens_operator_problem;

/// No function throws. As kittens_peer_api.
typedef struct kittens_operator_peer_api {
    uint32_t abi;  ///< KITTENS_OPERATOR_PEER_ABI
    const char* name;
    const char* (*unavailable)(void);
    const char* (*version)(void);
    const char* (*isa)(void);
    kittens_peer_status (*prepare)(const kittens_operator_problem* problem, void** state, char* message, size_t bytes);
    const char* (*describe)(const void* state);
    /// The operation once, on copy `set`, complete on return. 0 on success.
    int (*run)(void* state, int set);
    void (*destroy)(void* state);
} kittens_operator_peer_api;

/// The one symbol of a plug-in.
__attribute__((visibility("default"))) const kittens_operator_peer_api* kittens_operator_peer(void);

#ifdef __cplusplus
}
#endif
