// SPDX-License-Identifier: Apache-2.0
// What plug-ins for BLAS libraries have in common: out = x weight^T of 16-bit tensors by products that have float results. The
// results are rounded into the given output afterwards, as a caller would have to.
#pragma once

#include "elements_16.hpp"
#include "operator_plugin.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kittens::peers {

/// The tensors of a `linear` problem. Throws unsupported for others.
class linear_problem {
public:
    /// The operands of one copy of the problem.
    struct operands {
        const std::uint16_t *x, *weight;
        std::uint16_t* out;
    };

    linear_problem(const kittens_operator_problem& p, const char* library) {
        if (std::strcmp(p.operation, "linear") != 0) throw unsupported(std::string(library) + " has no " + p.operation);
        if (tensor_index(p, "bias") >= 0 || tensor_index(p, "residual") >= 0) throw unsupported(std::string(library) + " adds no bias or residual of 16-bit elements");
        const int x = tensor_index(p, "x"), weight = tensor_index(p, "weight"), out = tensor_index(p, "out");
        type = p.tensor[x].type;
        m = static_cast<int>(p.tensor[x].sizes[0]), k = static_cast<int>(p.tensor[x].sizes[1]), n = static_cast<int>(p.tensor[weight].sizes[0]);
        sums.resize(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
        for (int s = 0; s < p.sets; ++s) {
            const auto data = [&](int tensor) { return static_cast<std::uint16_t*>(p.data[s * p.tensors + tensor]); };
            sets.push_back({data(x), data(weight), data(out)});
        }
    }

    const operands& set(int s) const { return sets[static_cast<std::size_t>(s)]; }
    void round_to_output(int s) const {
        std::uint16_t* const out = set(s).out;
        for (std::size_t i = 0; i < sums.size(); ++i) out[i] = narrow_16(type, sums[i]);
    }

    kittens_peer_dtype type = KITTENS_PEER_BF16;
    int m = 0, n = 0, k = 0;
    std::vector<operands> sets;
    std::vector<float> sums;
};

}  // namespace kittens::peers
