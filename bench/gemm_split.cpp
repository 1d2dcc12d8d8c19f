// SPDX-License-Identifier: Apache-2.0
#include "gemm_split.hpp"

#include <kittens/runtime/queue.hpp>

#include <fmt/format.h>
#include <gemm/choices.hpp>
#include <gemm/gemm.hpp>
#include <gemm/policies.hpp>
#include <gemm/split_k.hpp>

#include <cstring>

namespace kittens::bench {

namespace {

/// The types and the access of cpu_split_policy (kernels/gemm/cpu_policies.hpp), which decide what its globals look like.
constexpr kernels::gemm_policy split_policy(dtype in) {
    auto p = kernels::plain_policy(in);
    p.out = accumulator_of(in);
    p.split = kernels::split_kind::staged;
    return p;
}

template <class Globals> std::vector<std::byte> bytes_of(const Globals& g) {
    std::vector<std::byte> bytes(sizeof g);
    std::memcpy(bytes.data(), &g, sizeof g);
    return bytes;
}

template <dtype In>
std::vector<split_step> steps(const device& where, const chosen_kernel& chosen, const gemm_operands& of, int parts, void* planes) {
    constexpr dtype sum = accumulator_of(In), out = kernels::default_output(In);
    using multiply = kernels::gemm<split_policy(In)>;
    using reduce = kernels::reduce_planes<kernels::reduce_policy{.sum = sum, .out = out, .access = kittens::access::plain}>;
    using in_t = type_of<In>;
    const int m = static_cast<int>(of.m), n = static_cast<int>(of.n), k = static_cast<int>(of.k);
    const typename multiply::globals first{{static_cast<const in_t*>(of.a), 1, 1, m, k}, {static_cast<const in_t*>(of.b), 1, 1, k, n}, {static_cast<type_of<sum>*>(planes), 1, parts, m, n}};
    const typename reduce::globals second{{static_cast<const type_of<sum>*>(planes), 1, parts, m, n}, {static_cast<type_of<out>*>(of.c), 1, 1, m, n}};
    return {{&kernel_for(where, chosen.kernel), bytes_of(first)}, {&kernel_for(where, fmt::format("cpu_reduce_{}", name_of(In))), bytes_of(second)}};
}

}  // namespace

int split_planes(const device& where, const chosen_kernel& chosen, std::int64_t m, std::int64_t n, std::int64_t k) {
    const kernels::tile_sizes tile = kernels::tile_named(chosen.policy);
    const auto pieces = [](std::int64_t all, std::int64_t each) { return (all + each - 1) / each; };
    return static_cast<int>(kernels::split_parts(pieces(m, tile.m) * pieces(n, tile.n), pieces(k, tile.k), where.properties().threads));
}

std::uint64_t split_bytes(const device& where, dtype in, const chosen_kernel& chosen, std::int64_t m, std::int64_t n, std::int64_t k) {
    return static_cast<std::uint64_t>(split_planes(where, chosen, m, n, k)) * static_cast<std::uint64_t>(m * n) * static_cast<std::uint64_t>(size_of(accumulator_of(in)));
}

std::vector<split_step> split_steps(const device& where, dtype in, const chosen_kernel& chosen, const gemm_operands& of, void* planes) {
    const int parts = split_planes(where, chosen, of.m, of.n, of.k);
    if (in == dtype::i8) return steps<dtype::i8>(where, chosen, of, parts, planes);
    if (in == dtype::f16) return steps<dtype::f16>(where, chosen, of, parts, planes);
    return steps<dtype::bf16>(where, chosen, of, parts, planes);
}

}  // namespace kittens::bench
