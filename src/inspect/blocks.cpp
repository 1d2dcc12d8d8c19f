// SPDX-License-Identifier: Apache-2.0
// The block's width, height and count, and the surface's address, are not in a 2-D message but in
// the register that it sends (bytes 28..31 and 0..7). They are recovered by following moves
// backwards through the listing. Whatever is not certain stays unknown.
#include "kittens/inspect/blocks.hpp"

#include <algorithm>
#include <charconv>

namespace kittens::inspect {
namespace {

constexpr unsigned grf_bytes = 64;
constexpr unsigned largest_load = 32 * grf_bytes;

/// A range of bytes in the register file.
struct byte_range {
    unsigned begin = 0;
    unsigned size = 0;

    unsigned end() const { return begin + size; }
    bool overlaps(const byte_range& o) const { return begin < o.end() && o.begin < end(); }
    bool within(const byte_range& o) const { return begin >= o.begin && end() <= o.end(); }
};

byte_range range_of(unsigned reg, unsigned byte, unsigned size) { return {reg * grf_bytes + byte, size}; }

/// Number after `key` in a decoded message ("rd:31", "rd:512 B"), or nothing.
std::optional<unsigned> number_after(const std::string& text, std::string_view key) {
    const auto at = text.find(key);
    if (at == std::string::npos) return {};
    unsigned value = 0;
    const char* const begin = text.data() + at + key.size();
    if (std::from_chars(begin, text.data() + text.size(), value).ec != std::errc()) return {};
    return value;
}

bool is_block(send_kind k) {
    return k == send_kind::block_load || k == send_kind::transform_load || k == send_kind::transpose_load ||
           k == send_kind::prefetch || k == send_kind::block_store;
}

/// "d16v" is 2 bytes; the size stands in the third part of the message.
unsigned element_bytes(const std::string& message) {
    const auto at = message.find(".d");
    if (at == std::string::npos) return 0;
    unsigned bits = 0;
    std::from_chars(message.data() + at + 2, message.data() + message.size(), bits);
    return bits / 8;
}

/// Where a value comes from: a constant, or a register as it stood before an instruction.
struct origin {
    std::optional<std::uint64_t> constant;
    std::optional<byte_range> bytes;
    std::optional<std::size_t> writer;  ///< that last wrote `bytes`; nothing: from the start
};

class tracer {
public:
    tracer(const program& code, const zebin_kernel& kernel, const std::vector<loop>& loops)
        : code_(code.code),
          kernel_(kernel),
          loops_(loops),
          sizes_(code.code.size(), largest_load) {
        // How much each load writes, in order: a search backwards meets only sizes that are known already.
        for (std::size_t i = 0; i < code_.size(); ++i) {
            const auto& in = code_[i];
            if (in.cls != op_class::send) continue;
            if (const auto length = number_after(in.comment, "rd:")) {
                const bool in_bytes = in.comment.find(" B;") != std::string::npos;
                // A length of 31 registers stands for 31 or 32: the field has no room for 32.
                sizes_[i] = in_bytes ? *length : *length == 31 ? largest_load : *length * grf_bytes;
            } else if (const auto found = is_block(in.send) ? shape(i) : std::nullopt) {
                sizes_[i] = found->bytes();
            }
        }
        sizes_known_ = true;
    }

    /// Shape of a 2-D send, from the constant in bytes 28..31 of its payload.
    std::optional<block_shape> shape(std::size_t i) const {
        const auto& in = code_[i];
        const auto payload = in.operands.size() < 2 ? std::nullopt : parse_register(in.operands[1]);
        if (!payload) return {};
        const auto from = trace(i, range_of(payload->reg, 28, 4));
        if (!from.constant) return {};
        const auto v = static_cast<unsigned>(*from.constant);
        return block_shape{.element_bytes = element_bytes(in.message),
                           .width = (v & 0xff) + 1,
                           .height = (v >> 8 & 0xff) + 1,
                           .count = (v >> 16 & 0xff) + 1};
    }

    /// Registers that a send or dpas writes; generous where the listing does not say.
    std::optional<byte_range> written(std::size_t i) const {
        const auto& in = code_[i];
        if (in.operands.empty() || in.cls == op_class::control || in.cls == op_class::sync) return {};
        const auto dst = parse_register(in.operands[0]);
        if (!dst) return {};
        if (in.cls == op_class::send) return range_of(dst->reg, 0, sizes_[i]);
        if (in.cls == op_class::dpas) {  // "8x8": depth x rows
            unsigned rows = 8;
            if (const auto x = in.suffix.find('x'); x != std::string::npos)
                rows = number_after(in.suffix, "x").value_or(8);
            const unsigned element = dst->element_bytes == 0 ? 4 : dst->element_bytes;
            return range_of(dst->reg, dst->byte, rows * in.exec * element);
        }
        const unsigned element = dst->element_bytes == 0 ? 4 : dst->element_bytes;
        const unsigned stride = std::max(dst->stride, 1u);
        return range_of(dst->reg, dst->byte, ((in.exec - 1) * stride + 1) * element);
    }

    origin trace(std::size_t before, byte_range wanted, int depth = 0) const {
        const std::size_t start = before;
        for (std::size_t i = before; i-- > 0;) {
            if (code_[i].undecoded) return {};
            const auto range = written(i);
            if (!range || !range->overlaps(wanted)) continue;
            if (!valid_across_loops(start, i, wanted)) return {};
            const auto& in = code_[i];
            if (!in.unconditional() || depth > 32) return {};
            if (!wanted.within(*range)) return {};
            if (in.cls == op_class::send) return {{}, wanted, i};
            if (in.cls != op_class::move || in.operands.size() < 2) return {{}, wanted, i};
            const auto dst = *parse_register(in.operands[0]);
            if (in.exec > 1 && dst.stride != 1) return {};
            if (const auto value = parse_immediate(in.operands[1])) {
                if (in.exec == 1 && wanted.size < dst.element_bytes) {
                    const unsigned shift = (wanted.begin - range->begin) * 8;
                    return {*value >> shift, {}, {}};
                }
                return {*value, {}, {}};
            }
            const auto src = parse_register(in.operands[1]);
            if (!src || src->element_bytes != dst.element_bytes) return {{}, wanted, i};
            if (in.exec > 1 && src->stride != 1) return {};
            const unsigned from = src->reg * grf_bytes + src->byte + (wanted.begin - range->begin);
            return trace(i, {from, wanted.size}, depth + 1);
        }
        if (!valid_across_loops(start, {}, wanted)) return {};
        return {{}, wanted, {}};
    }

    /// The argument that a traced pointer is, in words; a register name when none explains it.
    std::string name_of(const origin& from) const {
        if (!from.bytes) return {};
        const unsigned reg = from.bytes->begin / grf_bytes;
        const unsigned byte = from.bytes->begin % grf_bytes;
        const std::string plain = "r" + std::to_string(reg) + "." + std::to_string(byte);
        std::optional<unsigned> offset;
        if (!from.writer) {
            // The first bytes of the argument block arrive in r1.
            if (from.bytes->begin >= grf_bytes && from.bytes->begin - grf_bytes < kernel_.inline_bytes)
                offset = from.bytes->begin - grf_bytes;
        } else if (code_[*from.writer].send == send_kind::argument_load) {
            offset = argument_offset(*from.writer, *from.bytes);
        } else {
            return {};
        }
        if (!offset) return plain;
        for (const auto& argument : kernel_.arguments) {
            if (*offset < argument.offset || *offset >= argument.offset + argument.size) continue;
            if (argument.index < 0) return argument.kind;
            const unsigned inside = argument.source_offset + *offset - argument.offset;
            return "argument " + std::to_string(argument.index) + (inside == 0 ? "" : " + " + std::to_string(inside));
        }
        return plain;
    }

    /// The same for a pointer to which something computed was added: the argument among an addition's operands.
    std::string name_of_sum(const origin& from) const {
        if (!from.bytes || !from.writer) return {};
        const auto& in = code_[*from.writer];
        if (in.opcode != "add" || in.exec != 1) return {};
        std::string name;
        for (std::size_t o = 1; o < in.operands.size(); ++o) {
            const auto source = parse_register(in.operands[o]);
            if (!source) continue;
            const std::string found = name_of(trace(*from.writer, range_of(source->reg, source->byte, source->element_bytes)));
            if (!found.starts_with("argument")) continue;
            if (!name.empty()) return {};
            name = found;
        }
        return name;
    }

private:
    /// A definition outside the loop of a use is only the value if nothing later in that loop
    /// writes the same bytes, for the next time round.
    bool valid_across_loops(std::size_t use, std::optional<std::size_t> definition, byte_range bytes) const {
        if (!sizes_known_) return true;
        for (const auto& l : loops_) {
            if (!std::ranges::binary_search(l.members, use)) continue;
            if (definition && std::ranges::binary_search(l.members, *definition)) continue;
            for (const std::size_t i : l.members)
                if (i >= use)
                    if (const auto range = written(i); range && range->overlaps(bytes)) return false;
        }
        return true;
    }

    /// Offset in the argument block of what a load of arguments put at `bytes`.
    std::optional<unsigned> argument_offset(std::size_t load, byte_range bytes) const {
        const auto dst = written(load);
        const auto& in = code_[load];
        if (!dst || in.operands.size() < 2) return {};
        unsigned base = 0;
        if (const auto address = parse_register(in.operands[1])) {
            // The address was made by "and" with the block's start and "add" of a constant.
            bool found = false;
            for (std::size_t i = load; i-- > 0 && !found;) {
                const auto range = written(i);
                if (!range || !range->overlaps(range_of(address->reg, 0, 4))) continue;
                if (code_[i].opcode != "add" || code_[i].operands.size() < 3) return {};
                const auto constant = parse_immediate(code_[i].operands[2]);
                if (!constant) return {};
                base = static_cast<unsigned>(*constant);
                found = true;
            }
        }
        // "[s0.24+src0+0x80]": a constant in the message itself.
        if (const auto plus = in.comment.rfind("+0x"); plus != std::string::npos) {
            unsigned more = 0;
            std::from_chars(in.comment.data() + plus + 3, in.comment.data() + in.comment.size(), more, 16);
            base += more;
        }
        return kernel_.inline_bytes + base + bytes.begin - dst->begin;
    }

    const std::vector<instruction>& code_;
    const zebin_kernel& kernel_;
    const std::vector<loop>& loops_;
    std::vector<unsigned> sizes_;  ///< bytes that each send writes
    bool sizes_known_ = false;
};

std::string dpas_operand(const program& code, const loop* scope, byte_range loaded) {
    const auto check = [&](const instruction& in) -> const char* {
        if (in.cls != op_class::dpas || in.operands.size() < 4) return nullptr;
        const auto b = parse_register(in.operands[2]);
        const auto a = parse_register(in.operands[3]);
        if (b && range_of(b->reg, b->byte, 1).within(loaded)) return "operand B of dpas";
        if (a && range_of(a->reg, a->byte, 1).within(loaded)) return "operand A of dpas";
        return nullptr;
    };
    if (scope != nullptr) {
        for (const std::size_t i : scope->members)
            if (const char* which = check(code.code[i])) return which;
    } else {
        for (const auto& in : code.code)
            if (const char* which = check(in)) return which;
    }
    return {};
}

}  // namespace

std::vector<block_send> find_block_sends(const program& code, const zebin_kernel& kernel, const loop* scope) {
    const auto loops = find_loops(code);
    const tracer registers(code, kernel, loops);
    std::vector<block_send> result;
    std::vector<std::string> bases;  // what tells surfaces apart, for each of `result`
    for (std::size_t i = 0; i < code.code.size(); ++i) {
        const auto& in = code.code[i];
        if (!is_block(in.send) || in.operands.size() < 2) continue;
        block_send found{.index = i, .shape = {}, .surface = {}, .feeds = {}};
        bases.emplace_back();
        if (const auto payload = parse_register(in.operands[1])) {
            found.shape = registers.shape(i);
            const origin base = registers.trace(i, range_of(payload->reg, 0, 8));
            found.surface = registers.name_of(base);
            // A computed address (a batch of a tensor) has no name, but is the same where the same instruction made it.
            bases.back() = !found.surface.empty() || !base.bytes || !base.writer ? found.surface
                                                                                 : "@" + std::to_string(*base.writer) + "." + std::to_string(base.bytes->begin);
            if (found.surface.empty()) found.surface = registers.name_of_sum(base);
        }
        const bool is_load = in.send != send_kind::prefetch && in.send != send_kind::block_store;
        if (const auto dst = parse_register(in.operands[0]); dst && is_load) {
            const unsigned size = found.shape ? found.shape->bytes() : grf_bytes;
            found.feeds = dpas_operand(code, scope, range_of(dst->reg, 0, size));
        }
        result.push_back(std::move(found));
    }
    for (std::size_t p = 0; p < result.size(); ++p) {
        if (code.code[result[p].index].send != send_kind::prefetch || bases[p].empty()) continue;
        for (std::size_t l = 0; l < result.size(); ++l)
            if (bases[l] == bases[p] && !result[l].feeds.empty()) result[p].feeds = result[l].feeds;
    }
    return result;
}

}  // namespace kittens::inspect
