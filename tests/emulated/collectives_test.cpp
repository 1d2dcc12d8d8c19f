// SPDX-License-Identifier: Apache-2.0
// Divergence, barriers, shuffles, atomics, undefined registers.
#include "support.hpp"

#include <algorithm>
#include <stdexcept>

namespace emulated_tests {
namespace {

TEST(emulated_collectives, divergent_operations) {
    const auto r = run([](char*) {
        float v = 1;
        if (isa::lane() < 8) v = isa::reduce_add(v);
        else v = isa::shuffle_xor(v, 1);
    });
    EXPECT_ONE_FAULT(r, fault_kind::divergent_collective, "lane 8 is at shuffle_xor");
}

TEST(emulated_collectives, a_lane_that_left) {
    const auto r = run([](char*) {
        if (isa::lane() == 7) return;
        isa::broadcast(1.0F, 0);
    });
    EXPECT_ONE_FAULT(r, fault_kind::divergent_collective, "lane 7 has ended");
    EXPECT_EQ("broadcast", r.faults[0].operation);
}

TEST(emulated_collectives, arguments_that_must_be_uniform) {
    tensor<short> t(64 * 64);
    const auto r = run([&](char*) {
        short8 v;
        isa::load_2d<2, 16, 8>(isa::surface{t.data(), 128, 64, 128}, 0, isa::lane() / 8, &v);
    });
    EXPECT_ONE_FAULT(r, fault_kind::divergent_collective, "disagree on arguments");
    EXPECT_NE(std::string::npos, r.faults[0].message.find("row 1")) << r.text();

    const auto surfaces = run([&](char*) {
        short8 v;
        isa::load_2d<2, 16, 8>(isa::surface{t.data() + (isa::lane() == 3 ? 32 : 0), 128, 60, 128}, 0, 0, &v);
    });
    EXPECT_ONE_FAULT(surfaces, fault_kind::divergent_collective, "different surfaces");
}

TEST(emulated_collectives, the_same_operation_on_two_paths) {
    const auto conditional = run([](char*) {
        const int x = isa::lane(), y = -x;
        // On hardware the lanes of one side read whatever the other side's lanes hold in that register.
        const int v = x < 8 ? isa::shuffle(x, 15 - x) : isa::shuffle(y, 15 - x);
        (void)v;
    });
    EXPECT_ONE_FAULT(conditional, fault_kind::divergent_collective, "on different paths");
    const auto scopes = run([](char*) {
        isa::operation_scope scope("load", "rt<bf16, 32, 32>", 0, 0, isa::lane() / 8, 0);
        isa::broadcast(1, 0);
    });
    EXPECT_ONE_FAULT(scopes, fault_kind::divergent_collective, "in different tile operations");
    const auto both = run([](char*) {
        const int x = isa::lane(), a = isa::shuffle(x, 15 - x), b = isa::shuffle(-x, 15 - x);
        EXPECT_EQ(x < 8 ? 15 - x : x - 15, x < 8 ? a : b);
    });
    EXPECT_TRUE(both.faults.empty()) << both.text();
}

TEST(emulated_collectives, barrier_that_one_subgroup_misses) {
    shape s;
    s.subgroups = 3;
    const auto r = run(s, [](char*) {
        if (isa::subgroup_id() != 1) isa::barrier();
    });
    EXPECT_ONE_FAULT(r, fault_kind::barrier_not_reached, "1 of 3 subgroups never reach (1)");
}

TEST(emulated_collectives, barrier_inside_divergent_lanes) {
    const auto r = run([](char*) {
        if (isa::lane() != 0) isa::barrier();
    });
    EXPECT_ONE_FAULT(r, fault_kind::divergent_collective, "lane 0 has ended");
}

TEST(emulated_collectives, the_next_workgroup_still_runs) {
    shape s;
    s.subgroups = 2;
    s.groups_x = 4;
    tensor<int> t(4);
    std::fill(t.begin(), t.end(), 0);
    const auto r = run(s, [&](char*) {
        if (isa::group_id<0>() == 1 && isa::subgroup_id() == 0) return;
        isa::barrier();
        if (isa::lane() == 0 && isa::subgroup_id() == 1) isa::store_global(t.data() + isa::group_id<0>(), 7);
    });
    EXPECT_ONE_FAULT(r, fault_kind::barrier_not_reached, "workgroup 1,0,0");
    EXPECT_EQ((std::vector<int>{7, 0, 7, 7}), std::vector<int>(t.begin(), t.end()));
}

TEST(emulated_collectives, split_barriers_in_order) {
    shape s;
    s.subgroups = 4;
    const auto good = run(s, [](char*) {
        for (int i = 0; i < 10; ++i) {
            isa::split_arrive();
            isa::split_wait();
            if (i == 5) isa::barrier();
        }
    });
    EXPECT_TRUE(good.faults.empty()) << good.text();
    EXPECT_EQ(44u, good.count.barriers);
    EXPECT_ONE_FAULT(run([](char*) { isa::split_wait(); }), fault_kind::split_barrier_misuse, "without having arrived");
    EXPECT_ONE_FAULT(run([](char*) {
                         isa::split_arrive();
                         isa::split_arrive();
                     }),
                     fault_kind::split_barrier_misuse, "arrives again");
    EXPECT_ONE_FAULT(run([](char*) {
                         isa::split_arrive();
                         isa::barrier();
                     }),
                     fault_kind::split_barrier_misuse, "arrives again");
    EXPECT_ONE_FAULT(run([](char*) { isa::split_arrive(); }), fault_kind::split_barrier_misuse, "without its wait");
}

TEST(emulated_collectives, shuffles_and_reductions) {
    tensor<int> out(16 * 9);
    const auto r = run([&](char*) {
        const int l = isa::lane();
        const int v[] = {isa::shuffle(l * 10, 15 - l),
                         isa::shuffle_xor(l, 5),
                         isa::broadcast(l, 9),
                         isa::reduce_add(l),
                         isa::reduce_max(l),
                         isa::reduce_min(l + 3),
                         isa::any(l == 4) ? 1 : 0,
                         isa::all(l < 15) ? 1 : 0,
                         static_cast<int>(isa::reduce_add(0.5F * static_cast<float>(l)))};
        for (int i = 0; i < 9; ++i) isa::store_global(out.data() + i * 16 + l, v[i]);
    });
    ASSERT_TRUE(r.faults.empty()) << r.text();
    for (int l = 0; l < 16; ++l) {
        const int expected[] = {(15 - l) * 10, l ^ 5, 9, 120, 15, 3, 1, 0, 60};
        for (int i = 0; i < 9; ++i)
            EXPECT_EQ(expected[i], out[static_cast<std::size_t>(i * 16 + l)]) << i << " lane " << l;
    }
    EXPECT_EQ(3u, r.count.shuffles);
    EXPECT_EQ(4u, r.count.reductions);
    EXPECT_EQ(2u, r.count.votes);
}

TEST(emulated_collectives, shuffles_of_structures_and_halves) {
    struct pair {
        double a;
        int b, c;
    };
    tensor<int> out(32);
    const auto r = run([&](char*) {
        const int l = isa::lane();
        const pair p = isa::shuffle_down(pair{1.5 * l, l, -l}, 2);
        const short h = isa::shuffle_up(static_cast<short>(l), 3);
        isa::store_global(out.data() + l, l < 14 ? p.b + static_cast<int>(p.a * 2) + p.c : 0);
        isa::store_global(out.data() + 16 + l, l >= 3 ? static_cast<int>(h) : 0);
    });
    ASSERT_TRUE(r.faults.empty()) << r.text();
    for (int l = 0; l < 14; ++l) EXPECT_EQ(3 * (l + 2), out[static_cast<std::size_t>(l)]);
    for (int l = 3; l < 16; ++l) EXPECT_EQ(l - 3, out[static_cast<std::size_t>(16 + l)]);
}

TEST(emulated_collectives, shuffle_from_a_lane_that_does_not_exist) {
    EXPECT_ONE_FAULT(run([](char*) { isa::shuffle(1, 16 + isa::lane()); }), fault_kind::shuffle_lane,
                     "asks for lane 16");
}

TEST(emulated_collectives, atomics_of_all_lanes_and_subgroups) {
    tensor<int> n(2);
    tensor<float> f(1);
    n[0] = n[1] = 0;
    f[0] = 0;
    shape s;
    s.subgroups = 8;
    s.groups_x = 3;
    const auto r = run(s, [&](char*) {
        isa::atomic_add(n.data(), 1);
        isa::atomic_max(n.data() + 1, isa::lane() + 100 * isa::subgroup_id());
        isa::atomic_add(f.data(), 0.5F);
    });
    EXPECT_TRUE(r.faults.empty()) << r.text();
    EXPECT_EQ(16 * 8 * 3, n[0]);
    EXPECT_EQ(715, n[1]);
    EXPECT_EQ(192.0F, f[0]);
    EXPECT_EQ(3u * 16 * 8 * 3, r.count.atomics);
}

TEST(emulated_collectives, a_subgroup_may_wait_for_a_later_one) {
    tensor<int> flag(1);
    tensor<int> data(1);
    flag[0] = data[0] = 0;
    int seen = 0;
    shape s;
    s.subgroups = 2;
    const auto r = run(s, [&](char*) {
        if (isa::lane() != 0) return;
        if (isa::subgroup_id() == 0) {
            while (isa::atomic_load(flag.data()) == 0) {
            }
            seen = isa::load_global(data.data());
        } else {
            isa::store_global(data.data(), 42);
            isa::atomic_store(flag.data(), 1);
        }
    });
    EXPECT_TRUE(r.faults.empty()) << r.text();
    EXPECT_EQ(42, seen);
}

TEST(emulated_collectives, a_wait_that_nobody_ends) {
    tensor<int> flag(1);
    flag[0] = 0;
    shape s;
    s.options.poll_limit = 1000;
    const auto r = run(s, [&](char*) {
        while (isa::atomic_load(flag.data()) == 0) {
        }
    });
    EXPECT_ONE_FAULT(r, fault_kind::no_progress, "did not come");
}

TEST(emulated_collectives, exceptions_are_reported) {
    EXPECT_ONE_FAULT(run([](char*) {
                         if (isa::lane() == 2) throw std::runtime_error("out of ideas");
                     }),
                     fault_kind::kernel_exception, "out of ideas");
}

TEST(emulated_collectives, instructions_outside_of_a_launch) { EXPECT_THROW(isa::lane(), std::logic_error); }

TEST(emulated_collectives, a_different_schedule_gives_the_same_result) {
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
        shape s;
        s.subgroups = 8;
        s.slm_bytes = 512;
        s.options.schedule_seed = seed;
        tensor<int> out(128);
        const auto r = run(s, [&](char* slm) {
            auto* words = reinterpret_cast<int*>(slm);
            const int i = isa::subgroup_id() * 16 + isa::lane();
            isa::store_local(words + i, i);
            isa::barrier();
            isa::store_global(out.data() + i, isa::load_local(words + (i + 37) % 128));
        });
        EXPECT_TRUE(r.faults.empty()) << r.text();
        for (int i = 0; i < 128; ++i) EXPECT_EQ((i + 37) % 128, out[static_cast<std::size_t>(i)]);
    }
}

// ---- undefined registers ----

TEST(emulated_registers, operand_never_written) {
    const auto a = run([](char*) {
        short8 v[2];
        isa::undefined(v, sizeof v);
        v[0] = short8{};
        isa::operation_scope scope("mma_AB", "rt<fp32, 8, 16, row, 8x16>");
        isa::dpas<isa::dpas_kind::bf16, 8>(v[1], int8{}, float8{});
    });
    EXPECT_ONE_FAULT(a, fault_kind::uninitialized_register, "operand A");
    EXPECT_EQ("mma_AB", a.faults[0].operation);
    const auto b = run([](char*) {
        int8 v;
        isa::undefined(&v, sizeof v);
        for (int i = 0; i < 7; ++i) v[i] = 0;  // one component is left out
        isa::dpas<isa::dpas_kind::f16, 8>(short8{}, v, float8{});
    });
    EXPECT_ONE_FAULT(b, fault_kind::uninitialized_register, "operand B");
    const auto c = run([](char*) {
        float8 v;
        isa::undefined(&v, sizeof v);
        isa::dpas<isa::dpas_kind::bf16, 8>(short8{}, int8{}, v);
    });
    EXPECT_ONE_FAULT(c, fault_kind::uninitialized_register, "operand C");
    const auto i = run([](char*) {
        short8 v;
        isa::undefined(&v, sizeof v);
        isa::dpas<isa::dpas_kind::s8_s8, 8>(v, int8{}, int8{});
    });
    EXPECT_ONE_FAULT(i, fault_kind::uninitialized_register, "operand A");
}

TEST(emulated_registers, undefined_through_arithmetic) {
    tensor<float> t(64 * 16);
    const auto r = run([&](char*) {
        float8 v;
        isa::undefined(&v, sizeof v);
        v = v * 2.0F + 1.0F;
        isa::store_2d<4, 16, 8>(isa::surface{t.data(), 256, 16, 256}, 0, 0, &v);
    });
    EXPECT_ONE_FAULT(r, fault_kind::uninitialized_register, "stores a register that was never written, to row 0");
}

TEST(emulated_registers, undefined_through_conversion) {
    tensor<short> t(64 * 16);
    const auto r = run([&](char*) {
        float8 v{};
        isa::undefined(&v, sizeof v);
        v[0] = 1;
        const short8 o = isa::f32_to_bf16<8>(v);
        isa::store_2d<2, 16, 8>(isa::surface{t.data(), 128, 16, 128}, 0, 8, &o);
    });
    EXPECT_ONE_FAULT(r, fault_kind::uninitialized_register, "row 9");
}

TEST(emulated_registers, bytes_that_look_undefined_are_not) {
    tensor<unsigned char> t(128 * 16);
    const auto kernel = [&](bool written) {
        return run([&, written](char*) {
            short8 v;
            isa::undefined(&v, sizeof v);
            // Computed bytes may equal the pattern; all sixteen of them do not.
            if (written)
                for (int i = 0; i < 8; ++i) v[i] = i == 3 ? static_cast<short>(0x1234) : static_cast<short>(0x7FBA);
            isa::store_2d<1, 32, 8>(isa::surface{t.data(), 128, 16, 128}, 0, 0, &v);
        });
    };
    EXPECT_TRUE(kernel(true).faults.empty()) << kernel(true).text();
    EXPECT_ONE_FAULT(kernel(false), fault_kind::uninitialized_register, "row 0");
}

TEST(emulated_registers, a_load_defines_its_destination) {
    tensor<short> t(64 * 64);
    for (short& v : t) v = 0x7FBA;  // the pattern itself, as data
    const auto r = run([&](char*) {
        short8 a;
        isa::undefined(&a, sizeof a);
        isa::load_2d<2, 16, 8>(isa::surface{t.data(), 128, 64, 128}, 0, 0, &a);
        isa::dpas<isa::dpas_kind::s8_s8, 8>(a, int8{}, int8{});
        isa::require_defined(&a, sizeof a, 2);
    });
    EXPECT_TRUE(r.faults.empty()) << r.text();
}

TEST(emulated_registers, required_by_a_map) {
    const auto r = run([](char*) {
        float v[4];
        isa::undefined(v, sizeof v);
        v[0] = v[1] = v[3] = 0;
        isa::require_defined(v, sizeof v, 4);
    });
    EXPECT_ONE_FAULT(r, fault_kind::uninitialized_register, "element 2");
    const auto fine = run([](char*) {
        float v[4];
        isa::undefined(v, sizeof v);
        isa::defined(v, sizeof v);
        isa::require_defined(v, sizeof v, 4);
    });
    EXPECT_TRUE(fine.faults.empty()) << fine.text();
}

}  // namespace
}  // namespace emulated_tests
