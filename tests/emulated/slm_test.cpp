// SPDX-License-Identifier: Apache-2.0
// Shared local memory: bounds, initialisation, races between and within subgroups.
#include "support.hpp"

#include <stdexcept>

namespace emulated_tests {
namespace {

shape with(int subgroups, std::size_t bytes) {
    shape s;
    s.subgroups = subgroups;
    s.slm_bytes = bytes;
    return s;
}

int* words(char* slm) { return reinterpret_cast<int*>(slm); }

TEST(emulated_slm, exchange_over_a_barrier_is_clean) {
    const auto r = run(with(4, 256), [](char* slm) {
        const int i = isa::subgroup_id() * 16 + isa::lane();
        for (int round = 0; round < 3; ++round) {
            isa::store_local(words(slm) + i, round * 100 + i);
            isa::barrier();
            EXPECT_EQ(round * 100 + 63 - i, isa::load_local(words(slm) + 63 - i));
            isa::barrier();
        }
    });
    EXPECT_TRUE(r.faults.empty()) << r.text();
    EXPECT_EQ(256u, r.count.slm_bytes);
    EXPECT_EQ(3u * 64, r.count.slm_stores);
    EXPECT_EQ(3u * 64 * 4, r.count.slm_load_bytes);
    EXPECT_EQ(3u * 2 * 4, r.count.barriers);
}

TEST(emulated_slm, read_after_write_without_barrier) {
    const auto r = run(with(2, 128), [](char* slm) {
        const int i = isa::subgroup_id() * 16 + isa::lane();
        isa::store_local(words(slm) + i, i);
        isa::load_local(words(slm) + i - i % 16 + isa::lane());
        if (isa::subgroup_id() == 1) isa::load_local(words(slm) + isa::lane());
    });
    EXPECT_ONE_FAULT(r, fault_kind::slm_race, "subgroup 0 lane 0 wrote");
    EXPECT_EQ(1, r.faults[0].subgroup);
}

TEST(emulated_slm, write_after_read_without_barrier) {
    const auto r = run(with(2, 128), [](char* slm) {
        const int i = isa::subgroup_id() * 16 + isa::lane();
        isa::store_local(words(slm) + i, i);
        isa::barrier();
        isa::load_local(words(slm) + (i + 16) % 32);
        isa::store_local(words(slm) + i, -i);  // the other subgroup may not have read it yet
    });
    // Seen from both sides: the write that comes too early, and the read that finds it.
    ASSERT_EQ(2u, r.faults.size()) << r.text();
    EXPECT_NE(std::string::npos, r.text().find("read with nothing in between")) << r.text();
    EXPECT_NE(std::string::npos, r.text().find("wrote with nothing in between")) << r.text();
}

TEST(emulated_slm, write_after_write) {
    const auto r = run(with(2, 64), [](char* slm) { isa::store_local(words(slm) + isa::lane(), isa::subgroup_id()); });
    EXPECT_ONE_FAULT(r, fault_kind::slm_race, "put a workgroup barrier");
}

TEST(emulated_slm, neighbouring_bytes_are_no_race) {
    const auto r = run(with(2, 64), [](char* slm) {
        isa::store_local(reinterpret_cast<short*>(slm) + isa::lane() * 2 + isa::subgroup_id(), short{1});
    });
    EXPECT_TRUE(r.faults.empty()) << r.text();
}

TEST(emulated_slm, barrier_without_local_memory_orders_nothing) {
    const auto r = run(with(2, 128), [](char* slm) {
        const int i = isa::subgroup_id() * 16 + isa::lane();
        isa::store_local(words(slm) + i, i);
        isa::barrier<isa::memory::global>();
        isa::load_local(words(slm) + (i + 16) % 32);
    });
    EXPECT_ONE_FAULT(r, fault_kind::slm_race, "local memory semantics");
}

TEST(emulated_slm, split_barrier_orders_arrive_before_wait) {
    const auto good = run(with(2, 128), [](char* slm) {
        const int i = isa::subgroup_id() * 16 + isa::lane();
        isa::store_local(words(slm) + i, i);
        isa::split_arrive();
        isa::split_wait();
        isa::load_local(words(slm) + (i + 16) % 32);
    });
    EXPECT_TRUE(good.faults.empty()) << good.text();
    const auto late = run(with(2, 128), [](char* slm) {
        const int i = isa::subgroup_id() * 16 + isa::lane();
        isa::split_arrive();
        isa::store_local(words(slm) + i, i);  // after the arrive: not released by it
        isa::split_wait();
        isa::load_local(words(slm) + (i + 16) % 32);
    });
    EXPECT_ONE_FAULT(late, fault_kind::slm_race, "wrote");
}

TEST(emulated_slm, lanes_of_one_subgroup) {
    const auto racy = run(with(1, 64), [](char* slm) {
        isa::store_local(words(slm) + isa::lane(), isa::lane());
        isa::load_local(words(slm) + 15 - isa::lane());
    });
    ASSERT_NE(nullptr, find(racy, fault_kind::slm_race)) << racy.text();
    EXPECT_NE(std::string::npos, find(racy, fault_kind::slm_race)->message.find("subgroup barrier")) << racy.text();
    const auto good = run(with(1, 64), [](char* slm) {
        isa::store_local(words(slm) + isa::lane(), isa::lane());
        isa::subgroup_barrier();
        EXPECT_EQ(15 - isa::lane(), isa::load_local(words(slm) + 15 - isa::lane()));
    });
    EXPECT_TRUE(good.faults.empty()) << good.text();
}

TEST(emulated_slm, release_and_acquire_order) {
    const auto kernel = [](auto acquire) {
        return [](char* slm) {
            int* flag = words(slm) + 1;
            if (isa::subgroup_id() == 0 && isa::lane() == 0)
                isa::atomic_store<isa::scope::workgroup, isa::order::relaxed>(flag, 0);
            isa::barrier();
            if (isa::lane() != 0) return;
            if (isa::subgroup_id() == 0) {
                isa::store_local(words(slm), 5);
                isa::atomic_store<isa::scope::workgroup, isa::order::release>(flag, 1);
            } else {
                while (isa::atomic_load<isa::scope::workgroup,
                                        decltype(acquire)::value ? isa::order::acquire : isa::order::relaxed>(flag) ==
                       0) {
                }
                EXPECT_EQ(5, isa::load_local(words(slm)));
            }
        };
    };
    const auto good = run(with(2, 64), kernel(std::true_type{}));
    EXPECT_TRUE(good.faults.empty()) << good.text();
    const auto relaxed = run(with(2, 64), kernel(std::false_type{}));
    EXPECT_ONE_FAULT(relaxed, fault_kind::slm_race, "wrote");
}

TEST(emulated_slm, fences_order_relaxed_atomics) {
    const auto r = run(with(2, 64), [](char* slm) {
        int* flag = words(slm) + 1;
        if (isa::subgroup_id() == 0 && isa::lane() == 0)
            isa::atomic_store<isa::scope::workgroup, isa::order::relaxed>(flag, 0);
        isa::barrier();
        if (isa::lane() != 0) return;
        if (isa::subgroup_id() == 0) {
            isa::store_local(words(slm), 5);
            isa::fence<isa::memory::local, isa::scope::workgroup, isa::order::release>();
            isa::atomic_store<isa::scope::workgroup, isa::order::relaxed>(flag, 1);
        } else {
            while (isa::atomic_load<isa::scope::workgroup, isa::order::relaxed>(flag) == 0) {
            }
            isa::fence<isa::memory::local, isa::scope::workgroup, isa::order::acquire>();
            EXPECT_EQ(5, isa::load_local(words(slm)));
        }
    });
    EXPECT_TRUE(r.faults.empty()) << r.text();
    EXPECT_EQ(2u, r.count.fences);
}

TEST(emulated_slm, out_of_bounds) {
    const auto r = run(with(1, 64), [](char* slm) { isa::store_local(words(slm) + isa::lane() + 1, 1); });
    EXPECT_ONE_FAULT(r, fault_kind::slm_out_of_bounds, "at byte 64, but the workgroup has 64 bytes");
    EXPECT_EQ(15, r.faults[0].lane);
    int elsewhere = 0;
    EXPECT_ONE_FAULT(run(with(1, 64), [&](char*) { isa::store_local(&elsewhere, 1); }), fault_kind::slm_out_of_bounds,
                     "outside of SLM");
    EXPECT_EQ(0, elsewhere);
}

TEST(emulated_slm, uninitialized) {
    const auto r = run(with(1, 128), [](char* slm) {
        isa::store_local(words(slm) + isa::lane(), 1);
        isa::barrier();
        isa::load_local(words(slm) + isa::lane() + 1);
    });
    EXPECT_ONE_FAULT(r, fault_kind::slm_uninitialized, "SLM byte 64");
}

TEST(emulated_slm, memory_of_an_earlier_workgroup_is_gone) {
    shape s = with(1, 64);
    s.groups_x = 2;
    const auto r = run(s, [](char* slm) {
        if (isa::group_id<0>() == 0) isa::store_local(words(slm) + isa::lane(), 1);
        else isa::load_local(words(slm) + isa::lane());
    });
    EXPECT_ONE_FAULT(r, fault_kind::slm_uninitialized, "workgroup 1,0,0");
}

TEST(emulated_slm, static_arrays) {
    const auto r = run(with(2, 32), [](char*) {
        struct first;
        struct second;
        auto* a = reinterpret_cast<int*>(isa::slm<64, first>());
        auto* b = reinterpret_cast<int*>(isa::slm<64, second>());
        if (isa::subgroup_id() == 0) isa::store_local(a + isa::lane(), 1);
        else isa::store_local(b + isa::lane(), 2);
        isa::barrier();
        EXPECT_EQ(3, isa::load_local(a + isa::lane()) + isa::load_local(b + isa::lane()));
    });
    EXPECT_TRUE(r.faults.empty()) << r.text();
    EXPECT_EQ(64u + 64 + 64, r.count.slm_bytes);
    const auto full = run([](char*) { isa::slm<1 << 20>(); });
    ASSERT_NE(nullptr, find(full, fault_kind::slm_out_of_bounds)) << full.text();
}

TEST(emulated_slm, a_launch_beyond_the_capacity_is_refused) {
    EXPECT_THROW(run(with(1, 200 << 10), [](char*) {}), std::invalid_argument);
}

}  // namespace
}  // namespace emulated_tests
