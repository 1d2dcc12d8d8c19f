// SPDX-License-Identifier: Apache-2.0
#include "kittens/inspect/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kittens::inspect {
namespace {

std::string describe(const block_shape& s) {
    return fmt::format("{}-bit {}x{}{}, {} B", s.element_bytes * 8, s.width, s.height,
                       s.count == 1 ? "" : fmt::format(" x{}", s.count), s.bytes());
}

const char* purpose(send_kind kind) {
    switch (kind) {
    case send_kind::block_load: return "2-D load";
    case send_kind::transform_load: return "2-D load, VNNI packed";
    case send_kind::transpose_load: return "2-D load, transposed";
    case send_kind::prefetch: return "2-D prefetch";
    case send_kind::block_store: return "2-D store";
    case send_kind::linear_load: return "1-D block load";
    case send_kind::linear_store: return "1-D block store";
    case send_kind::linear_prefetch: return "prefetch";
    case send_kind::gather_load: return "load, an address per lane";
    case send_kind::scatter_store: return "store, an address per lane";
    case send_kind::slm_load: return "load from SLM";
    case send_kind::slm_store: return "store to SLM";
    case send_kind::atomic: return "atomic";
    case send_kind::fence: return "fence";
    case send_kind::barrier: return "barrier: signal arrival";
    case send_kind::scratch_load: return "load from scratch: a spill or private memory";
    case send_kind::scratch_store: return "store to scratch: a spill or private memory";
    case send_kind::argument_load: return "kernel arguments";
    case send_kind::end_of_thread: return "end of thread";
    default: return "other message";
    }
}

std::string describe(const instruction& send, const block_send* block) {
    std::string text = purpose(send.send);
    if (block == nullptr) {
        // "d32x4": four words of 32 bits for each lane, or of one block.
        const auto at = send.message.find(".d");
        if (at != std::string::npos)
            text += ", " + send.message.substr(at + 1, send.message.find('.', at + 1) - at - 1);
        return text;
    }
    if (block->shape) text += ", " + describe(*block->shape);
    if (!block->surface.empty()) text += ", " + block->surface;
    if (!block->feeds.empty()) text += ", for " + block->feeds;
    return text;
}

std::string note_of(const program& code, const loop& l, std::size_t index, const block_send* block) {
    const auto& in = code.code[index];
    if (in.cls == op_class::send) return describe(in, block);
    if (in.cls == op_class::sync) {
        if (in.suffix == "bar") return "barrier: wait for all";
        if (in.suffix == "allwr") return "wait until these sends have delivered";
        if (in.suffix == "allrd") return "wait until these sends have read their registers";
        return in.options.find('$') == std::string::npos ? "" : "wait for a send";
    }
    if (in.cls == op_class::control)
        for (const auto& operand : in.operands)
            if (const auto to = code.labels.find(operand); to != code.labels.end())
                return to->second == l.header                              ? "next iteration"
                       : std::ranges::binary_search(l.members, to->second) ? ""
                                                                           : "leaves the loop";
    if (in.cls == op_class::move && !in.operands.empty() && in.operands[0].starts_with("null"))
        return "waits for a send, moves nothing";
    return {};
}

std::string single_spaced(const std::string& text) {
    std::string result;
    for (const char c : text)
        if (c != ' ' || (!result.empty() && result.back() != ' ')) result += c;
    return result;
}

loop_report analyse_loop(const program& code, const std::vector<loop>& loops, std::size_t which,
                         const zebin_kernel& kernel, unsigned dpas_per_k_step) {
    const loop& l = loops[which];
    loop_report result;
    result.label = l.label;
    for (const auto& other : loops) result.nested_loops += other.parent == static_cast<int>(which);
    for (const std::size_t i : l.own) result.counts.add(code.code[i]);
    if (dpas_per_k_step != 0 && result.counts.dpas % dpas_per_k_step == 0)
        result.k_steps = result.counts.dpas / dpas_per_k_step;

    result.loaded_bytes = 0;
    result.prefetched_bytes = 0;
    for (auto& block : find_block_sends(code, kernel, &l)) {
        if (!std::ranges::binary_search(l.own, block.index)) continue;
        const send_kind kind = code.code[block.index].send;
        auto* const sum = kind == send_kind::prefetch      ? &result.prefetched_bytes
                          : kind == send_kind::block_store ? nullptr
                                                           : &result.loaded_bytes;
        if (sum != nullptr && !block.shape) sum->reset();
        if (sum != nullptr && *sum) **sum += block.shape->bytes();
        result.blocks.push_back(std::move(block));
    }

    for (const std::size_t i : l.own) {
        annotated_line line;
        for (const auto& [name, at] : code.labels)
            if (at == i) line.label = name;
        const auto block = std::ranges::find(result.blocks, i, &block_send::index);
        line.text = single_spaced(code.code[i].text);
        line.note = note_of(code, l, i, block == result.blocks.end() ? nullptr : &*block);
        result.lines.push_back(std::move(line));
    }
    return result;
}

}  // namespace

void instruction_counts::add(const instruction& in) {
    ++instructions;
    switch (in.cls) {
    case op_class::dpas: ++dpas; return;
    case op_class::move: ++moves; return;
    case op_class::alu: ++alu; return;
    case op_class::math: ++math; return;
    case op_class::compare: ++compare; return;
    case op_class::control: ++control; return;
    case op_class::sync: ++sync; return;
    case op_class::nop: ++nop; return;
    case op_class::send: break;
    }
    switch (in.send) {
    case send_kind::block_load: ++block_loads; return;
    case send_kind::transform_load: ++transform_loads; return;
    case send_kind::transpose_load: ++transpose_loads; return;
    case send_kind::prefetch: ++prefetches; return;
    case send_kind::block_store: ++block_stores; return;
    default:
        ++other_sends;
        ++other[name_of(in.send)];
        return;
    }
}

kernel_report analyse_kernel(const zebin_kernel& kernel, const std::string& listing, unsigned dpas_per_k_step) {
    kernel_report result;
    result.name = kernel.name;
    result.simd = kernel.simd;
    result.grf = kernel.grf;
    result.spill_bytes = kernel.spill_bytes;
    result.private_bytes = kernel.private_bytes;
    result.scratch_bytes = kernel.scratch_bytes;
    result.slm_bytes = kernel.slm_bytes;
    result.barriers = kernel.barriers;
    result.threads_per_eu = kernel.threads_per_eu;
    result.assembly = listing;

    const program code = parse_assembly(listing);
    for (const auto& in : code.code) {
        result.counts.add(in);
        result.undecoded += in.undecoded;
        if (in.cls == op_class::send) ++result.messages[in.message];
    }
    const auto loops = find_loops(code);
    result.loops = static_cast<unsigned>(loops.size());
    if (const auto main = main_loop(code, loops))
        result.main_loop = analyse_loop(code, loops, *main, kernel, dpas_per_k_step);
    return result;
}

}  // namespace kittens::inspect
