// SPDX-License-Identifier: Apache-2.0
#include "counters.hpp"

#include <array>
#include <utility>

namespace kittens::tool {

json to_json(const emulated::counters& c) {
    using model::block_op;
    json dpas = json::array();
    for (const auto& d : c.dpas) {
        const auto form = model::form(d.kind);
        dpas.push_back({{"kind", form.name}, {"m", d.m}, {"n", 16}, {"k", form.k()}, {"count", d.count}});
    }
    static constexpr std::array<std::pair<block_op, const char*>, 5> operations{{{block_op::load, "load"},
                                                                                 {block_op::transform, "transform"},
                                                                                 {block_op::transpose, "transpose"},
                                                                                 {block_op::prefetch, "prefetch"},
                                                                                 {block_op::store, "store"}}};
    json blocks = json::object();
    for (const auto& [op, name] : operations) {
        json shapes = json::array();
        for (const auto& b : c.blocks)
            if (b.op == op)
                shapes.push_back({{"element_bytes", b.shape.elem},
                                  {"width", b.shape.width},
                                  {"height", b.shape.height},
                                  {"blocks", b.shape.count},
                                  {"count", b.count},
                                  {"bytes", b.bytes}});
        blocks[name] = {{"count", c.block_operations(op)}, {"bytes", c.block_bytes(op)}, {"shapes", shapes}};
    }
    return {{"workgroups", c.workgroups},
            {"subgroups", c.subgroups},
            {"dpas", c.dpas_operations()},
            {"dpas_shapes", dpas},
            {"blocks", blocks},
            {"prefetched_bytes", c.prefetched_bytes},
            {"distinct_prefetched_bytes", c.distinct_prefetch_bytes},
            {"distinct_loaded_bytes", c.distinct_load_bytes},
            {"distinct_stored_bytes", c.distinct_store_bytes},
            {"plain_loads", c.global_loads},
            {"plain_load_bytes", c.global_load_bytes},
            {"plain_stores", c.global_stores},
            {"plain_store_bytes", c.global_store_bytes},
            {"slm_bytes", c.slm_bytes},
            {"slm_loads", c.slm_loads},
            {"slm_load_bytes", c.slm_load_bytes},
            {"slm_stores", c.slm_stores},
            {"slm_store_bytes", c.slm_store_bytes},
            {"atomics", c.atomics},
            {"fences", c.fences},
            {"barriers", c.barriers},
            {"shuffles", c.shuffles},
            {"reductions", c.reductions},
            {"votes", c.votes}};
}

}  // namespace kittens::tool
