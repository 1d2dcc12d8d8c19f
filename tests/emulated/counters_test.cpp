// SPDX-License-Identifier: Apache-2.0
// What the emulator counts, and its verdict on prefetches.
#include <cstdlib>
#include <thread>

#include "support.hpp"

namespace emulated_tests {
namespace {

TEST(emulated_counters, instructions_by_shape_and_bytes) {
    tensor<short> a(64 * 64), b(64 * 64);
    // Finite: a NaN may look like a register that was never written.
    for (tensor<short>* t : {&a, &b})
        for (int i = 0; i < 64 * 64; ++i) t->data()[i] = static_cast<short>(t->data()[i] & ~0x4000);
    tensor<float> c(64 * 64);
    shape s;
    s.subgroups = 2;
    s.groups_x = 2;
    const auto r = run(s, [&](char*) {
        const isa::surface sa{a.data(), 128, 64, 128}, sb{b.data(), 128, 64, 128}, sc{c.data(), 256, 64, 256};
        short8 va[2];
        int8 vb;
        isa::load_2d<2, 16, 16>(sa, 0, 0, va);
        isa::load_2d<2, 16, 8>(sa, 48, 60, va);  // four of eight rows inside
        isa::load_2d_transform<2, 16, 16>(sb, 0, 0, &vb);
        float8 acc{};
        for (int i = 0; i < 3; ++i) acc = isa::dpas<isa::dpas_kind::bf16, 8>(va[0], vb, acc);
        isa::dpas<isa::dpas_kind::bf16, 1>(va[0][0], vb, 0.0F);
        isa::store_2d<4, 16, 8>(sc, 56, 0, &acc);  // eight of sixteen columns inside
        isa::mark_step();
        isa::barrier();
    });
    ASSERT_TRUE(r.faults.empty()) << r.text();
    const emulated::counters& n = r.count;
    EXPECT_EQ(2u, n.workgroups);
    EXPECT_EQ(4u, n.subgroups);
    EXPECT_EQ(2u, n.steps);
    ASSERT_EQ(2u, n.dpas.size());
    EXPECT_EQ(8, n.dpas[0].m);
    EXPECT_EQ(12u, n.dpas[0].count);
    EXPECT_EQ(1, n.dpas[1].m);
    EXPECT_EQ(4u, n.dpas[1].count);
    EXPECT_EQ(16u, n.dpas_operations());
    EXPECT_EQ(8u, n.block_operations(model::block_op::load));
    EXPECT_EQ(4u * (16 * 32 + 4 * 32), n.block_bytes(model::block_op::load));
    EXPECT_EQ(4u, n.block_operations(model::block_op::transform));
    EXPECT_EQ(4u, n.block_operations(model::block_op::store));
    EXPECT_EQ(4u * 8 * 32, n.block_bytes(model::block_op::store));
    EXPECT_EQ(4u, n.blocks.size());
    // Both subgroups of a workgroup touch the same bytes.
    EXPECT_EQ(2u * (16 * 32 + 4 * 32 + 16 * 32), n.distinct_load_bytes);
    EXPECT_EQ(2u * 8 * 32, n.distinct_store_bytes);
    EXPECT_EQ(4u, n.barriers);
}

TEST(emulated_counters, plain_accesses_count_lanes) {
    tensor<uint4> t(64);
    const auto r = run([&](char*) {
        const uint4 v = isa::load_global(t.data() + isa::lane());
        isa::store_global(t.data() + 16 + isa::lane(), v);
        isa::load_global(reinterpret_cast<const short*>(t.data()) + isa::lane());
    });
    EXPECT_EQ(32u, r.count.global_loads);
    EXPECT_EQ(16u * 18, r.count.global_load_bytes);
    EXPECT_EQ(16u, r.count.global_stores);
    EXPECT_EQ(256u, r.count.distinct_load_bytes);
    EXPECT_EQ(256u, r.count.distinct_store_bytes);
}

TEST(emulated_counters, parts_of_a_launch_merge) {
    tensor<int> t(64);
    const auto body = [&](char*) {
        isa::load_global(t.data() + isa::lane());
        isa::shuffle_xor(1, 1);
        isa::load_global(t.data() + 64);
    };
    emulated::launch l;
    l.kernel = "test_kernel";
    l.groups[0] = 3;
    l.groups[1] = 2;
    l.subgroups = 2;
    l.args = &body;
    l.entry = [](const void* f, void* slm) { (*static_cast<const decltype(body)*>(f))(static_cast<char*>(slm)); };
    emulated::launch_report parts = emulated::run(l, 0, 4);
    parts.merge(emulated::run(l, 4, 6));
    const emulated::launch_report whole = emulated::run(l);
    ASSERT_EQ(1u, parts.faults.size());
    EXPECT_EQ(whole.faults[0].occurrences, parts.faults[0].occurrences);
    EXPECT_EQ(whole.count.shuffles, parts.count.shuffles);
    EXPECT_EQ(whole.count.distinct_load_bytes, parts.count.distinct_load_bytes);
    EXPECT_EQ(6u, parts.count.workgroups);
    EXPECT_FALSE(parts.clean());
}

TEST(emulated_counters, workgroups_on_several_threads_see_each_other) {
    tensor<int> flags(2);
    flags[0] = flags[1] = 0;
    const auto body = [&](char*) {
        const int me = isa::group_id<0>();
        isa::barrier();
        if (isa::lane() == 0 && isa::subgroup_id() == 0) {
            isa::atomic_store<isa::scope::system>(flags.data() + me, 1);
            while (isa::atomic_load<isa::scope::system>(flags.data() + 1 - me) == 0) {
            }
        }
        isa::barrier();
    };
    emulated::launch l;
    l.kernel = "test_kernel";
    l.groups[0] = 2;
    l.subgroups = 4;
    l.args = &body;
    l.entry = [](const void* f, void* slm) { (*static_cast<const decltype(body)*>(f))(static_cast<char*>(slm)); };
    emulated::launch_report parts[2];
    std::thread other([&] {
        const emulated::scoped_allocation unrelated(&l, sizeof l);  // the table of allocations changes meanwhile
        parts[1] = emulated::run(l, 1, 2);
    });
    parts[0] = emulated::run(l, 0, 1);
    other.join();
    parts[0].merge(parts[1]);
    EXPECT_TRUE(parts[0].faults.empty()) << parts[0].text();
    EXPECT_EQ(2u, parts[0].count.workgroups);
    EXPECT_EQ(16u, parts[0].count.barriers);
}

// A main loop over panels of 32 columns: `prefetch(k, step)` is called before the panel of a step is loaded.
template <class F> emulated::launch_report loop(const tensor<short>& t, int subgroups, int steps, const F& prefetch,
                                                bool mark = true) {
    shape s;
    s.subgroups = subgroups;
    return run(s, [&](char*) {
        const isa::surface m{t.data(), 1024, 64, 1024};
        for (int k = 0; k < steps; ++k) {
            prefetch(m, k);
            short v[64];
            isa::load_2d<2, 16, 32, 2>(m, k * 32, 0, v);
            if (mark) isa::mark_step();
        }
    });
}

TEST(emulated_prefetch, disjoint_parts_count_every_byte_once) {
    tensor<short> t(512 * 64);
    const auto r = loop(t, 4, 8, [](const isa::surface& m, int k) {
        if (k == 0)
            for (int p = 0; p < 2; ++p) isa::prefetch_2d<2, 16, 8, 2>(m, p * 32, isa::subgroup_id() * 8);
        if (k + 2 < 8) isa::prefetch_2d<2, 16, 8, 2>(m, (k + 2) * 32, isa::subgroup_id() * 8);
    });
    EXPECT_TRUE(r.faults.empty()) << r.text();
    EXPECT_EQ(2048.0, r.count.prefetched_bytes_per_workgroup_k_step());
    EXPECT_EQ(2048.0, r.count.distinct_prefetched_bytes_per_workgroup_k_step());
    EXPECT_EQ(8u, r.count.steps);
}

TEST(emulated_prefetch, parts_outside_of_the_surface_are_nothing) {
    tensor<short> t(512 * 64);
    const auto r = loop(t, 4, 16, [](const isa::surface& m, int k) {
        isa::prefetch_2d<2, 16, 8, 2>(m, k * 32 + 480, isa::subgroup_id() * 8);
    });
    EXPECT_EQ(4u * 512, r.count.prefetched_bytes) << "of sixteen prefetches of each subgroup one is inside";
}

TEST(emulated_prefetch, every_subgroup_the_whole_panel_is_redundant) {
    tensor<short> t(512 * 64);
    const auto r = loop(t, 4, 8, [](const isa::surface& m, int k) {
        isa::operation_scope scope("prefetch_load", "rt<bf16, 32, 32, row, 32x32>", 0, 0, 0, k);
        isa::prefetch_2d<2, 16, 32, 2>(m, k * 32, 0);
    });
    EXPECT_ONE_FAULT(r, fault_kind::redundant_prefetch, "prefetch_load");
    EXPECT_EQ(3u * 8, r.faults[0].occurrences) << r.text();
    EXPECT_TRUE(r.clean()) << "advice does not make a result wrong";
    EXPECT_EQ(4 * 2048.0, r.count.prefetched_bytes_per_workgroup_k_step());
    EXPECT_EQ(2048.0, r.count.distinct_prefetched_bytes_per_workgroup_k_step());
}

TEST(emulated_prefetch, nothing_loads_it) {
    tensor<short> t(512 * 64), other(512 * 64);
    const auto r = loop(t, 1, 4, [&](const isa::surface&, int k) {
        if (k == 0) isa::prefetch_2d<2, 16, 32, 2>(isa::surface{other.data(), 1024, 64, 1024}, 64, 0);
    });
    EXPECT_ONE_FAULT(r, fault_kind::unused_prefetch, "column 64, row 0");
}

TEST(emulated_prefetch, the_wrong_block) {
    tensor<short> t(512 * 64);
    const auto r = loop(t, 1, 8, [](const isa::surface& m, int k) {
        if (k < 7) isa::prefetch_2d<2, 16, 32, 2>(m, (k + 1) * 32, 32);  // the rows of the other panel
    });
    EXPECT_ONE_FAULT(r, fault_kind::wrong_prefetch, "names the wrong block");
}

TEST(emulated_prefetch, advice_can_be_switched_off) {
    tensor<short> t(512 * 64);
    shape s;
    s.options.check_prefetch = false;
    const auto r = run(s, [&](char*) { isa::prefetch_2d<2, 16, 32, 2>(isa::surface{t.data(), 1024, 64, 1024}, 0, 0); });
    EXPECT_TRUE(r.faults.empty());
    EXPECT_EQ(2048u, r.count.prefetched_bytes);
}

TEST(emulated_prefetch, a_second_pass_over_much_data_may_prefetch_again) {
    tensor<short> t(512 * 64);
    shape s;
    s.options.cache_bytes = 8 * 1024;
    const auto pass = [&](char*) {
        const isa::surface m{t.data(), 1024, 64, 1024};
        for (int pass = 0; pass < 2; ++pass)
            for (int k = 0; k < 16; ++k) {
                short v[64];
                isa::prefetch_2d<2, 16, 32, 2>(m, k * 32, 0);
                isa::load_2d<2, 16, 32, 2>(m, k * 32, 0, v);
            }
    };
    EXPECT_TRUE(run(s, pass).faults.empty());
    EXPECT_ONE_FAULT(run(pass), fault_kind::redundant_prefetch, "prefetched already");
}

TEST(emulated_prefetch, plain_prefetches) {
    tensor<float> t(1024);
    const auto r = run([&](char*) {
        isa::prefetch_global(t.data() + isa::lane() * 4);
        isa::load_global(reinterpret_cast<const float4*>(t.data()) + isa::lane());
    });
    EXPECT_TRUE(r.faults.empty()) << r.text();
    EXPECT_EQ(256u, r.count.prefetched_bytes);
}

TEST(emulated_source, faults_name_the_line_of_the_kernel) {
    const auto expected = __LINE__ + 1;
    auto r = run([](char*) { isa::shuffle(1, 99); });
    ASSERT_NE(nullptr, find(r, fault_kind::shuffle_lane)) << r.text();
    r.locate();
    const std::string source = find(r, fault_kind::shuffle_lane)->source;
    // This file is compiled with -g1 (tests/CMakeLists.txt), so an empty place means that nothing reads it.
    if (std::system("(command -v llvm-symbolizer || command -v llvm-symbolizer-22 || command -v addr2line) >/dev/null") != 0) GTEST_SKIP() << "no symbolizer is installed";
    EXPECT_NE(std::string::npos, source.find("counters_test.cpp:" + std::to_string(expected))) << source;
}

}  // namespace
}  // namespace emulated_tests
