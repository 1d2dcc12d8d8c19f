// SPDX-License-Identifier: Apache-2.0
// Operands of the matrix instruction: which element each lane's bits are. The extension says that a lane contributes
// consecutive elements of each row of A, and one column of B packed into 256 bits; here both are cut out of byte images of
// the matrices.
#include <gtest/gtest.h>
#include <kittens/model/dpas.hpp>

#include <vector>

namespace {

using kittens::model::dpas_form;
using kittens::model::dpas_kind;
using kittens::model::element;
using kittens::model::form;
using kittens::model::matrix_index;
using kittens::model::register_slot;

std::vector<dpas_kind> kinds() {
    std::vector<dpas_kind> out;
    for (int i = 0; i < kittens::model::dpas_kinds; ++i) out.push_back(static_cast<dpas_kind>(i));
    return out;
}

// Position of sub-element `sub` of component `component` in a lane's bits, counted in elements.
int position(int component, int sub, int component_bits, element e) {
    return (component * component_bits + sub * kittens::model::bits(e)) / kittens::model::bits(e);
}

TEST(dpas, a_rows_are_dealt_to_the_lanes_in_order) {
    for (const dpas_kind kind : kinds()) {
        const dpas_form f = form(kind);
        if (f.a == element::tf32) continue;
        // A row of K elements is 256 bits: 16 bits for each lane, lane 0 first.
        for (int row = 0; row < 8; ++row) {
            int k = 0;
            for (int lane = 0; lane < 16; ++lane)
                for (int sub = 0; sub < 16 / kittens::model::bits(f.a); ++sub, ++k) {
                    EXPECT_EQ((register_slot{lane, row, sub}), kittens::model::a_slot(kind, row, k)) << f.name;
                    EXPECT_EQ((matrix_index{row, k}), kittens::model::a_index(kind, {lane, row, sub})) << f.name;
                }
            EXPECT_EQ(f.k(), k);
        }
    }
}

TEST(dpas, tf32_a_alternates_rows_between_the_lane_halves) {
    // "The first K work-items contribute the even rows of the matrix a, and the remaining the odd rows."
    for (int row = 0; row < 8; ++row)
        for (int k = 0; k < 8; ++k) {
            const register_slot s = kittens::model::a_slot(dpas_kind::tf32, row, k);
            EXPECT_EQ(row % 2 == 0 ? k : k + 8, s.lane);
            EXPECT_EQ(row / 2, s.component);
            EXPECT_EQ((matrix_index{row, k}), kittens::model::a_index(dpas_kind::tf32, s));
        }
    EXPECT_EQ(4, kittens::model::a_components(dpas_kind::tf32, 8));
    EXPECT_EQ(2, kittens::model::a_components(dpas_kind::tf32, 4));
    EXPECT_EQ(1, kittens::model::a_components(dpas_kind::tf32, 2));
    EXPECT_EQ(1, kittens::model::a_components(dpas_kind::tf32, 1));
}

TEST(dpas, b_columns_are_packed_into_256_bits) {
    for (const dpas_kind kind : kinds()) {
        const dpas_form f = form(kind);
        for (int column = 0; column < 16; ++column)
            for (int k = 0; k < f.k(); ++k) {
                const register_slot s = kittens::model::b_slot(kind, k, column);
                EXPECT_EQ(column, s.lane) << f.name;
                EXPECT_EQ(k, position(s.component, s.sub, 32, f.b))
                    << f.name << ": rows ascend through the lane's 256 bits";
                EXPECT_LT(s.component, 8);
                EXPECT_EQ((matrix_index{k, column}), kittens::model::b_index(kind, s)) << f.name;
            }
    }
}

TEST(dpas, values_by_hand) {
    using kittens::model::a_slot;
    using kittens::model::b_slot;
    EXPECT_EQ((register_slot{5, 3, 0}), a_slot(dpas_kind::bf16, 3, 5));
    EXPECT_EQ((register_slot{5, 3, 1}), a_slot(dpas_kind::s8_u8, 3, 11));
    EXPECT_EQ((register_slot{15, 2, 3}), a_slot(dpas_kind::u4_u4, 2, 63));
    EXPECT_EQ((register_slot{11, 2, 0}), a_slot(dpas_kind::tf32, 5, 3));
    EXPECT_EQ((register_slot{9, 2, 1}), b_slot(dpas_kind::bf16, 5, 9));    // high half
    EXPECT_EQ((register_slot{9, 2, 0}), b_slot(dpas_kind::f16, 4, 9));     // low half
    EXPECT_EQ((register_slot{0, 7, 2}), b_slot(dpas_kind::s8_s8, 30, 0));  // third byte
    EXPECT_EQ((register_slot{4, 7, 7}), b_slot(dpas_kind::s4_s4, 63, 4));  // highest nibble
    EXPECT_EQ((register_slot{2, 6, 0}), b_slot(dpas_kind::tf32, 6, 2));
    EXPECT_EQ((register_slot{13, 6, 0}), kittens::model::c_slot(6, 13));
    EXPECT_EQ((matrix_index{6, 13}), kittens::model::c_index({13, 6, 0}));
}

TEST(dpas, operand_bits_and_depths) {
    const struct {
        dpas_kind kind;
        int k, operands;
    } table[] = {
        {dpas_kind::bf16, 16, 0x3000},       {dpas_kind::bf16_bf16, 16, 0x300C},  {dpas_kind::f16, 16, 0xC00},
        {dpas_kind::f16_f16, 16, 0xC00},     {dpas_kind::s8_s8, 32, 0x33},        {dpas_kind::s8_u8, 32, 0x31},
        {dpas_kind::u8_s8, 32, 0x32},        {dpas_kind::u8_u8, 32, 0x30},        {dpas_kind::s4_s4, 64, 0xC3},
        {dpas_kind::u4_s4, 64, 0xC2},        {dpas_kind::tf32, 8, 0x300},         {dpas_kind::e4m3_e4m3, 32, 0xC000},
        {dpas_kind::e5m2_e5m2, 32, 0x30000}, {dpas_kind::e4m3_e5m2, 32, 0x24000}, {dpas_kind::e5m2_e4m3, 32, 0x18000},
        {dpas_kind::e2m1, 64, 0xC0000},
    };
    for (const auto& t : table) {
        EXPECT_EQ(t.k, form(t.kind).k()) << form(t.kind).name;
        EXPECT_EQ(t.operands, form(t.kind).operands) << form(t.kind).name;
    }
}

TEST(dpas, legality) {
    using kittens::model::device;
    using kittens::model::legal_dpas;
    for (const int m : {1, 2, 4, 8}) EXPECT_TRUE(legal_dpas(dpas_kind::bf16, m));
    for (const int m : {0, 3, 5, 16}) EXPECT_FALSE(legal_dpas(dpas_kind::bf16, m));
    EXPECT_FALSE(legal_dpas(dpas_kind::e4m3_e4m3, 8, device::pvc));
    EXPECT_FALSE(legal_dpas(dpas_kind::e4m3_e4m3, 8));
    EXPECT_TRUE(legal_dpas(dpas_kind::e4m3_e4m3, 8, device::cri));
}

}  // namespace
