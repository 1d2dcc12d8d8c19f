// SPDX-License-Identifier: Apache-2.0
// Makes an operator plug-in out of a C++ class.
//
// struct peer {
//     static constexpr const char* name
//     static const char* unavailable()              nullptr, or why it does not work here
//     static std::string version(), isa()
//     explicit peer(const kittens_operator_problem&)  throws kittens::peers::unsupported, or any other exception
//     std::string describe() const
//     void run(int set)
// };
#pragma once

#include "operator_peer.h"
#include "plugin.hpp"

#include <cstring>

namespace kittens::peers {

/// The attribute of that name, else `otherwise`.
inline double attribute(const kittens_operator_problem& p, const char* name, double otherwise) {
    for (int i = 0; i < p.attributes; ++i)
        if (!std::strcmp(p.attribute[i].name, name)) return p.attribute[i].value;
    return otherwise;
}

/// Index of the tensor of that name, or -1.
inline int tensor_index(const kittens_operator_problem& p, const char* name) {
    for (int i = 0; i < p.tensors; ++i)
        if (!std::strcmp(p.tensor[i].name, name)) return i;
    return -1;
}

template <class Peer> struct operator_plugin {
    struct state {
        explicit state(const kittens_operator_problem& problem) : peer(problem), description(peer.describe()) {}
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
    static kittens_peer_status prepare(const kittens_operator_problem* problem, void** out, char* message, size_t bytes) {
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
    static int run(void* s, int set) {
        try {
            static_cast<state*>(s)->peer.run(set);
            return 0;
        } catch (...) {
            return 1;
        }
    }
    static void destroy(void* s) { delete static_cast<state*>(s); }

    static const kittens_operator_peer_api* api() {
        static const kittens_operator_peer_api table = {KITTENS_OPERATOR_PEER_ABI, Peer::name, Peer::unavailable, version, isa,
                                                        prepare, describe, run, destroy};
        return &table;
    }
};

}  // namespace kittens::peers

#define KITTENS_OPERATOR_PEER(TYPE) \
    extern "C" const kittens_operator_peer_api* kittens_operator_peer(void) { return kittens::peers::operator_plugin<TYPE>::api(); }
