// SPDX-License-Identifier: Apache-2.0
// The portable block shapes, against the complete list of functions in cl_intel_subgroup_2d_block_io, and the rules on
// surfaces, against the restrictions of SPV_INTEL_2d_block_io.
#include <gtest/gtest.h>
#include <kittens/model/block_shape.hpp>

#include <cstdio>
#include <set>
#include <string>
#include <tuple>

namespace {

using kittens::model::block_op;
using kittens::model::block_shape;
using kittens::model::device;
using kittens::model::surface_error;

// Operation, element bits, rows, columns, blocks, as the functions are called.
const char* const functions[] = {
    "prefetch_16b_16r16x1c",
    "prefetch_16b_16r16x2c",
    "prefetch_16b_1r16x1c",
    "prefetch_16b_1r16x2c",
    "prefetch_16b_2r16x1c",
    "prefetch_16b_2r16x2c",
    "prefetch_16b_32r16x1c",
    "prefetch_16b_32r16x2c",
    "prefetch_16b_4r16x1c",
    "prefetch_16b_4r16x2c",
    "prefetch_16b_8r16x1c",
    "prefetch_16b_8r16x2c",
    "prefetch_32b_16r16x1c",
    "prefetch_32b_16r8x1c",
    "prefetch_32b_16r8x2c",
    "prefetch_32b_1r16x1c",
    "prefetch_32b_1r8x1c",
    "prefetch_32b_1r8x2c",
    "prefetch_32b_2r16x1c",
    "prefetch_32b_2r8x1c",
    "prefetch_32b_2r8x2c",
    "prefetch_32b_32r16x1c",
    "prefetch_32b_32r8x1c",
    "prefetch_32b_32r8x2c",
    "prefetch_32b_4r16x1c",
    "prefetch_32b_4r8x1c",
    "prefetch_32b_4r8x2c",
    "prefetch_32b_8r16x1c",
    "prefetch_32b_8r8x1c",
    "prefetch_32b_8r8x2c",
    "prefetch_8b_16r16x4c",
    "prefetch_8b_16r32x1c",
    "prefetch_8b_16r32x2c",
    "prefetch_8b_1r32x1c",
    "prefetch_8b_1r32x2c",
    "prefetch_8b_2r32x1c",
    "prefetch_8b_2r32x2c",
    "prefetch_8b_32r16x1c",
    "prefetch_8b_32r16x2c",
    "prefetch_8b_32r16x4c",
    "prefetch_8b_32r32x1c",
    "prefetch_8b_32r32x2c",
    "prefetch_8b_4r32x1c",
    "prefetch_8b_4r32x2c",
    "prefetch_8b_8r16x4c",
    "prefetch_8b_8r32x1c",
    "prefetch_8b_8r32x2c",
    "read_16b_16r16x1c",
    "read_16b_16r16x2c",
    "read_16b_1r16x1c",
    "read_16b_1r16x2c",
    "read_16b_2r16x1c",
    "read_16b_2r16x2c",
    "read_16b_32r16x1c",
    "read_16b_32r16x2c",
    "read_16b_4r16x1c",
    "read_16b_4r16x2c",
    "read_16b_8r16x1c",
    "read_16b_8r16x2c",
    "read_32b_16r16x1c",
    "read_32b_16r8x1c",
    "read_32b_16r8x2c",
    "read_32b_1r16x1c",
    "read_32b_1r8x1c",
    "read_32b_1r8x2c",
    "read_32b_2r16x1c",
    "read_32b_2r8x1c",
    "read_32b_2r8x2c",
    "read_32b_32r16x1c",
    "read_32b_32r8x1c",
    "read_32b_32r8x2c",
    "read_32b_4r16x1c",
    "read_32b_4r8x1c",
    "read_32b_4r8x2c",
    "read_32b_8r16x1c",
    "read_32b_8r8x1c",
    "read_32b_8r8x2c",
    "read_8b_16r16x4c",
    "read_8b_16r32x1c",
    "read_8b_16r32x2c",
    "read_8b_1r32x1c",
    "read_8b_1r32x2c",
    "read_8b_2r32x1c",
    "read_8b_2r32x2c",
    "read_8b_32r16x4c",
    "read_8b_32r32x1c",
    "read_8b_32r32x2c",
    "read_8b_4r32x1c",
    "read_8b_4r32x2c",
    "read_8b_8r16x4c",
    "read_8b_8r32x1c",
    "read_8b_8r32x2c",
    "read_transform_16b_16r16x1c",
    "read_transform_16b_16r16x2c",
    "read_transform_16b_32r16x1c",
    "read_transform_16b_32r16x2c",
    "read_transform_8b_32r16x1c",
    "read_transform_8b_32r16x2c",
    "read_transform_8b_32r16x4c",
    "read_transpose_32b_16r8x1c",
    "read_transpose_32b_32r8x1c",
    "write_16b_1r16x1c",
    "write_16b_2r16x1c",
    "write_16b_4r16x1c",
    "write_16b_8r16x1c",
    "write_32b_1r16x1c",
    "write_32b_2r16x1c",
    "write_32b_4r16x1c",
    "write_32b_8r16x1c",
    "write_8b_1r16x1c",
    "write_8b_1r32x1c",
    "write_8b_2r16x1c",
    "write_8b_2r32x1c",
    "write_8b_4r16x1c",
    "write_8b_4r32x1c",
    "write_8b_8r16x1c",
    "write_8b_8r32x1c",
};

block_op op_of(const std::string& function) {
    if (function.starts_with("read_transform")) return block_op::transform;
    if (function.starts_with("read_transpose")) return block_op::transpose;
    if (function.starts_with("read")) return block_op::load;
    if (function.starts_with("prefetch")) return block_op::prefetch;
    return block_op::store;
}

TEST(block_shapes, portable_set_is_the_extensions_list) {
    std::set<std::tuple<block_op, int, int, int, int>> listed;
    for (const std::string f : functions) {
        int bits = 0, rows = 0, columns = 0, blocks = 0;
        const auto digits = f.find_first_of("0123456789");
        ASSERT_EQ(4, std::sscanf(f.c_str() + digits, "%db_%dr%dx%dc", &bits, &rows, &columns, &blocks)) << f;
        listed.insert({op_of(f), bits / 8, columns, rows, blocks});
    }
    for (const block_op op :
         {block_op::load, block_op::transform, block_op::transpose, block_op::prefetch, block_op::store})
        for (const int elem : {1, 2, 4, 8})
            for (int width = 1; width <= 64; ++width)
                for (int height = 1; height <= 64; ++height)
                    for (int count = 1; count <= 4; ++count)
                        EXPECT_EQ(listed.contains({op, elem, width, height, count}),
                                  kittens::model::legal(op, {elem, width, height, count}))
                            << kittens::model::name(op) << " " << elem << " " << width << "x" << height << " x"
                            << count;
}

TEST(block_shapes, there_is_no_narrow_transpose_on_any_device) {
    for (const int elem : {1, 2})
        for (const int width : {4, 8, 16})
            for (const int height : {8, 16, 32})
                EXPECT_FALSE(kittens::model::legal(block_op::transpose, {elem, width, height, 1}, device::any));
}

TEST(block_shapes, devices_only_add_to_the_portable_set) {
    for (const device d : {device::pvc, device::bmg, device::cri, device::any}) {
        EXPECT_TRUE(kittens::model::legal(block_op::load, {2, 16, 32, 2}, d));
        EXPECT_TRUE(kittens::model::legal(block_op::load, {2, 32, 32, 1}, d));
        EXPECT_FALSE(kittens::model::legal(block_op::store, {2, 16, 16, 1}, d)) << "stores have at most 8 rows";
        EXPECT_FALSE(kittens::model::legal(block_op::store, {2, 16, 8, 2}, d)) << "stores have one block";
        EXPECT_FALSE(kittens::model::legal(block_op::load, {2, 16, 3, 1}, d));
        EXPECT_FALSE(kittens::model::legal(block_op::load, {2, 16, 64, 1}, d));
        EXPECT_FALSE(kittens::model::legal(block_op::transform, {4, 16, 16, 1}, d));
    }
    EXPECT_FALSE(kittens::model::legal(block_op::transpose, {4, 16, 16, 1}, device::pvc));
    EXPECT_TRUE(kittens::model::legal(block_op::transpose, {4, 16, 16, 1}, device::cri));
    EXPECT_FALSE(kittens::model::legal(block_op::prefetch, {2, 32, 16, 4}, device::bmg));
    EXPECT_TRUE(kittens::model::legal(block_op::prefetch, {2, 32, 16, 4}, device::cri));
}

TEST(surfaces, each_rule_has_its_own_answer) {
    using kittens::model::check_surface;
    EXPECT_EQ(surface_error::none, check_surface(0x1000, 64, 1, 64, 2));
    EXPECT_EQ(surface_error::none, check_surface(0x1040, 1 << 24, 1 << 24, 1 << 24, 4));
    EXPECT_EQ(surface_error::base_misaligned, check_surface(0x1020, 64, 1, 64, 2));
    EXPECT_EQ(surface_error::base_misaligned, check_surface(0x1001, 64, 1, 64, 1));
    EXPECT_EQ(surface_error::width_range, check_surface(0x1000, 60, 1, 64, 2));
    EXPECT_EQ(surface_error::width_range, check_surface(0x1000, (1 << 24) + 4, 1, 1 << 25, 2));
    EXPECT_EQ(surface_error::width_multiple, check_surface(0x1000, 66, 1, 80, 2))
        << "16-bit data still need a multiple of 4";
    EXPECT_EQ(surface_error::width_multiple, check_surface(0x1000, 68, 1, 80, 8));
    EXPECT_EQ(surface_error::height_range, check_surface(0x1000, 64, 0, 64, 2));
    EXPECT_EQ(surface_error::height_range, check_surface(0x1000, 64, (1 << 24) + 1, 64, 2));
    EXPECT_EQ(surface_error::pitch_small, check_surface(0x1000, 128, 4, 112, 2));
    EXPECT_EQ(surface_error::pitch_multiple, check_surface(0x1000, 64, 4, 72, 2))
        << "the OpenCL text asks for 16, not 8";
}

TEST(surfaces, horizontal_position) {
    using kittens::model::check_x;
    EXPECT_EQ(surface_error::none, check_x(-4, 1));
    EXPECT_EQ(surface_error::x_multiple, check_x(2, 1));
    EXPECT_EQ(surface_error::none, check_x(2, 2));
    EXPECT_EQ(surface_error::x_multiple, check_x(3, 2));
    EXPECT_EQ(surface_error::none, check_x(3, 4));
}

TEST(surfaces, bounds_are_width_and_height) {
    using kittens::model::in_bounds;
    EXPECT_TRUE(in_bounds(31, 7, 2, 64, 8));
    EXPECT_FALSE(in_bounds(32, 7, 2, 64, 8));
    EXPECT_FALSE(in_bounds(31, 8, 2, 64, 8));
    EXPECT_FALSE(in_bounds(-1, 0, 2, 64, 8));
    EXPECT_FALSE(in_bounds(0, -1, 2, 64, 8));
}

}  // namespace
