// SPDX-License-Identifier: Apache-2.0
#include "kittens/inspect/assembly.hpp"

#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "kittens/inspect/toolchain.hpp"

namespace kittens::inspect {
namespace {

std::string_view trimmed(std::string_view s) {
    while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
    while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
    return s;
}

std::string_view take_token(std::string_view& s) {
    s = trimmed(s);
    std::size_t end = 0;
    while (end < s.size() && !std::isspace(static_cast<unsigned char>(s[end]))) ++end;
    const auto token = s.substr(0, end);
    s.remove_prefix(end);
    return token;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_label_definition(std::string_view line) {
    if (line.size() < 2 || line.back() != ':') return false;
    for (const char c : line.substr(0, line.size() - 1))
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.') return false;
    return true;
}

op_class classify(std::string_view op) {
    const auto is_any = [op](std::initializer_list<std::string_view> names) {
        for (const auto name : names)
            if (op == name) return true;
        return false;
    };
    if (contains(op, "dpas")) return op_class::dpas;
    if (op.starts_with("send")) return op_class::send;
    if (is_any({"mov", "movi", "smov"})) return op_class::move;
    if (op == "math") return op_class::math;
    if (is_any({"cmp", "cmpn"})) return op_class::compare;
    if (op == "sync" || op == "wait") return op_class::sync;
    if (is_any({"nop", "illegal"})) return op_class::nop;
    if (is_any({"jmpi", "goto", "join", "if", "else", "endif", "while", "break", "cont", "brd", "brc", "call", "calla",
                "ret", "halt"}))
        return op_class::control;
    return op_class::alu;
}

/// The message of a send without addresses: "wr:2+0, rd:8; load.slm.d32x4.a32" gives
/// "load.slm.d32x4.a32".
std::string message_of(std::string_view comment) {
    const auto semicolon = comment.rfind("; ");
    if (semicolon != std::string_view::npos) comment.remove_prefix(semicolon + 2);
    if (const auto at = comment.find('['); at != std::string_view::npos) comment = comment.substr(0, at);
    for (const std::string_view surface : {".flat", ".bti", ".ss", ".bss", " surf"})
        if (comment.ends_with(surface)) comment.remove_suffix(surface.size());
    return std::string(trimmed(comment));
}

send_kind classify_send(const instruction& send) {
    const std::string_view message = send.message;
    const std::string_view comment = send.comment;
    const bool no_destination = !send.operands.empty() && send.operands[0].starts_with("null");
    const auto data = [&] {  // third part: "d16v" of load_block2d.ugm.d16v.a64
        std::string_view rest = message;
        for (int i = 0; i < 2; ++i) {
            const auto dot = rest.find('.');
            if (dot == std::string_view::npos) return std::string_view();
            rest.remove_prefix(dot + 1);
        }
        return rest.substr(0, rest.find('.'));
    }();
    if (contains(message, "end of thread")) return send_kind::end_of_thread;
    if (contains(message, "barrier")) return send_kind::barrier;
    if (message.starts_with("fence")) return send_kind::fence;
    if (message.starts_with("atomic")) return send_kind::atomic;
    if (message.starts_with("load_block2d")) {
        if (no_destination) return send_kind::prefetch;
        if (data.ends_with('v')) return send_kind::transform_load;
        return data.ends_with('t') ? send_kind::transpose_load : send_kind::block_load;
    }
    if (message.starts_with("store_block2d")) return send_kind::block_store;
    // Per-thread scratch: surface "ss" or the older block messages; on Xe3p every surface
    // access, because OpenCL buffers are reached by flat addresses only.
    const bool scratch = contains(message, "scratch") || contains(comment, ".ss[") || contains(comment, " surf[");
    if (scratch)
        return contains(message, "write") || message.starts_with("store") ? send_kind::scratch_store
                                                                          : send_kind::scratch_load;
    const bool is_load = message.starts_with("load");
    if (!is_load && !message.starts_with("store")) return send_kind::other;
    if (contains(message, ".slm.")) return is_load ? send_kind::slm_load : send_kind::slm_store;
    // The kernel's arguments: by the state of the launch on Xe and Xe2; on Xe3p relative to a pointer that the launch
    // passes, with a check for overflow.
    if (is_load && (contains(comment, ".bti[255]") || contains(message, ".ovf"))) return send_kind::argument_load;
    if (is_load && no_destination) return send_kind::linear_prefetch;
    if (data.ends_with('t')) return is_load ? send_kind::linear_load : send_kind::linear_store;
    return is_load ? send_kind::gather_load : send_kind::scatter_store;
}

instruction parse_line(std::string_view line) {
    instruction result;
    std::string_view rest = line;
    if (const auto at = rest.find("//"); at != std::string_view::npos) {
        result.comment = trimmed(rest.substr(at + 2));
        rest = rest.substr(0, at);
    }
    result.text = std::string(rest.substr(0, rest.find_last_not_of(" \t\r") + 1));
    rest = trimmed(rest);
    const auto fail = [line] {
        throw inspect_error("cannot read the disassembly line '" + std::string(trimmed(line)) + "'");
    };
    if (rest.starts_with('(')) {
        const auto close = rest.find(')');
        if (close == std::string_view::npos) fail();
        result.predicate = rest.substr(1, close - 1);
        rest.remove_prefix(close + 1);
    }
    if (const auto brace = rest.rfind('{'); brace != std::string_view::npos) {
        const auto close = rest.find('}', brace);
        if (close == std::string_view::npos) fail();
        result.options = rest.substr(brace + 1, close - brace - 1);
        rest = rest.substr(0, brace);
    }
    const auto mnemonic = take_token(rest);
    if (mnemonic.empty() || !std::isalpha(static_cast<unsigned char>(mnemonic.front()))) fail();
    const auto dot = mnemonic.find('.');
    result.opcode = mnemonic.substr(0, dot);
    if (dot != std::string_view::npos) result.suffix = mnemonic.substr(dot + 1);

    while (!trimmed(rest).empty()) {
        const auto token = take_token(rest);
        if (token.starts_with('(') && contains(token, "|M")) {
            std::from_chars(token.data() + 1, token.data() + token.size(), result.exec);
        } else if (token.starts_with('(') && contains(token, ")f")) {
            continue;  // condition modifier and flag: no operand that matters here
        } else {
            result.operands.emplace_back(token);
        }
    }
    // "illegal // sendgx: 35 20 ...: why" is how iga64 shows an instruction that it cannot decode.
    if (result.opcode == "illegal" && !result.comment.empty()) {
        result.undecoded = true;
        result.opcode = result.comment.substr(0, result.comment.find(':'));
        result.comment = "undecoded";
    }
    result.cls = classify(result.opcode);
    if (result.cls == op_class::send) {
        result.message = message_of(result.comment);
        result.send = classify_send(result);
    }
    return result;
}

unsigned type_bytes(std::string_view type) {
    if (type == "ub" || type == "b" || type == "bf8" || type == "hf8") return 1;
    if (type == "uw" || type == "w" || type == "hf" || type == "bf") return 2;
    if (type == "ud" || type == "d" || type == "f" || type == "tf32") return 4;
    if (type == "uq" || type == "q" || type == "df") return 8;
    return 0;
}

/// Drops what follows the last end of thread and is never run, unless something jumps there.
void drop_tail(program& code) {
    std::size_t end = 0;
    for (std::size_t i = 0; i < code.code.size(); ++i)
        if (code.code[i].send == send_kind::end_of_thread) end = i + 1;
    bool referred = end == 0;
    for (const auto& instruction : code.code)
        for (const auto& operand : instruction.operands)
            if (const auto it = code.labels.find(operand); it != code.labels.end()) referred |= it->second >= end;
    if (!referred) code.code.resize(end);
    while (!code.code.empty() && code.code.back().opcode == "illegal") code.code.pop_back();
    std::erase_if(code.labels, [&](const auto& label) { return label.second >= code.code.size(); });
}

}  // namespace

const char* name_of(op_class c) {
    static constexpr std::array names{"dpas", "sends", "moves", "alu", "math", "compare", "control", "sync", "nop"};
    return names[static_cast<std::size_t>(c)];
}

const char* name_of(send_kind k) {
    static constexpr std::array names{
        "none",          "block_load",   "transform_load", "transpose_load",  "prefetch",
        "block_store",   "linear_load",  "linear_store",   "linear_prefetch", "gather_load",
        "scatter_store", "slm_load",     "slm_store",      "atomic",          "fence",
        "barrier",       "scratch_load", "scratch_store",  "argument_load",   "end_of_thread",
        "other"};
    static_assert(names.size() == static_cast<std::size_t>(send_kind::other) + 1);
    return names[static_cast<std::size_t>(k)];
}

program parse_assembly(std::string_view listing) {
    program result;
    while (!listing.empty()) {
        const auto end = listing.find('\n');
        const auto line = listing.substr(0, end);
        listing.remove_prefix(end == std::string_view::npos ? listing.size() : end + 1);
        const auto content = trimmed(line);
        if (content.empty() || content.starts_with("//")) continue;
        if (is_label_definition(content))
            result.labels[std::string(content.substr(0, content.size() - 1))] = result.code.size();
        else result.code.push_back(parse_line(line));
    }
    drop_tail(result);
    return result;
}

std::optional<register_operand> parse_register(std::string_view operand) {
    while (operand.starts_with('-') || operand.starts_with('~')) operand.remove_prefix(1);
    if (operand.starts_with("(abs)")) operand.remove_prefix(5);
    if (operand.size() < 2 || operand[0] != 'r') return {};
    register_operand result;
    const char* at = operand.data() + 1;
    const char* const end = operand.data() + operand.size();
    auto parsed = std::from_chars(at, end, result.reg);
    if (parsed.ec != std::errc()) return {};  // also the indirect form r[a0.0]
    at = parsed.ptr;
    unsigned sub = 0;
    if (at != end && *at == '.') {
        parsed = std::from_chars(at + 1, end, sub);
        if (parsed.ec != std::errc()) return {};
        at = parsed.ptr;
    }
    if (at != end && *at == '<') {
        const std::string_view region(at, static_cast<std::size_t>(end - at));
        const auto close = region.find('>');
        if (close == std::string_view::npos) return {};
        // "<stride>" of a destination; "<vertical;width,stride>" or "<vertical;stride>" of a source.
        const auto inside = region.substr(1, close - 1);
        std::string_view number = inside;
        if (const auto comma = inside.find(','); comma != std::string_view::npos) {
            const auto semicolon = inside.find(';');
            if (semicolon == std::string_view::npos || semicolon > comma) return {};
            const bool one_wide = inside.substr(semicolon + 1, comma - semicolon - 1) == "1";
            number = one_wide ? inside.substr(0, semicolon) : inside.substr(comma + 1);
        } else if (const auto semicolon = inside.find(';'); semicolon != std::string_view::npos) {
            number = inside.substr(semicolon + 1);
        }
        if (std::from_chars(number.data(), number.data() + number.size(), result.stride).ec != std::errc()) return {};
        at += close + 1;
    }
    if (at != end && *at == ':') result.element_bytes = type_bytes({at + 1, static_cast<std::size_t>(end - at - 1)});
    result.byte = sub * (result.element_bytes == 0 ? 1 : result.element_bytes);
    return result;
}

std::optional<std::uint64_t> parse_immediate(std::string_view operand) {
    const auto colon = operand.find(':');
    if (colon == std::string_view::npos) return {};
    const unsigned bytes = type_bytes(operand.substr(colon + 1));
    const auto type = operand.substr(colon + 1);
    auto digits = operand.substr(0, colon);
    if (type == "f" && !digits.empty() && std::isdigit(static_cast<unsigned char>(digits[0]))) {
        // Integers are at times moved as floats. Small ones are subnormal, a digit's worth apart, and so come back
        // exactly from the six digits of the listing; others would not.
        const float value = std::strtof(std::string(digits).c_str(), nullptr);
        if (value != 0 && std::fpclassify(value) != FP_SUBNORMAL) return {};
        const auto bits = std::bit_cast<std::uint32_t>(value);
        return bits < 1u << 18 ? std::optional<std::uint64_t>(bits) : std::nullopt;
    }
    if (bytes == 0 || type == "f" || type == "hf" || type == "bf" || type == "df") return {};
    const bool negative = digits.starts_with('-');
    if (negative) digits.remove_prefix(1);
    int base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
        base = 16;
        digits.remove_prefix(2);
    }
    std::uint64_t value = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) return {};
    return negative ? ~value + 1 : value;
}

}  // namespace kittens::inspect
