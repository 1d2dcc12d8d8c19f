// SPDX-License-Identifier: Apache-2.0
// What the kernels of kernels/ and their launcher share.
#pragma once

#include <kittens/kittens.hpp>

namespace kernels::inline KITTENS_NS {

using namespace kittens;

/// Globals of every kernel here: two inputs and an output, taken by 2-D blocks or element by element.
template <class T, access A = access::block>
struct misuse_globals {
    gl<const T, -1, -1, -1, -1, A> a;
    gl<T, -1, -1, -1, -1, A> c;
};

}  // namespace kernels::inline KITTENS_NS
