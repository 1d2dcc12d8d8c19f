// SPDX-License-Identifier: Apache-2.0
#include "gemm_bench.hpp"
#include "gemm_choice.hpp"
#include "gemm_split.hpp"

#include <kittens/runtime/queue.hpp>

#include <fmt/format.h>
#include <gemm/choices.hpp>
#include <gemm/gemm.hpp>
#include <gemm/policies.hpp>

#include <cstring>
#include <memory>
#include <optional>

namespace kittens::bench {

namespace {

/// A launch that can be repeated.
struct prepared_launch {
    queue on;
    std::vector<split_step> steps;
    std::optional<buffer<std::byte>> planes{};  ///< where K is split
};

template <class Globals> Globals globals_for(const gemm_shape& s, const void* a, const void* b, void* c) {
    using in_t = typename decltype(Globals::a)::element;
    using out_t = typename decltype(Globals::c)::element;
    return {{static_cast<in_t*>(a), 1, 1, s.m, s.k}, {static_cast<in_t*>(b), 1, 1, s.k, s.n}, {static_cast<out_t*>(c), 1, 1, s.m, s.n}};
}

/// The globals of a kernel depend on its policy's types and access alone.
template <dtype In>
std::shared_ptr<prepared_launch> prepare(const device& where, const std::string& policy, const gemm_shape& s, const void* a, const void* b, void* c) {
    using block = typename kernels::gemm<kernels::default_policy(In)>::globals;
    using plain = typename kernels::gemm<kernels::plain_policy(In)>::globals;
    const plain p = globals_for<plain>(s, a, b, c);
    const chosen_kernel chosen = choose_kernel(where, In, policy, s.m, s.n, s.k, !p.a.broken_rule() && !p.b.broken_rule() && !p.c.broken_rule());
    const auto launch = std::make_shared<prepared_launch>(prepared_launch{queue(where), {}});
    if (chosen.split) {
        launch->planes.emplace(where, split_bytes(where, In, chosen, s.m, s.n, s.k));
        launch->steps = split_steps(where, In, chosen, {s.m, s.n, s.k, a, b, c}, launch->planes->data());
        return launch;
    }
    const auto keep = [&](const auto& globals) {
        launch->steps.push_back({&kernel_for(where, chosen.kernel), std::vector<std::byte>(sizeof globals)});
        std::memcpy(launch->steps.back().args.data(), &globals, sizeof globals);
    };
    if (chosen.plain) keep(p);
    else keep(globals_for<block>(s, a, b, c));
    return launch;
}

}  // namespace

gemm_candidate kernel_candidate(const device& where, dtype in, const std::string& policy) {
    return [=](const gemm_shape& shape, const void* a, const void* b, void* c) -> std::function<void()> {
        const auto launch = in == dtype::i8    ? prepare<dtype::i8>(where, policy, shape, a, b, c)
                            : in == dtype::f16 ? prepare<dtype::f16>(where, policy, shape, a, b, c)
                                               : prepare<dtype::bf16>(where, policy, shape, a, b, c);
        return [launch] {
            for (const split_step& step : launch->steps) launch->on.run(*step.kernel, step.args.data(), step.args.size());
        };
    };
}

own_entrant unsplit_entrant(const device& where, dtype in, const std::string& policy) {
    return {"unsplit", [=](const gemm_shape& shape) {
                // Where C is small enough to be split, the default policy computes it as the split one does, but by fewer threads.
                return kernels::tile_named(candidate_policy(where, in, policy, shape)).split ? std::string("default") : std::string();
            }, "the policy of this shape does not split K"};
}

std::string candidate_policy(const device& where, dtype in, const std::string& policy, const gemm_shape& s) {
    const auto allowed = [](std::int64_t rows, std::int64_t columns, dtype type) {
        return !broken_surface_rule(0, columns * size_of(type), rows, columns * size_of(type));
    };
    const bool blocks = allowed(s.m, s.k, in) && allowed(s.k, s.n, in) && allowed(s.m, s.n, output_of(in));
    return choose_kernel(where, in, policy, s.m, s.n, s.k, blocks).policy;
}

}  // namespace kittens::bench
