// SPDX-License-Identifier: Apache-2.0
//
// The matrix instruction (dpas): operand kinds, per-lane operand forms and which matrix element each lane's bits are.
// Source: SPV_INTEL_subgroup_matrix_multiply_accumulate and cl_intel_subgroup_matrix_multiply_accumulate; the fp8 and fp4
// operand bits are those of the Intel graphics compiler.
#pragma once

#include <kittens/model/block_shape.hpp>

namespace kittens::model {

/// Element formats of matrix operands.
enum class element { s4, u4, s8, u8, f16, bf16, tf32, e4m3, e5m2, e2m1, s32, f32 };

/// Bits of one element as the operand stores it (tf32 occupies 32).
constexpr int bits(element e) {
    switch (e) {
    case element::s4:
    case element::u4:
    case element::e2m1: return 4;
    case element::s8:
    case element::u8:
    case element::e4m3:
    case element::e5m2: return 8;
    case element::f16:
    case element::bf16: return 16;
    default: return 32;
    }
}

/// One combination of operand types that the instruction takes. Names are A_B, then _accumulator when it is not f32 or s32.
enum class dpas_kind {
    bf16,
    bf16_bf16,
    f16,
    f16_f16,
    s8_s8,
    s8_u8,
    u8_s8,
    u8_u8,
    s4_s4,
    s4_u4,
    u4_s4,
    u4_u4,
    tf32,
    e4m3_e4m3,
    e4m3_e4m3_bf16,
    e5m2_e5m2,
    e4m3_e5m2,
    e5m2_e4m3,
    e2m1,
    e2m1_bf16,
};
inline constexpr int dpas_kinds = static_cast<int>(dpas_kind::e2m1_bf16) + 1;

/// What a kind is made of.
struct dpas_form {
    const char* name;
    element a, b, acc;
    int operands;   ///< operand bits of the SPIR-V instruction
    bool cri_only;  ///< exists on Crescent Island alone

    /// Depth: columns of A and rows of B.
    constexpr int k() const { return 256 / bits(a); }
};

constexpr dpas_form form(dpas_kind kind) {
    using e = element;
    switch (kind) {
    case dpas_kind::bf16: return {"bf16", e::bf16, e::bf16, e::f32, 0x3000, false};
    case dpas_kind::bf16_bf16: return {"bf16 to bf16", e::bf16, e::bf16, e::bf16, 0x300C, false};
    case dpas_kind::f16: return {"f16", e::f16, e::f16, e::f32, 0xC00, false};
    case dpas_kind::f16_f16: return {"f16 to f16", e::f16, e::f16, e::f16, 0xC00, false};
    case dpas_kind::s8_s8: return {"s8 x s8", e::s8, e::s8, e::s32, 0x33, false};
    case dpas_kind::s8_u8: return {"s8 x u8", e::s8, e::u8, e::s32, 0x31, false};
    case dpas_kind::u8_s8: return {"u8 x s8", e::u8, e::s8, e::s32, 0x32, false};
    case dpas_kind::u8_u8: return {"u8 x u8", e::u8, e::u8, e::s32, 0x30, false};
    case dpas_kind::s4_s4: return {"s4 x s4", e::s4, e::s4, e::s32, 0xC3, false};
    case dpas_kind::s4_u4: return {"s4 x u4", e::s4, e::u4, e::s32, 0xC1, false};
    case dpas_kind::u4_s4: return {"u4 x s4", e::u4, e::s4, e::s32, 0xC2, false};
    case dpas_kind::u4_u4: return {"u4 x u4", e::u4, e::u4, e::s32, 0xC0, false};
    case dpas_kind::tf32: return {"tf32", e::tf32, e::tf32, e::f32, 0x300, false};
    case dpas_kind::e4m3_e4m3: return {"e4m3 x e4m3", e::e4m3, e::e4m3, e::f32, 0xC000, true};
    case dpas_kind::e4m3_e4m3_bf16: return {"e4m3 x e4m3 to bf16", e::e4m3, e::e4m3, e::bf16, 0xC00C, true};
    case dpas_kind::e5m2_e5m2: return {"e5m2 x e5m2", e::e5m2, e::e5m2, e::f32, 0x30000, true};
    case dpas_kind::e4m3_e5m2: return {"e4m3 x e5m2", e::e4m3, e::e5m2, e::f32, 0x24000, true};
    case dpas_kind::e5m2_e4m3: return {"e5m2 x e4m3", e::e5m2, e::e4m3, e::f32, 0x18000, true};
    case dpas_kind::e2m1: return {"e2m1", e::e2m1, e::e2m1, e::f32, 0xC0000, true};
    case dpas_kind::e2m1_bf16: return {"e2m1 to bf16", e::e2m1, e::e2m1, e::bf16, 0xC000C, true};
    }
    return {"", e::f32, e::f32, e::f32, 0, false};
}

/// True when the instruction takes this kind with `m` rows on the device.
constexpr bool legal_dpas(dpas_kind kind, int m, device d = device::portable) {
    const bool rows = m == 1 || m == 2 || m == 4 || m == 8;
    return rows && (!form(kind).cri_only || d == device::cri || d == device::any);
}

// ---- lane maps -----------------------------------------------------------------------------------------------------------------

/// Where an element sits in a subgroup's registers: lane, component of that lane's vector, and which sub-element of the
/// component counted from its lowest bits.
struct register_slot {
    int lane, component, sub;
    constexpr bool operator==(const register_slot&) const = default;
};

/// Row and column of a matrix element.
struct matrix_index {
    int row, column;
    constexpr bool operator==(const matrix_index&) const = default;
};

/// Components of A per lane for `m` rows.
constexpr int a_components(dpas_kind kind, int m) { return form(kind).a == element::tf32 ? (m + 1) / 2 : m; }
/// Elements of A in one component (16-bit components, 32-bit for tf32).
constexpr int a_subelements(dpas_kind kind) { return form(kind).a == element::tf32 ? 1 : 16 / bits(form(kind).a); }
/// Elements of B in one of the eight 32-bit components of a lane.
constexpr int b_subelements(dpas_kind kind) { return 32 / bits(form(kind).b); }

/// Slot of A(row, k). A is row-major: a row lies across the 16 lanes, several k per lane when elements are narrower than
/// 16 bits; tf32 has only 8 columns, so two rows share a component.
constexpr register_slot a_slot(dpas_kind kind, int row, int k) {
    if (form(kind).a == element::tf32) return {8 * (row % 2) + k, row / 2, 0};
    const int per = a_subelements(kind);
    return {k / per, row, k % per};
}

/// Element of A that a slot holds; the inverse of a_slot. For tf32 with one row, lanes 8 to 15 hold nothing (row 1).
constexpr matrix_index a_index(dpas_kind kind, register_slot s) {
    if (form(kind).a == element::tf32) return {2 * s.component + s.lane / 8, s.lane % 8};
    return {s.component, s.lane * a_subelements(kind) + s.sub};
}

/// Slot of B(k, column). B is in VNNI form: a 32-bit component packs consecutive rows k of one column, lowest k lowest.
constexpr register_slot b_slot(dpas_kind kind, int k, int column) {
    const int per = b_subelements(kind);
    return {column, k / per, k % per};
}

/// Element of B that a slot holds; the inverse of b_slot.
constexpr matrix_index b_index(dpas_kind kind, register_slot s) {
    return {s.component * b_subelements(kind) + s.sub, s.lane};
}

/// Slot of C(row, column), accumulator and result: one row per component, one column per lane.
constexpr register_slot c_slot(int row, int column) { return {column, row, 0}; }

/// Element of C that a slot holds.
constexpr matrix_index c_index(register_slot s) { return {s.component, s.lane}; }

}  // namespace kittens::model
