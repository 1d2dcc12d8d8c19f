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

template <class Peer> struct operator_plugin : plugin_base<Peer, kittens_operator_problem> {
    using base = plugin_base<Peer, kittens_operator_problem>;
    static int run(void* s, int set) { return base::run_with(s, set); }

    static const kittens_operator_peer_api* api() {
        static const kittens_operator_peer_api table = {KITTENS_OPERATOR_PEER_ABI, Peer::name, Peer::unavailable, base::version, base::isa,
                                                        base::prepare, base::describe, run, base::destroy};
        return &table;
    }
};

}  // namespace kittens::peers

#define KITTENS_OPERATOR_PEER(TYPE) \
    extern "C" const kittens_operator_peer_api* kittens_operator_peer(void) { return kittens::peers::operator_plugin<TYPE>::api(); }
