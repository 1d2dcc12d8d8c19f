// SPDX-License-Identifier: Apache-2.0
#include "gemm_split.hpp"

#include <kittens/runtime/queue.hpp>

#include <fmt/format.h>
#include <gemm/choices.hpp>
#include <gemm/gemm.hpp>
#include <gemm/policies.hpp>
#include <gemm/split_k.hpp>
#include <gemm/xe_policies.hpp>

#include <algorithm>
#include <cstring>

namespace kittens::bench {

namespace {

/// The types and the access of cpu_split_policy (kernels/gemm/cpu_policies.hpp) and xe_policy (xe_policies.hpp), which decide what its globals look like.
constexpr kernels::gemm_policy split_policy(dtype in, kittens::access access) {
    auto p = access == kittens::access::plain ? kernels::plain_policy(in) : kernels::default_policy(in);
    p.out = accumulator_of(in);
    p.split = kernels::split_kind::staged;
    return p;
}

template <class Globals> std::vector<std::byte> bytes_of(const Globals& g) {
    std::vector<std::byte> bytes(sizeof g);
    std::memcpy(bytes.data(), &g, sizeof g);
    return bytes;
}

template <dtype In, kittens::access Access>
std::vector<split_step> steps(const device& where, const chosen_kernel& chosen, const gemm_operands& of, int parts, void* planes) {
    constexpr dtype sum = accumulator_of(In), out = kernels::default_output(In);
    using multiply = kernels::gemm<split_policy(In, Access)>;
    using reduce = kernels::reduce_planes<kernels::reduce_policy{.sum = sum, .out = out, .access = Access}>;
    using in_t = type_of<In>;
    const int m = static_cast<int>(of.m), n = static_cast<int>(of.n), k = static_cast<int>(of.k);
    const typename multiply::globals first{{static_cast<const in_t*>(of.a), 1, 1, m, k}, {static_cast<const in_t*>(of.b), 1, 1, k, n}, {static_cast<type_of<sum>*>(planes), 1, parts, m, n}};
    const typename reduce::globals second{{static_cast<const type_of<sum>*>(planes), 1, parts, m, n}, {static_cast<type_of<out>*>(of.c), 1, 1, m, n}};
    return {{&kernel_for(where, chosen.kernel), bytes_of(first)}, {&kernel_for(where, Access == kittens::access::plain ? fmt::format("cpu_reduce_{}", name_of(In)) : fmt::format("gemm_reduce_{}", name_of(out))), bytes_of(second)}};
}

/// Threads read by element, a GPU by 2-D blocks.
template <dtype In>
std::vector<split_step> steps_on(const device& where, const chosen_kernel& chosen, const gemm_operands& of, int parts, void* planes) {
    return chosen.plain ? steps<In, kittens::access::plain>(where, chosen, of, parts, planes) : steps<In, kittens::access::block>(where, chosen, of, parts, planes);
}

}  // namespace

int split_planes(const device& where, const chosen_kernel& chosen, std::int64_t m, std::int64_t n, std::int64_t k) {
    if (const kernels::xe_choice xe = kernels::parse_xe_choice(chosen.policy.c_str()); xe.valid)
        return static_cast<int>(std::min<std::int64_t>(std::max(1, xe.parts), (k + xe.k_step - 1) / xe.k_step));
    const kernels::tile_sizes tile = kernels::tile_named(chosen.policy);
    const auto pieces = [](std::int64_t all, std::int64_t each) { return (all + each - 1) / each; };
    return static_cast<int>(kernels::split_parts(pieces(m, tile.m) * pieces(n, tile.n), pieces(k, tile.k), where.properties().threads));
}

std::uint64_t split_bytes(const device& where, dtype in, const chosen_kernel& chosen, std::int64_t m, std::int64_t n, std::int64_t k) {
    return static_cast<std::uint64_t>(split_planes(where, chosen, m, n, k)) * static_cast<std::uint64_t>(m * n) * static_cast<std::uint64_t>(size_of(accumulator_of(in)));
}

std::vector<split_step> split_steps(const device& where, dtype in, const chosen_kernel& chosen, const gemm_operands& of, void* planes) {
    const int parts = split_planes(where, chosen, of.m, of.n, of.k);
    if (in == dtype::i8) return steps_on<dtype::i8>(where, chosen, of, parts, planes);
    if (in == dtype::f16) return steps_on<dtype::f16>(where, chosen, of, parts, planes);
    return steps_on<dtype::bf16>(where, chosen, of, parts, planes);
}

}  // namespace kittens::bench
