// SPDX-License-Identifier: Apache-2.0
// Makes a plug-in out of a C++ class, so that each peer's file holds only what is particular to its library.
//
// struct peer {
//     static constexpr const char* name
//     static const char* unavailable()              nullptr, or why it does not work here
//     static std::string version(), isa()
//     explicit peer(const kittens_peer_gemm&)       throws unsupported, or any other exception
//     std::string describe() const
//     void run()
// };
#pragma once

#include "peer.h"

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

namespace kittens::peers {

/// Thrown by a constructor: this library has no such product.
struct unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline const char* name_of(kittens_peer_dtype type) {
    constexpr const char* names[] = {"fp32", "bf16", "fp16", "int8", "int32"};
    return names[type];
}

/// What plug-ins have in common, whatever a problem is.
template <class Peer, class Problem> struct plugin_base {
    struct state {
        explicit state(const Problem& problem) : peer(problem), description(peer.describe()) {}
        Peer peer;
        std::string description;
    };

    static const char* version() {
        static const std::string text = Peer::version();
        return text.c_str();
    }
    static const char* isa() {
        static const std::string text = Peer::isa();
        return text.c_str();
    }
    static kittens_peer_status prepare(const Problem* problem, void** out, char* message, size_t bytes) {
        try {
            *out = new state(*problem);
            return KITTENS_PEER_OK;
        } catch (const unsupported& e) {
            std::snprintf(message, bytes, "%s", e.what());
            return KITTENS_PEER_UNSUPPORTED;
        } catch (const std::exception& e) {
            std::snprintf(message, bytes, "%s", e.what());
        } catch (...) {
            std::snprintf(message, bytes, "unknown error");
        }
        return KITTENS_PEER_FAILED;
    }
    static const char* describe(const void* s) { return static_cast<const state*>(s)->description.c_str(); }
    static void destroy(void* s) { delete static_cast<state*>(s); }

  protected:
    template <class... A> static int run_with(void* s, A... a) {
        try {
            static_cast<state*>(s)->peer.run(a...);
            return 0;
        } catch (...) {
            return 1;
        }
    }
};

template <class Peer> struct plugin : plugin_base<Peer, kittens_peer_gemm> {
    using base = plugin_base<Peer, kittens_peer_gemm>;
    static int run(void* s) { return base::run_with(s); }

    static const kittens_peer_api* api() {
        static const kittens_peer_api table = {KITTENS_PEER_ABI, Peer::name, Peer::unavailable, base::version, base::isa,
                                               base::prepare,    base::describe, run, base::destroy};
        return &table;
    }
};

}  // namespace kittens::peers

#define KITTENS_PEER(TYPE) \
    extern "C" const kittens_peer_api* kittens_peer(void) { return kittens::peers::plugin<TYPE>::api(); }
