// SPDX-License-Identifier: Apache-2.0
// Faults of 2-D block instructions, each provoked by a small kernel.
#include "support.hpp"

#include <algorithm>

namespace emulated_tests {
namespace {

isa::surface surface_of(const tensor<short>& t, int columns) {
    return {t.data(), columns * 2, static_cast<int>(t.size()) / columns, columns * 2};
}

TEST(emulated_surfaces, misaligned_base) {
    tensor<short> t(64 * 64);
    isa::surface s = surface_of(t, 64);
    s.base = t.data() + 8;
    s.height = 32;
    const auto r = run([&](char*) {
        isa::operation_scope scope("load", "rt<bf16, 32, 32, row, 32x32>", 0, 0, 3, 5);
        short8 v;
        isa::load_2d<2, 16, 8>(s, 0, 0, &v);
    });
    EXPECT_ONE_FAULT(r, fault_kind::surface_misaligned, "64-byte aligned");
    const emulated::fault& f = r.faults[0];
    EXPECT_EQ("load", f.operation);
    EXPECT_EQ("rt<bf16, 32, 32, row, 32x32>", f.tile);
    EXPECT_EQ((std::array<int, 4>{0, 0, 3, 5}), f.coordinate);
    EXPECT_EQ("test_kernel: surface_misaligned: load of rt<bf16, 32, 32, row, 32x32> at {0, 0, 3, 5}",
              f.text().substr(0, f.text().find(": the surface")));
}

TEST(emulated_surfaces, bad_pitch_and_width) {
    tensor<short> t(64 * 64);
    for (const auto& [width, pitch, kind] :
         {std::tuple{128, 120, fault_kind::surface_pitch}, std::tuple{64, 72, fault_kind::surface_pitch},
          std::tuple{32, 128, fault_kind::surface_width}, std::tuple{66, 128, fault_kind::surface_width}}) {
        const isa::surface s{t.data(), width, 16, pitch};
        const auto r = run([&](char*) {
            short8 v;
            isa::load_2d<2, 16, 8>(s, 0, 0, &v);
        });
        EXPECT_ONE_FAULT(r, kind, width < 64 || width == 66 ? "width" : "pitch");
    }
}

TEST(emulated_surfaces, height_zero) {
    tensor<short> t(64 * 64);
    const isa::surface s{t.data(), 128, 0, 128};
    const auto r = run([&](char*) {
        short8 v;
        isa::load_2d<2, 16, 8>(s, 0, 0, &v);
    });
    EXPECT_ONE_FAULT(r, fault_kind::surface_height, "height");
}

TEST(emulated_surfaces, horizontal_position) {
    tensor<short> t(64 * 64);
    const auto r = run([&](char*) {
        short8 v;
        isa::load_2d<2, 16, 8>(surface_of(t, 64), 3, 0, &v);
    });
    EXPECT_ONE_FAULT(r, fault_kind::block_coordinate, "x 3");
}

TEST(emulated_surfaces, illegal_shapes_of_direct_calls) {
    tensor<short> t(64 * 64);
    const auto base = t.data();
    const auto width = run([&](char*) {
        short v[64];
        __spirv_Subgroup2DBlockLoadINTEL(2, 24, 8, 1, base, 128, 64, 128, int2{0, 0}, v);
    });
    EXPECT_ONE_FAULT(width, fault_kind::illegal_block, "width 24");
    const auto element = run([&](char*) {
        short v[64];
        __spirv_Subgroup2DBlockLoadTransposeINTEL(2, 16, 16, 1, base, 128, 64, 128, int2{0, 0}, v);
    });
    EXPECT_ONE_FAULT(element, fault_kind::illegal_block, "2-byte elements");
    const auto tall = run([&](char*) {
        short v[64] = {};
        __spirv_Subgroup2DBlockStoreINTEL(2, 16, 16, 1, v, base, 128, 64, 128, int2{0, 0});
    });
    EXPECT_ONE_FAULT(tall, fault_kind::illegal_block, "legal are");
    const auto transpose = run([&](char*) {
        int v[64];
        __spirv_Subgroup2DBlockLoadTransposeINTEL(4, 8, 32, 1, base, 128, 64, 128, int2{0, 0}, v);
    });
    EXPECT_ONE_FAULT(transpose, fault_kind::illegal_block, "height 32");
}

TEST(emulated_surfaces, shapes_of_one_device) {
    tensor<int> t(64 * 64);
    const auto kernel = [&](char*) {
        int16 v;
        isa::load_2d_transpose<4, 16, 16>(isa::surface{t.data(), 256, 64, 256}, 0, 0, &v);
    };
    shape cri, pvc;
    cri.options.device = model::device::cri;
    pvc.options.device = model::device::pvc;
    EXPECT_TRUE(run(cri, kernel).clean());
    EXPECT_ONE_FAULT(run(pvc, kernel), fault_kind::illegal_block, "width 16");
}

TEST(emulated_surfaces, wrong_subgroup_size) {
    tensor<short> t(64 * 64);
    shape s;
    s.options.subgroup_size = 32;
    const auto r = run(s, [&](char*) {
        short8 v;
        isa::load_2d<2, 16, 8>(surface_of(t, 64), 0, 0, &v);
    });
    EXPECT_ONE_FAULT(r, fault_kind::wrong_subgroup_size, "16 lanes");

    shape partial;
    partial.subgroups = 2;
    partial.options.work_items = 24;  // the second subgroup has 8 lanes
    const auto p = run(partial, [&](char*) {
        const short8 a{};
        const int8 b{};
        isa::dpas<isa::dpas_kind::bf16, 8>(a, b, float8{});
    });
    EXPECT_ONE_FAULT(p, fault_kind::wrong_subgroup_size, "one of 8");
    EXPECT_EQ(1, p.faults[0].subgroup);
}

TEST(emulated_surfaces, outside_of_the_allocation) {
    tensor<short> t(64 * 16, "weights");
    const isa::surface s{t.data(), 128, 32, 128};  // claims twice the rows that exist
    short8 at_the_end{};
    const auto r = run([&](char*) {
        short8 v;
        isa::load_2d<2, 16, 8>(s, 0, 0, &v);
        isa::load_2d<2, 16, 8>(s, 16, 12, &v);
        if (isa::lane() == 3) at_the_end = v;
    });
    EXPECT_ONE_FAULT(r, fault_kind::out_of_allocation, "row 16");
    EXPECT_NE(std::string::npos, r.faults[0].message.find("'weights'")) << r.text();
    EXPECT_EQ(0, at_the_end[7]);
}

TEST(emulated_surfaces, store_outside_of_the_allocation_is_not_done) {
    tensor<short> t(64 * 16);
    const std::vector<short> before(t.begin(), t.end());
    const isa::surface s{t.data(), 128, 32, 128};
    const auto r = run([&](char*) {
        const short8 v{1, 2, 3, 4, 5, 6, 7, 8};
        isa::store_2d<2, 16, 8>(s, 0, 12, &v);
    });
    EXPECT_ONE_FAULT(r, fault_kind::out_of_allocation, "2-D block store");
    EXPECT_TRUE(std::equal(before.begin(), before.end(), t.begin()));
}

TEST(emulated_surfaces, one_report_for_a_fault_that_repeats) {
    tensor<short> t(64 * 64);
    shape s;
    s.subgroups = 4;
    s.groups_x = 3;
    auto r = run(s, [&](char*) {
        for (int i = 0; i < 5; ++i) {
            isa::operation_scope scope("load", "tile");
            short8 v;
            isa::load_2d<2, 16, 8>(isa::surface{t.data() + 1, 128, 63, 128}, 0, 0, &v);
        }
    });
    // Without debug information the copies that an unrolled loop makes of a call cannot be told to be one.
    r.locate();
    EXPECT_EQ(fault_kind::surface_misaligned, r.faults.at(0).kind);
    if (!r.faults[0].source.empty()) EXPECT_ONE_FAULT(r, fault_kind::surface_misaligned, "[60 times]");
    EXPECT_LE(r.faults.size(), 4u) << r.text();
    std::uint64_t times = 0;
    for (const emulated::fault& f : r.faults) times += f.occurrences;
    EXPECT_EQ(60u, times);
}

TEST(emulated_surfaces, allocations_end_where_they_end) {
    tensor<float> t(1000);
    const auto r = run([&](char*) {
        if (isa::lane() == 0) {
            isa::load_global(t.data() + 999);
            isa::store_global(t.data() + 1000, 1.0F);
        }
    });
    EXPECT_ONE_FAULT(r, fault_kind::out_of_allocation, "0 bytes past the end of allocation 'tensor' of 4000 bytes");
    EXPECT_EQ(0, r.faults[0].lane);
    int on_the_host = 0;
    const auto host = run([&](char*) { isa::load_global(&on_the_host); });
    EXPECT_ONE_FAULT(host, fault_kind::out_of_allocation, "global load");
}

TEST(emulated_surfaces, misaligned_plain_access) {
    tensor<float> t(1000);
    const auto r = run([&](char*) { isa::load_global(reinterpret_cast<const uint4*>(t.data() + 1)); });
    EXPECT_ONE_FAULT(r, fault_kind::misaligned_access, "multiple of 16");
}

TEST(emulated_surfaces, illegal_matrix) {
    const auto bits = run([&](char*) {
        const short8 a{};
        const int8 b{};
        __spirv_SubgroupMatrixMultiplyAccumulateINTEL(16, a, b, float8{}, 0x1234);
    });
    ASSERT_NE(nullptr, find(bits, fault_kind::illegal_matrix)) << bits.text();
    shape pvc;
    pvc.options.device = model::device::pvc;
    const auto fp8 = run(pvc, [&](char*) {
        const short8 a{};
        const int8 b{};
        isa::dpas<isa::dpas_kind::e4m3_e4m3, 8>(a, b, float8{});
    });
    EXPECT_ONE_FAULT(fp8, fault_kind::illegal_matrix, "Crescent Island");
}

}  // namespace
}  // namespace emulated_tests
