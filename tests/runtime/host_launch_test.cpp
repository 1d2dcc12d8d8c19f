// SPDX-License-Identifier: Apache-2.0
// The host back end: grids, barriers, errors, several queues.
#include "test_kernels.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using kittens::host_context;
using kittens::kernel_error;
using kittens::launch_shape;

class host_launch : public testing::Test {
protected:
    void SetUp() override {
        if (kittens::usable_cpu_isas().empty()) GTEST_SKIP() << "this processor has no AVX2";
    }
    kittens::queue q;

    std::string error_of(const probe_args& args) {
        try {
            kittens::run(q, probe_kernel, args);
        } catch (const kernel_error& e) {
            EXPECT_EQ(e.kernel(), "probe");
            EXPECT_EQ(e.target(), "cpu");
            return e.what();
        }
        return "no error";
    }
};

std::size_t subgroups_of(const launch_shape& s) {
    return static_cast<std::size_t>(s.groups[0]) * static_cast<std::size_t>(s.groups[1]) *
           static_cast<std::size_t>(s.groups[2]) * static_cast<std::size_t>(s.subgroups);
}

TEST_F(host_launch, every_subgroup_runs_once) {
    for (const launch_shape shape : {launch_shape{{1, 1, 1}, 1}, launch_shape{{7, 5, 3}, 4}, launch_shape{{1, 1, 9}, 1},
                                     launch_shape{{20000, 1, 1}, 2}, launch_shape{{2, 1, 1}, 128}}) {
        std::vector<int> hits(subgroups_of(shape));
        kittens::run(q, probe_kernel,
                     probe_args{shape,
                                [](const probe_args& a, host_context& c) {
                                    for (int i = 0; i < 3; ++i)
                                        if (c.group[i] < 0 || c.group[i] >= a.shape.groups[i] ||
                                            c.groups[i] != a.shape.groups[i])
                                            return;
                                    ++a.out[linear_subgroup(c)];
                                },
                                hits.data()});
        EXPECT_EQ(std::count(hits.begin(), hits.end(), 1), static_cast<long>(hits.size()));
    }
}

TEST_F(host_launch, globals_are_copied) {
    int out = 0;
    kittens::event done;
    {
        probe_args args{{}, [](const probe_args& a, host_context&) { *a.out += 41; }, &out};
        done = kittens::launch(q, probe_kernel, args);
        args.out = nullptr;
    }
    done.wait();
    EXPECT_TRUE(done.done());
    EXPECT_EQ(out, 41);
    ASSERT_TRUE(done.seconds());
    EXPECT_GE(*done.seconds(), 0);
}

TEST_F(host_launch, commands_of_a_queue_run_in_order) {
    std::vector<int> log;
    for (int i = 0; i < 50; ++i)
        kittens::launch(q, probe_kernel,
                        probe_args{{},
                                   [](const probe_args& a, host_context&) {
                                       static_cast<std::vector<int>*>(a.more)->push_back(
                                           static_cast<int>(reinterpret_cast<std::intptr_t>(a.out)));
                                   },
                                   reinterpret_cast<int*>(static_cast<std::intptr_t>(i)),
                                   &log});
    q.wait();
    std::vector<int> wanted(50);
    std::iota(wanted.begin(), wanted.end(), 0);
    EXPECT_EQ(log, wanted);
}

// Each subgroup publishes a value, and after the barrier reads the one of its neighbour; many times over.
TEST_F(host_launch, barrier) {
    for (const int subgroups : {1, 2, 5, 32}) {
        const launch_shape shape{{40, 1, 1}, subgroups, 2 * sizeof(int) * static_cast<std::size_t>(subgroups)};
        std::vector<int> bad(subgroups_of(shape));
        kittens::run(q, probe_kernel,
                     probe_args{shape,
                                [](const probe_args& a, host_context& c) {
                                    auto* slots = reinterpret_cast<int*>(c.slm);
                                    for (int round = 0; round < 20; ++round) {
                                        int* now = slots + (round & 1) * c.subgroups;
                                        now[c.subgroup] = c.group[0] * 1000 + round * 40 + c.subgroup;
                                        c.barrier(c);
                                        const int next = (c.subgroup + 1) % c.subgroups;
                                        a.out[linear_subgroup(c)] += now[next] != c.group[0] * 1000 + round * 40 + next;
                                    }
                                },
                                bad.data()});
        EXPECT_EQ(std::accumulate(bad.begin(), bad.end(), 0), 0) << subgroups;
    }
}

TEST_F(host_launch, split_barrier) {
    const launch_shape shape{{30, 1, 1}, 8, 16 * sizeof(int)};
    std::vector<int> bad(subgroups_of(shape));
    kittens::run(q, probe_kernel,
                 probe_args{shape,
                            [](const probe_args& a, host_context& c) {
                                auto* slots = reinterpret_cast<int*>(c.slm);
                                for (int round = 0; round < 20; ++round) {
                                    int* now = slots + (round & 1) * 8;
                                    now[c.subgroup] = round + c.subgroup;
                                    c.arrive(c);
                                    volatile int between = 0;
                                    for (int i = 0; i < 50; ++i) between = between + i;
                                    c.wait(c);
                                    for (int i = 0; i < 8; ++i) a.out[linear_subgroup(c)] += now[i] != round + i;
                                    if (round % 3 == 0) c.barrier(c);
                                }
                            },
                            bad.data()});
    EXPECT_EQ(std::accumulate(bad.begin(), bad.end(), 0), 0);
}

// Tiles of the cpu target are local arrays; a subgroup that waits keeps its own.
TEST_F(host_launch, large_local_arrays_survive_barriers) {
    const launch_shape shape{{4, 1, 1}, 6};
    std::vector<int> sums(subgroups_of(shape));
    kittens::run(q, probe_kernel,
                 probe_args{shape,
                            [](const probe_args& a, host_context& c) {
                                volatile int tile[1 << 20];
                                for (int i = 0; i < 1 << 20; i += 512) tile[i] = c.subgroup;
                                c.barrier(c);
                                int sum = 0;
                                for (int i = 0; i < 1 << 20; i += 512) sum += tile[i];
                                a.out[linear_subgroup(c)] = sum;
                            },
                            sums.data()});
    for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], 2048 * static_cast<int>(i % 6));
}

TEST_F(host_launch, floating_point_modes_do_not_leak_between_subgroups) {
    const launch_shape shape{{50, 1, 1}, 4};
    std::vector<int> modes(subgroups_of(shape));
    kittens::run(q, probe_kernel,
                 probe_args{shape,
                            [](const probe_args& a, host_context& c) {
                                a.out[linear_subgroup(c)] = static_cast<int>(__builtin_ia32_stmxcsr() & 0xffc0);
                                __builtin_ia32_ldmxcsr(0x9fc0);  // flush to zero, for good
                                c.barrier(c);
                            },
                            modes.data()});
    EXPECT_EQ(std::count(modes.begin(), modes.end(), 0x1f80), static_cast<long>(modes.size()));
    EXPECT_EQ(__builtin_ia32_stmxcsr() & 0xffc0, 0x1f80u);
}

TEST_F(host_launch, exception_names_kernel_and_workgroup) {
    const std::string what = error_of({{{4, 3, 2}, 2}, [](const probe_args&, host_context& c) {
                                           if (c.group[0] == 3 && c.group[1] == 1 && c.group[2] == 1 && c.subgroup == 1)
                                               throw std::runtime_error("no such tile");
                                       }});
    EXPECT_EQ(what, "kernel probe (cpu), workgroup 3,1,1: no such tile");
}

TEST_F(host_launch, exception_while_others_wait_unwinds_them) {
    struct counter {
        std::atomic<int>& alive;
        explicit counter(std::atomic<int>& n) : alive(n) { ++alive; }
        ~counter() { --alive; }
    };
    std::atomic<int> alive{0};
    const std::string what = error_of({{{1, 1, 1}, 8},
                                       [](const probe_args& a, host_context& c) {
                                           const counter here(*static_cast<std::atomic<int>*>(a.more));
                                           if (c.subgroup == 5) throw std::out_of_range("five");
                                           c.barrier(c);
                                       },
                                       nullptr,
                                       &alive});
    EXPECT_EQ(what, "kernel probe (cpu), workgroup 0,0,0: five");
    EXPECT_EQ(alive, 0);
}

TEST_F(host_launch, what_is_no_std_exception_is_reported_too) {
    EXPECT_NE(error_of({{}, [](const probe_args&, host_context&) { throw 7; }}).find("no std::exception"),
              std::string::npos);
}

TEST_F(host_launch, missing_barrier) {
    const std::string early = error_of({{{2, 1, 1}, 4}, [](const probe_args&, host_context& c) {
                                            if (c.group[0] == 1 && c.subgroup != 2) c.barrier(c);
                                        }});
    EXPECT_EQ(early,
              "kernel probe (cpu), workgroup 1,0,0: barrier not reached by all subgroups: 3 of 4 wait (subgroup 0, 1, "
              "3), the others have ended");
    const std::string late = error_of({{{1, 1, 1}, 4}, [](const probe_args&, host_context& c) {
                                           c.barrier(c);
                                           if (c.subgroup > 1) c.barrier(c);
                                       }});
    EXPECT_NE(late.find("2 of 4 wait (subgroup 3, 2)"), std::string::npos) << late;
}

TEST_F(host_launch, misuse_of_split_barriers) {
    EXPECT_NE(error_of({{{1, 1, 1}, 2}, [](const probe_args&, host_context& c) { c.wait(c); }}).find("without arrive"),
              std::string::npos);
    EXPECT_NE(error_of({{{1, 1, 1}, 2},
                        [](const probe_args&, host_context& c) {
                            c.arrive(c);
                            c.barrier(c);
                        }})
                  .find("between arrive and wait"),
              std::string::npos);
    EXPECT_NE(error_of({{{1, 1, 1}, 2}, [](const probe_args&, host_context& c) { c.arrive(c); }})
                  .find("ended between arrive and wait"),
              std::string::npos);
}

// Two groups and a set across them, at their own pace, among the workgroup's barriers.
TEST_F(host_launch, named_barriers) {
    std::vector<int> seen(16 * 6, -1);
    kittens::run(q, probe_kernel,
                 probe_args{{{16, 1, 1}, 6},
                            [](const probe_args& a, host_context& c) {
                                static thread_local int published[6];
                                const int own = c.subgroup, group = own / 3;
                                bool right = true;
                                for (int round = 0; round < 20 + 10 * group; ++round) {
                                    published[own] = round * 10 + own;
                                    c.named(c, group, group * 3, 3);
                                    const int next = group * 3 + (own + 1) % 3;
                                    right = right && published[next] == round * 10 + next;
                                    c.named(c, group, group * 3, 3);
                                }
                                if (own > 0 && own < 5) c.named(c, 30, 1, 4);
                                c.barrier(c);
                                for (int i = 0; i < 6; ++i) right = right && published[i] == (19 + i / 3 * 10) * 10 + i;
                                c.barrier(c);
                                a.out[linear_subgroup(c)] = right;
                            },
                            seen.data()});
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 16 * 6);
}

TEST_F(host_launch, misuse_of_named_barriers) {
    const auto expect = [&](int subgroups, void (*body)(const probe_args&, host_context&), const char* text) {
        const std::string what = error_of({{{1, 1, 1}, subgroups}, body});
        EXPECT_NE(what.find(text), std::string::npos) << what;
    };
    expect(4, [](const probe_args&, host_context& c) { if (c.subgroup != 1) c.named(c, 7, 0, 4); },
           "named barrier 7 not reached by all of subgroups 0 to 3: 3 of 4 wait");
    expect(4, [](const probe_args&, host_context& c) { if (c.subgroup > 1) c.named(c, 7, 2, 4); },
           "named barrier 7 is that of subgroups 2 to 5, but the workgroup has 4");
    expect(4, [](const probe_args&, host_context& c) { c.named(c, 1, 0, 3); }, "and subgroup 3 waits at it");
    expect(4, [](const probe_args&, host_context& c) { c.named(c, 1, c.subgroup / 2 * 2, 2); }, "needs a number of its own");
    expect(2, [](const probe_args&, host_context& c) { c.named(c, 31, 0, 2); }, "the numbers are 0 to 30");
    // Some wait at one kind, some at the other.
    expect(4, [](const probe_args&, host_context& c) { if (c.subgroup == 1) c.named(c, 0, 0, 2); else c.barrier(c); }, "named barrier 0 not reached");
    // And what is left behind does not disturb the next launch.
    expect(4, [](const probe_args&, host_context& c) { c.named(c, 1, c.subgroup / 2 * 2, 2); }, "needs a number of its own");
    int ran = 0;
    kittens::run(q, probe_kernel, probe_args{{{1, 1, 1}, 2}, [](const probe_args& a, host_context& c) { c.named(c, 1, 0, 2), ++*a.out; }, &ran});
    EXPECT_EQ(ran, 2);
}

TEST_F(host_launch, a_failed_command_stops_those_behind_it_until_it_is_reported) {
    int ran = 0;
    const auto count = [](const probe_args& a, host_context&) { ++*a.out; };
    const auto bad = kittens::launch(
        q, probe_kernel, probe_args{{}, [](const probe_args&, host_context&) { throw std::runtime_error("first"); }});
    const auto behind = kittens::launch(q, probe_kernel, probe_args{{}, count, &ran});
    EXPECT_THROW(q.wait(), kernel_error);
    EXPECT_THROW(behind.wait(), kernel_error);
    EXPECT_THROW(bad.wait(), kernel_error);
    EXPECT_EQ(ran, 0);
    kittens::run(q, probe_kernel, probe_args{{}, count, &ran});
    EXPECT_NO_THROW(q.wait());
    EXPECT_EQ(ran, 1);
}

// Kernels on two queues that wait for each other: only possible where both run at once, on one processor too.
TEST_F(host_launch, queues_run_concurrently) {
    constexpr int count = 6;
    std::atomic<int> present{0};
    std::vector<kittens::queue> queues;
    std::vector<kittens::event> events;
    for (int i = 0; i < count; ++i) {
        queues.emplace_back();
        events.push_back(kittens::launch(queues.back(), probe_kernel,
                                         probe_args{{{3, 1, 1}, 1},
                                                    [](const probe_args& a, host_context& c) {
                                                        auto& n = *static_cast<std::atomic<int>*>(a.more);
                                                        if (c.group[0] == 0) ++n;
                                                        while (n < count) std::this_thread::yield();
                                                    },
                                                    nullptr,
                                                    &present}));
    }
    for (auto& e : events) e.wait();
    EXPECT_EQ(present, count);
}

// Every thread has a share of the workgroups. One that is held up by its first must not hold up the rest of its share.
TEST_F(host_launch, others_take_over_the_share_of_a_slow_thread) {
    if (q.where().properties().threads < 2) GTEST_SKIP() << "needs two threads";
    constexpr int groups = 24;
    std::vector<int> hits(groups);
    static std::atomic<int> ended, late;
    ended = late = 0;
    kittens::run(q, probe_kernel,
                 probe_args{launch_shape{{groups, 1, 1}, 1},
                            [](const probe_args& a, host_context& c) {
                                if (c.group[0] == 0) {
                                    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
                                    while (ended.load() < groups - 1)
                                        if (std::chrono::steady_clock::now() > limit) {
                                            ++late;
                                            break;
                                        } else std::this_thread::yield();
                                }
                                ++a.out[c.group[0]];
                                ++ended;
                            },
                            hits.data()});
    EXPECT_EQ(std::count(hits.begin(), hits.end(), 1), groups);
    EXPECT_EQ(late.load(), 0);
}

TEST_F(host_launch, a_queue_makes_progress_without_a_wait) {
    std::atomic<int> n{0};
    const auto done = kittens::launch(
        q, probe_kernel,
        probe_args{{{64, 1, 1}, 2},
                   [](const probe_args& a, host_context&) { ++*static_cast<std::atomic<int>*>(a.more); },
                   nullptr,
                   &n});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!done.done() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    EXPECT_TRUE(done.done());
    EXPECT_EQ(n, 128);
}

TEST_F(host_launch, many_threads_share_a_queue) {
    std::atomic<int> n{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 200; ++i)
                kittens::run(
                    q, probe_kernel,
                    probe_args{{{2, 1, 1}, 1},
                               [](const probe_args& a, host_context&) { ++*static_cast<std::atomic<int>*>(a.more); },
                               nullptr,
                               &n});
        });
    for (auto& t : threads) t.join();
    EXPECT_EQ(n, 4 * 200 * 2);
}

TEST_F(host_launch, wait_inside_a_kernel_is_refused) {
    const std::string what = error_of({{},
                                       [](const probe_args& a, host_context&) {
                                           auto& queue = *static_cast<kittens::queue*>(a.more);
                                           queue.fill(a.out, 0, 0).wait();
                                       },
                                       nullptr,
                                       &q});
    EXPECT_NE(what.find("wait was called inside a kernel"), std::string::npos) << what;
    q.wait();
}

TEST_F(host_launch, scratch_belongs_to_a_launch) {
    std::atomic<int> bad{0};
    for (int i = 0; i < 3; ++i)
        kittens::run(q, probe_kernel,
                     probe_args{{{20, 1, 1}, 2},
                                [](const probe_args& a, host_context& c) {
                                    auto& s = *c.scratch;
                                    auto& wrong = *static_cast<std::atomic<int>*>(a.more);
                                    if (s.words[0] == 0) {
                                        s.grow(s, 3 << 20);
                                        s.words[0] = s.epoch;
                                        std::memcpy(s.data, &s.epoch, sizeof s.epoch);
                                    }
                                    std::uint64_t kept = 0;
                                    std::memcpy(&kept, s.data, sizeof kept);
                                    if (kept != s.epoch || s.words[0] != s.epoch || s.bytes < 3 << 20 ||
                                        reinterpret_cast<std::uintptr_t>(s.data) % 64)
                                        ++wrong;
                                },
                                nullptr,
                                &bad});
    EXPECT_EQ(bad, 0);
}

TEST_F(host_launch, refusals) {
    const auto body = [](const probe_args&, host_context&) {};
    const auto refused = [&](const launch_shape& shape, const char* text) {
        try {
            kittens::launch(q, probe_kernel, probe_args{shape, body});
            ADD_FAILURE() << "accepted; wanted " << text;
        } catch (const kittens::launch_error& e) {
            EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
        }
    };
    refused({{0, 1, 1}, 1}, "wants a grid of 0 x 1 x 1 workgroups");
    refused({{1, -4, 1}, 1}, "wants a grid of 1 x -4 x 1 workgroups");
    refused({{1 << 30, 1 << 30, 1 << 30}, 1}, "at most 2^40");
    refused({{1, 1, 1}, 0}, "wants 0 subgroups");
    refused({{1, 1, 1}, 129}, "takes 1 to 128");
    refused({{1, 1, 1}, 1, std::size_t{1} << 30}, "wants 1.0 GiB of shared local memory");
    EXPECT_THROW(q.launch(probe_kernel, "", 1), kittens::launch_error);
    EXPECT_THROW(kittens::launch(q, "no_such_kernel", probe_args{}), kittens::launch_error);
    kittens::kernel_record xe = probe_kernel;
    xe.target = "xe";
    EXPECT_THROW(kittens::launch(q, xe, probe_args{}), kittens::launch_error);
}

TEST_F(host_launch, every_cpu_level_runs_what_it_may) {
    for (const auto& d : kittens::devices()) {
        if (d.target() != "cpu") continue;
        kittens::queue on(d);
        int n = 0;
        kittens::run(on, probe_kernel, probe_args{{}, [](const probe_args& a, host_context&) { ++*a.out; }, &n});
        EXPECT_EQ(n, 1) << d.id();
        if (d.properties().isa == "amx") continue;
        kittens::kernel_record too_high = probe_kernel;
        too_high.isa = "amx";
        EXPECT_THROW(kittens::launch(on, too_high, probe_args{{}, nullptr}), kittens::launch_error) << d.id();
    }
}

}  // namespace
