// SPDX-License-Identifier: Apache-2.0
// Where block instructions put data, against the text of SPV_INTEL_2d_block_io ("Mapping Block Data to Invocations"),
// replayed here as a procedure on streams of values, and against values written out by hand.
#include <gtest/gtest.h>
#include <kittens/model/block_layout.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace {

using kittens::model::block_index;
using kittens::model::block_op;
using kittens::model::block_shape;
using kittens::model::block_slot;

// One value that lanes receive: the elements packed into it, lowest bits first.
using value = std::vector<block_index>;
using row = std::vector<value>;

// The rows of a block as the extension text prepares them: packed for a transform, transposed for a transpose.
std::vector<row> prepared_rows(block_op op, const block_shape& s, int block) {
    std::vector<row> rows;
    if (op == block_op::transpose) {
        for (int c = 0; c < s.width; ++c) {
            row r;
            for (int m = 0; m < s.height; ++m) r.push_back({{block, m, c}});
            rows.push_back(r);
        }
        return rows;
    }
    const int pack = op == block_op::transform ? (s.elem == 1 ? 4 : 2) : 1;
    for (int first = 0; first < s.height; first += pack) {
        row r;
        for (int c = 0; c < s.width; ++c) {
            value v;
            for (int i = 0; i < pack; ++i) v.push_back({block, first + i, c});
            r.push_back(v);
        }
        rows.push_back(r);
    }
    return rows;
}

// Deals the rows to 16 lanes: what every lane holds, in order.
std::vector<std::vector<value>> deal(block_op op, const block_shape& s) {
    std::vector<std::vector<value>> lanes(16);
    for (int block = 0; block < s.count; ++block) {
        const auto rows = prepared_rows(op, s, block);
        const int length = static_cast<int>(rows[0].size());
        if (length == 16) {
            for (const row& r : rows)
                for (int l = 0; l < 16; ++l) lanes[l].push_back(r[l]);
        } else if (length > 16) {
            const int each = length / 16;
            for (const row& r : rows)
                for (int l = 0; l < 16; ++l)
                    for (int i = 0; i < each; ++i) lanes[l].push_back(r[l * each + i]);
        } else {
            const int together = 16 / length;
            for (std::size_t first = 0; first < rows.size(); first += together) {
                for (int l = 0; l < 16; ++l) {
                    const std::size_t of = first + l / length;
                    lanes[l].push_back(of < rows.size() ? rows[of][l % length] : value{});
                }
            }
        }
    }
    return lanes;
}

// Everything that the emulator accepts.
std::vector<std::pair<block_op, block_shape>> all_shapes() {
    std::vector<std::pair<block_op, block_shape>> out;
    for (const block_op op : {block_op::load, block_op::transform, block_op::transpose, block_op::store})
        for (const int elem : {1, 2, 4, 8})
            for (const int width : {1, 2, 4, 8, 16, 32, 64})
                for (const int height : {1, 2, 4, 8, 16, 32})
                    for (const int count : {1, 2, 4})
                        if (kittens::model::legal(op, {elem, width, height, count}, kittens::model::device::any))
                            out.emplace_back(op, block_shape{elem, width, height, count});
    return out;
}

TEST(block_layout, follows_the_extension_text) {
    const auto shapes = all_shapes();
    ASSERT_GT(shapes.size(), 60u);
    for (const auto& [op, s] : shapes) {
        SCOPED_TRACE(::testing::Message() << kittens::model::name(op) << " " << s.elem << " " << s.width << "x"
                                          << s.height << " x" << s.count);
        const auto lanes = deal(op, s);
        // Plain loads and stores put a lane's neighbours into one component.
        const int merged = op == block_op::load || op == block_op::store ? std::max(1, s.width / 16) : 1;
        ASSERT_EQ(lanes[0].size(), static_cast<std::size_t>(kittens::model::components(op, s)) * merged);
        for (int l = 0; l < 16; ++l) {
            for (int c = 0; c < kittens::model::components(op, s); ++c) {
                for (int sub = 0; sub < kittens::model::elements_per_component(op, s); ++sub) {
                    const value& v = merged > 1 ? lanes[l][c * merged + sub] : lanes[l][c];
                    const block_index at = kittens::model::element_at(op, s, l, c, sub);
                    if (v.empty()) {
                        EXPECT_TRUE(at.row >= s.height || at.column >= s.width)
                            << "lane " << l << " component " << c << " holds nothing";
                    } else {
                        EXPECT_EQ(at, merged > 1 ? v[0] : v[sub])
                            << "lane " << l << " component " << c << " sub " << sub;
                    }
                }
            }
        }
    }
}

TEST(block_layout, slot_is_the_inverse) {
    for (const auto& [op, s] : all_shapes())
        for (int b = 0; b < s.count; ++b)
            for (int r = 0; r < s.height; ++r)
                for (int c = 0; c < s.width; ++c) {
                    const block_slot at = kittens::model::slot_of(op, s, {b, r, c});
                    ASSERT_EQ((block_index{b, r, c}), kittens::model::element_at(op, s, at.lane, at.component, at.sub))
                        << kittens::model::name(op) << " " << s.elem << " " << s.width << "x" << s.height << " x"
                        << s.count;
                }
}

struct expectation {
    block_op op;
    block_shape shape;
    int lane, component, sub;
    block_index element;
};

// By hand, from the table of element orders that the compiler's register use confirmed.
TEST(block_layout, values_by_hand) {
    const expectation table[] = {
        {block_op::load, {2, 16, 32, 2}, 5, 3, 0, {0, 3, 5}},        // rows ascend
        {block_op::load, {2, 16, 32, 2}, 5, 35, 0, {1, 3, 5}},       // then blocks
        {block_op::load, {4, 16, 8, 1}, 15, 7, 0, {0, 7, 15}},       // one row per component
        {block_op::load, {4, 8, 8, 1}, 3, 2, 0, {0, 4, 3}},          // two rows per component: even row in lanes 0 to 7
        {block_op::load, {4, 8, 8, 1}, 11, 2, 0, {0, 5, 3}},         // odd row in lanes 8 to 15
        {block_op::load, {4, 8, 8, 2}, 11, 6, 0, {1, 5, 3}},         // second block after four components
        {block_op::load, {1, 32, 8, 1}, 7, 4, 0, {0, 4, 14}},        // low byte: even column
        {block_op::load, {1, 32, 8, 1}, 7, 4, 1, {0, 4, 15}},        // high byte: odd column
        {block_op::load, {1, 16, 8, 4}, 9, 26, 0, {3, 2, 9}},        // block 3, row 2
        {block_op::load, {2, 32, 16, 1}, 4, 10, 1, {0, 10, 9}},      // high half: odd column
        {block_op::transform, {2, 16, 32, 2}, 6, 0, 0, {0, 0, 6}},   // low half: even row
        {block_op::transform, {2, 16, 32, 2}, 6, 0, 1, {0, 1, 6}},   // high half: odd row
        {block_op::transform, {2, 16, 32, 2}, 6, 17, 1, {1, 3, 6}},  // 16 components per block
        {block_op::transform, {1, 16, 32, 4}, 2, 9, 3, {1, 7, 2}},   // 8 components per block, 4 rows each
        {block_op::transpose, {4, 8, 16, 1}, 13, 5, 0, {0, 13, 5}},  // lane: memory row; component: memory column
        {block_op::transpose, {4, 8, 32, 1}, 3, 4, 0, {0, 6, 2}},    // tall: lane l has rows 2 l and 2 l + 1
        {block_op::transpose, {4, 8, 32, 1}, 3, 5, 0, {0, 7, 2}},
        {block_op::store, {2, 16, 8, 1}, 12, 6, 0, {0, 6, 12}},
        {block_op::store, {1, 32, 4, 1}, 1, 3, 1, {0, 3, 3}},
    };
    for (const expectation& e : table)
        EXPECT_EQ(e.element, kittens::model::element_at(e.op, e.shape, e.lane, e.component, e.sub))
            << kittens::model::name(e.op) << " lane " << e.lane << " component " << e.component << " sub " << e.sub;
}

TEST(block_layout, per_lane_array_lengths_are_the_extensions) {
    // "reads ... uints" and so on in the comments of the extension's function list.
    const struct {
        block_op op;
        block_shape s;
        int values, bytes;
    } table[] = {
        {block_op::load, {1, 32, 1, 1}, 1, 2},       {block_op::load, {1, 32, 32, 2}, 64, 2},
        {block_op::load, {2, 16, 8, 1}, 8, 2},       {block_op::load, {2, 16, 32, 2}, 64, 2},
        {block_op::load, {4, 8, 1, 1}, 1, 4},        {block_op::load, {4, 8, 2, 1}, 1, 4},
        {block_op::load, {4, 8, 1, 2}, 2, 4},        {block_op::load, {4, 8, 2, 2}, 2, 4},
        {block_op::load, {4, 8, 32, 2}, 32, 4},      {block_op::load, {4, 16, 32, 1}, 32, 4},
        {block_op::load, {1, 16, 32, 4}, 128, 1},    {block_op::transform, {1, 16, 32, 4}, 32, 4},
        {block_op::transform, {2, 16, 16, 1}, 8, 4}, {block_op::transform, {2, 16, 32, 2}, 32, 4},
        {block_op::transpose, {4, 8, 16, 1}, 8, 4},  {block_op::transpose, {4, 8, 32, 1}, 16, 4},
        {block_op::store, {1, 16, 8, 1}, 8, 1},      {block_op::store, {1, 32, 8, 1}, 8, 2},
        {block_op::store, {4, 16, 8, 1}, 8, 4},
    };
    for (const auto& t : table) {
        EXPECT_EQ(t.values, kittens::model::components(t.op, t.s));
        EXPECT_EQ(t.bytes, kittens::model::component_bytes(t.op, t.s));
    }
}

// The maps are usable in constant expressions, as device code needs them.
static_assert(kittens::model::element_at(block_op::transform, {2, 16, 32, 2}, 6, 17, 1) == block_index{1, 3, 6});
static_assert(kittens::model::slot_of(block_op::load, {4, 8, 8, 1}, {0, 5, 3}) == block_slot{11, 2, 0});

}  // namespace
