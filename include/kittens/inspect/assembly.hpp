// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Reading the text that iga64 writes for Xe machine code.
namespace kittens::inspect {

enum class op_class { dpas, send, move, alu, math, compare, control, sync, nop };

/// What a send is for, told from its decoded message.
enum class send_kind {
    none,
    block_load,      ///< 2-D load, plain
    transform_load,  ///< 2-D load fused with VNNI packing
    transpose_load,  ///< 2-D load, transposed
    prefetch,        ///< 2-D load without destination
    block_store,     ///< 2-D store
    linear_load,     ///< 1-D block load, one address
    linear_store,
    linear_prefetch,  ///< any other load without destination
    gather_load,      ///< an address per lane
    scatter_store,
    slm_load,
    slm_store,
    atomic,
    fence,
    barrier,
    scratch_load,  ///< spilled registers and private memory
    scratch_store,
    argument_load,  ///< the kernel's own arguments and local ids
    end_of_thread,
    other,
};

const char* name_of(op_class c);
const char* name_of(send_kind k);

/// A register operand: `r34.5<1>:ud` is register 34, byte 20, element size 4, stride 1.
struct register_operand {
    unsigned reg = 0;
    unsigned byte = 0;
    unsigned element_bytes = 0;
    unsigned stride = 1;
};

struct instruction {
    std::string text;       ///< the line, without its comment
    std::string predicate;  ///< "", "W", "f0.0", "W&~f1.0"
    std::string opcode;     ///< "send"
    std::string suffix;     ///< "ugm"; "8x8" of dpas
    unsigned exec = 1;
    std::vector<std::string> operands;
    std::string options;  ///< between braces, e.g. "EOT,$4"
    std::string comment;  ///< decoded message of a send
    op_class cls = op_class::alu;
    send_kind send = send_kind::none;
    std::string message;     ///< of a send: "load_block2d.ugm.d16v.a64"
    bool undecoded = false;  ///< iga64 knows its opcode only

    /// Waits for lanes or registers only, and never skipped: `(W)` or no predicate at all.
    bool unconditional() const { return predicate.empty() || predicate == "W"; }
};

struct program {
    std::vector<instruction> code;
    std::map<std::string, std::size_t> labels;  ///< to the index of the next instruction
};

/// Parses a listing. What stands behind the end of the thread and is never run (padding, the
/// kernel's hash) is left out. Throws inspect_error on a line that is no instruction.
program parse_assembly(std::string_view listing);

/// A register operand of the text, or nothing for "null", immediates and special registers.
std::optional<register_operand> parse_register(std::string_view operand);

/// An immediate's bits ("0x71F:uw", "24:w", "0x0:ud"), or nothing. Floating point gives
/// its bits where the listing shows them exactly.
std::optional<std::uint64_t> parse_immediate(std::string_view operand);

/// Instructions that run again and again: a natural loop of the control flow.
struct loop {
    std::string label;                 ///< of its first instruction
    std::size_t header = 0;            ///< index of the first instruction
    std::vector<std::size_t> members;  ///< indices, ascending, nested loops included
    std::vector<std::size_t> own;      ///< members that belong to no nested loop
    int parent = -1;                   ///< index of the enclosing loop
};

/// All loops, outer before inner.
std::vector<loop> find_loops(const program& code);

/// The loop that matters for speed: the most dpas of its own, or without any dpas the most sends.
/// Of equal ones, the most deeply nested. Nothing when there is no loop.
std::optional<std::size_t> main_loop(const program& code, const std::vector<loop>& loops);

}  // namespace kittens::inspect
