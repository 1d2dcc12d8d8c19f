// SPDX-License-Identifier: Apache-2.0
#include "kittens/inspect/spirv.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>

namespace kittens::inspect {
namespace {

constexpr std::uint32_t magic = 0x07230203;
constexpr std::size_t header_words = 5;

enum opcode : std::uint32_t {
    op_extension = 10,
    op_ext_inst_import = 11,
    op_memory_model = 14,
    op_entry_point = 15,
    op_execution_mode = 16,
    op_capability = 17,
    op_function = 54,
    op_execution_mode_id = 331,
};

constexpr std::uint32_t capability_subgroup_dispatch = 58;
constexpr std::uint32_t mode_local_size = 17;
constexpr std::uint32_t mode_subgroup_size = 35;
constexpr std::uint32_t model_kernel = 6;

constexpr std::uint32_t first_word(std::uint32_t count, opcode op) { return count << 16 | op; }

constexpr std::uint32_t byte_swapped(std::uint32_t w) {
    return w >> 24 | (w >> 8 & 0xff00u) | (w << 8 & 0xff0000u) | w << 24;
}

[[noreturn]] void fail(const std::string& what) { throw spirv_error("invalid SPIR-V: " + what); }

/// Position of an instruction's opcode in the order that the preamble must have; 0 for the rest.
int preamble_rank(std::uint32_t op) {
    switch (op) {
    case op_capability: return 1;
    case op_extension: return 2;
    case op_ext_inst_import: return 3;
    case op_memory_model: return 4;
    case op_entry_point: return 5;
    case op_execution_mode:
    case op_execution_mode_id: return 6;
    default: return 0;
    }
}

/// A literal string at the start of `operands`: characters packed four to a word, lowest byte
/// first, ended by a zero byte.
std::string literal_string(std::span<const std::uint32_t> operands, std::size_t at) {
    std::string text;
    for (const std::uint32_t word : operands) {
        for (int shift = 0; shift < 32; shift += 8) {
            const char c = static_cast<char>(word >> shift & 0xff);
            if (c == 0) return text;
            text += c;
        }
    }
    fail("the string in the instruction at word " + std::to_string(at) + " has no end");
}

}  // namespace

spirv_module spirv_module::parse(std::span<const std::byte> bytes) {
    if (bytes.size() % 4 != 0) fail(std::to_string(bytes.size()) + " bytes are not a whole number of 32-bit words");
    std::vector<std::uint32_t> words(bytes.size() / 4);
    if (!words.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
    return parse(std::move(words));
}

spirv_module spirv_module::parse(std::vector<std::uint32_t> words) {
    if (!words.empty() && words[0] == byte_swapped(magic)) std::ranges::transform(words, words.begin(), byte_swapped);
    spirv_module module;
    module.words_ = std::move(words);
    module.decode();
    return module;
}

spirv_module spirv_module::read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    if (!in) throw spirv_error("cannot read " + file.string());
    std::vector<std::byte> bytes(static_cast<std::size_t>(in.tellg()));
    in.seekg(0);
    if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
        throw spirv_error("cannot read " + file.string());
    try {
        return parse(bytes);
    } catch (const spirv_error& error) {
        throw spirv_error(file.string() + ": " + error.what());
    }
}

void spirv_module::write(const std::filesystem::path& file) const {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    const auto data = bytes();
    out.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
    out.close();
    if (!out) throw spirv_error("cannot write " + file.string());
}

bool spirv_module::has_capability(std::uint32_t capability) const {
    return std::ranges::find(capabilities_, capability) != capabilities_.end();
}

void spirv_module::decode() {
    capabilities_.clear();
    extensions_.clear();
    entry_points_.clear();
    if (words_.size() < header_words) fail("shorter than its header of 20 bytes");
    if (words_[0] != magic) fail("it does not begin with the SPIR-V magic number 0x07230203");
    if (version_major() != 1)
        fail("version " + std::to_string(version_major()) + "." + std::to_string(version_minor()) +
             " is not known; this reads 1.x");
    capabilities_end_ = header_words;
    modes_end_ = 0;
    bool has_memory_model = false;
    int rank = 0;
    std::vector<std::uint32_t> functions;

    const auto entry_of = [this](std::uint32_t function) -> spirv_entry_point& {
        const auto it = std::ranges::find(entry_points_, function, &spirv_entry_point::function);
        if (it == entry_points_.end())
            fail("an execution mode names id " + std::to_string(function) + ", which is no entry point");
        return *it;
    };

    for (std::size_t at = header_words; at < words_.size();) {
        const std::uint32_t count = words_[at] >> 16;
        const std::uint32_t op = words_[at] & 0xffff;
        if (count == 0) fail("the instruction at word " + std::to_string(at) + " has length 0");
        if (count > words_.size() - at) fail("the instruction at word " + std::to_string(at) + " runs past the end");
        const auto operands = std::span<const std::uint32_t>(words_).subspan(at + 1, count - 1);
        const auto need = [&](std::size_t n) {
            if (operands.size() < n) fail("the instruction at word " + std::to_string(at) + " lacks operands");
        };
        if (const int r = preamble_rank(op); r != 0) {
            if (r < rank) fail("the instruction at word " + std::to_string(at) + " is out of order");
            rank = r;
        } else if (rank < 4) {
            fail("the instruction at word " + std::to_string(at) + " stands before OpMemoryModel");
        }
        switch (op) {
        case op_capability:
            need(1);
            capabilities_.push_back(operands[0]);
            capabilities_end_ = at + count;
            break;
        case op_extension: extensions_.push_back(literal_string(operands, at)); break;
        case op_memory_model: has_memory_model = true; break;
        case op_entry_point:
            need(3);
            entry_points_.push_back({.name = literal_string(operands.subspan(2), at),
                                     .function = operands[1],
                                     .execution_model = operands[0],
                                     .subgroup_size = {},
                                     .local_size = {}});
            modes_end_ = at + count;
            break;
        case op_execution_mode:
            need(2);
            if (operands[1] == mode_subgroup_size) {
                need(3);
                entry_of(operands[0]).subgroup_size = operands[2];
            } else if (operands[1] == mode_local_size) {
                need(5);
                entry_of(operands[0]).local_size = {operands[2], operands[3], operands[4]};
            }
            modes_end_ = at + count;
            break;
        case op_execution_mode_id: modes_end_ = at + count; break;
        case op_function:
            need(4);
            functions.push_back(operands[1]);
            break;
        default: break;
        }
        at += count;
    }
    if (!has_memory_model) fail("OpMemoryModel is missing");
    for (const auto& entry : entry_points_)
        if (std::ranges::find(functions, entry.function) == functions.end())
            fail("entry point '" + entry.name + "' has no function");
}

void spirv_module::insert(std::size_t position, std::span<const std::uint32_t> instruction) {
    words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(position), instruction.begin(), instruction.end());
    decode();
}

void spirv_module::check_has_kernel(const char* what) const {
    if (std::ranges::find(entry_points_, model_kernel, &spirv_entry_point::execution_model) == entry_points_.end())
        throw spirv_error(std::string("the SPIR-V module has no kernel to give a ") + what);
}

bool require_subgroup_size(spirv_module& module, std::uint32_t size) {
    if (size == 0 || !std::has_single_bit(size))
        throw spirv_error("a subgroup size must be a power of two, not " + std::to_string(size));
    module.check_has_kernel("subgroup size");
    for (const auto& entry : module.entry_points_)
        if (entry.subgroup_size && *entry.subgroup_size != size)
            throw spirv_error("kernel '" + entry.name + "' already requires subgroups of " +
                              std::to_string(*entry.subgroup_size) + ", not " + std::to_string(size));
    bool changed = false;
    if (!module.has_capability(capability_subgroup_dispatch)) {
        module.insert(module.capabilities_end_, std::array{first_word(2, op_capability), capability_subgroup_dispatch});
        changed = true;
    }
    for (std::size_t i = 0; i < module.entry_points_.size(); ++i) {
        const auto& entry = module.entry_points_[i];
        if (entry.execution_model != model_kernel || entry.subgroup_size) continue;
        const auto function = entry.function;
        module.insert(module.modes_end_,
                      std::array{first_word(4, op_execution_mode), function, mode_subgroup_size, size});
        changed = true;
    }
    return changed;
}

bool require_local_size(spirv_module& module, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    const std::array size{x, y, z};
    if (x == 0 || y == 0 || z == 0) throw spirv_error("a workgroup size must be positive");
    module.check_has_kernel("workgroup size");
    for (const auto& entry : module.entry_points_)
        if (entry.local_size && *entry.local_size != size)
            throw spirv_error("kernel '" + entry.name + "' already requires another workgroup size");
    bool changed = false;
    for (std::size_t i = 0; i < module.entry_points_.size(); ++i) {
        const auto& entry = module.entry_points_[i];
        if (entry.execution_model != model_kernel || entry.local_size) continue;
        const auto function = entry.function;
        module.insert(module.modes_end_,
                      std::array{first_word(6, op_execution_mode), function, mode_local_size, x, y, z});
        changed = true;
    }
    return changed;
}

}  // namespace kittens::inspect
