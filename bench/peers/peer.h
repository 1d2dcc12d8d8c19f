// SPDX-License-Identifier: Apache-2.0
// What a peer, a library that is measured against, looks like to the benchmark: a shared object with one function.
// It is loaded when it is named, so the benchmark itself needs none of these libraries. Plain C, so that a plug-in may
// be built with another compiler or standard library.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KITTENS_PEER_ABI 1

typedef enum kittens_peer_dtype {
    KITTENS_PEER_FP32 = 0,
    KITTENS_PEER_BF16 = 1,
    KITTENS_PEER_FP16 = 2,
    KITTENS_PEER_INT8 = 3,
    KITTENS_PEER_INT32 = 4
} kittens_peer_dtype;

/// C = A * B, all row-major and packed: A is m x k, B is k x n, C is m x n. The memory stays valid and in place until
/// `destroy`; `a` and `b` are not written.
typedef struct kittens_peer_gemm {
    int64_t m, n, k;
    kittens_peer_dtype in, out;
    const void* a;
    const void* b;
    void* c;
    int threads;
} kittens_peer_gemm;

typedef enum kittens_peer_status {
    KITTENS_PEER_OK = 0,
    KITTENS_PEER_UNSUPPORTED = 1,  ///< this library has no such product, at this instruction set
    KITTENS_PEER_FAILED = 2
} kittens_peer_status;

/// No function throws. Strings live as long as the plug-in; `message` receives one line, cut to `bytes`.
typedef struct kittens_peer_api {
    uint32_t abi;  ///< KITTENS_PEER_ABI
    const char* name;
    /// Nothing, or why this library does not work here; called first.
    const char* (*unavailable)(void);
    /// Library and version.
    const char* (*version)(void);
    /// The instruction set that the library says it uses.
    const char* (*isa)(void);
    /// Everything that can be done once: primitives, descriptors, scratch memory. On success `*state` is what the
    /// other functions take.
    kittens_peer_status (*prepare)(const kittens_peer_gemm* problem, void** state, char* message, size_t bytes);
    /// What was chosen, e.g. the name of the implementation.
    const char* (*describe)(const void* state);
    /// One product, complete on return. 0 on success.
    int (*run)(void* state);
    void (*destroy)(void* state);
} kittens_peer_api;

/// The one symbol of a plug-in.
__attribute__((visibility("default"))) const kittens_peer_api* kittens_peer(void);

#ifdef __cplusplus
}
#endif
