// SPDX-License-Identifier: Apache-2.0
// The emulator behind the runtime's interface: counters, faults, allocations.
#include "test_kernels.hpp"

#include <kittens/target/emulated/engine.hpp>
#include <kittens/target/emulated/lane.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace {

namespace emu = kittens::emulated;

struct lane_args {
    kittens::launch_shape shape;
    void (*body)(const lane_args&);
    int* data = nullptr;
};

const kittens::kernel_record lane_kernel{"lane_probe",
                                         "emulated",
                                         "",
                                         [](const void* args, void*) {
                                             const auto& a = *static_cast<const lane_args*>(args);
                                             a.body(a);
                                         },
                                         [](const void* args) { return static_cast<const lane_args*>(args)->shape; },
                                         sizeof(lane_args),
                                         {},
                                         nullptr};

void add_one(const lane_args& a) {
    int* p = a.data + (emu::group_id(0) * emu::num_subgroups() + emu::subgroup_id()) * 16 + emu::lane();
    int v = *static_cast<int*>(emu::access(emu::access_kind::global_load, p, 4)) + 1;
    *static_cast<int*>(emu::access(emu::access_kind::global_store, p, 4)) = v;
}

class emulated_launch : public testing::Test {
protected:
    kittens::device device = kittens::find_device("emulated");
    kittens::queue q{device};
};

TEST_F(emulated_launch, runs_every_lane_and_merges_the_counters_of_all_threads) {
    const kittens::launch_shape shape{{25, 1, 1}, 4};
    kittens::buffer<int> data(device, 25 * 4 * 16);
    std::iota(data.begin(), data.end(), 0);
    const auto done = kittens::run(q, lane_kernel, lane_args{shape, add_one, data.data()});
    for (std::size_t i = 0; i < data.size(); ++i) ASSERT_EQ(data[i], static_cast<int>(i) + 1);
    ASSERT_NE(done.report(), nullptr);
    EXPECT_TRUE(done.report()->clean());
    EXPECT_EQ(done.report()->kernel, "lane_probe");
    EXPECT_EQ(done.report()->count.workgroups, 25u);
    EXPECT_EQ(done.report()->count.subgroups, 100u);
    EXPECT_EQ(done.report()->count.global_load_bytes, 25u * 4 * 16 * 4);
}

TEST_F(emulated_launch, a_fault_is_a_kernel_error_with_all_reports) {
    const kittens::launch_shape shape{{3, 1, 1}, 1};
    kittens::buffer<int> data(device, 40);  // 8 less than the 48 that are touched
    q.fill(data, 0).wait();
    const auto done = kittens::launch(q, lane_kernel, lane_args{shape, add_one, data.data()});
    try {
        done.wait();
        FAIL() << "no fault";
    } catch (const kittens::kernel_error& e) {
        EXPECT_EQ(e.kernel(), "lane_probe");
        EXPECT_EQ(e.target(), "emulated");
        EXPECT_EQ(e.group(), (std::array{2, 0, 0}));
        EXPECT_NE(std::string(e.what()).find("out_of_allocation"), std::string::npos) << e.what();
        ASSERT_EQ(e.reports().size(), 2u);  // the load and the store
        for (const auto& line : e.reports()) EXPECT_NE(line.find("lane_probe"), std::string::npos) << line;
    }
    ASSERT_NE(done.report(), nullptr);
    EXPECT_FALSE(done.report()->clean());
    for (int i = 0; i < 40; ++i) EXPECT_EQ(data[static_cast<std::size_t>(i)], 1);
    EXPECT_NO_THROW(q.wait());
}

// Small allocations lie side by side in the heap: what is just outside of one must not pass as its neighbour's.
TEST_F(emulated_launch, outside_is_never_inside_a_neighbour) {
    std::vector<kittens::buffer<int>> crowd;
    for (int i = 0; i < 64; ++i) crowd.emplace_back(device, 16);
    for (const std::ptrdiff_t distance : {-16, 16, 32, 1024, -4096, 16368})
        EXPECT_THROW(kittens::run(q, lane_kernel, lane_args{{}, add_one, crowd[32].data() + distance}), kittens::kernel_error) << distance;
}

TEST_F(emulated_launch, freed_memory_is_no_allocation) {
    int* stale = nullptr;
    {
        const kittens::buffer<int> data(device, 16);
        stale = data.data();
    }
    EXPECT_THROW(kittens::run(q, lane_kernel, lane_args{{}, add_one, stale}), kittens::kernel_error);
}

TEST_F(emulated_launch, exception) {
    try {
        kittens::run(q, lane_kernel, lane_args{{}, [](const lane_args&) { throw std::runtime_error("lane trouble"); }});
        FAIL() << "no error";
    } catch (const kittens::kernel_error& e) {
        EXPECT_NE(std::string(e.what()).find("lane trouble"), std::string::npos) << e.what();
    }
}

TEST_F(emulated_launch, missing_barrier) {
    try {
        kittens::run(q, lane_kernel, lane_args{{{2, 1, 1}, 3}, [](const lane_args&) {
                                                   if (emu::subgroup_id() != 1)
                                                       emu::barrier(emu::barrier_kind::full, 2, 0x110);
                                               }});
        FAIL() << "no error";
    } catch (const kittens::kernel_error& e) {
        EXPECT_NE(std::string(e.what()).find("barrier_not_reached"), std::string::npos) << e.what();
    }
}

TEST_F(emulated_launch, options_of_the_queue) {
    kittens::buffer<int> data(device, 16);
    data[0] = 0;
    emu::options loose;
    loose.check_allocations = false;
    int outside[16] = {};
    q.emulate_with(loose);
    EXPECT_NO_THROW(kittens::run(q, lane_kernel, lane_args{{}, add_one, outside}));
    q.emulate_with({});
    EXPECT_THROW(kittens::run(q, lane_kernel, lane_args{{}, add_one, outside}), kittens::kernel_error);
}

TEST_F(emulated_launch, limits_are_those_of_the_gpus) {
    const auto body = [](const lane_args&) {};
    EXPECT_THROW(kittens::run(q, lane_kernel, lane_args{{{1, 1, 1}, 65}, body}), kittens::launch_error);
    EXPECT_NO_THROW(kittens::run(q, lane_kernel, lane_args{{{1, 1, 1}, 64}, body}));
    EXPECT_THROW(kittens::run(q, lane_kernel, lane_args{{{1, 1, 1}, 1, 128 * 1024 + 1}, body}), kittens::launch_error);
    kittens::kernel_record large = lane_kernel;
    large.traits.grf = 256;
    try {
        kittens::run(q, large, lane_args{{{1, 1, 1}, 33}, body});
        FAIL() << "accepted";
    } catch (const kittens::launch_error& e) {
        EXPECT_NE(std::string(e.what()).find("takes 1 to 32 with the large register file"), std::string::npos)
            << e.what();
    }
}

}  // namespace
