// SPDX-License-Identifier: Apache-2.0
// The timing loop with a clock that the contenders themselves advance, so that all timings are known.
#include <bench/idle.hpp>
#include <bench/interleave.hpp>
#include <bench/statistics.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace kittens::bench {
namespace {

struct fake_world {
    double time = 0;
    std::string order;  ///< who ran, and 's' for each settling
    int rounds = 0;

    contender runs(char letter, std::function<double()> seconds) {
        return {std::string(1, letter), [this, letter, seconds] {
                    order += letter;
                    time += seconds();
                }};
    }
    surroundings around() {
        return {[this] { return time; }, [this] { order += 's'; }, [this] { ++rounds; }};
    }
};

constexpr protocol bare{.warm_ups = 1, .rounds = 3, .least_sample = 0, .lead_in_below = 0, .settle = false};

TEST(interleave, samples_are_the_times_of_the_runs) {
    fake_world w;
    const contender all[] = {w.runs('a', [] { return 2.0; }), w.runs('b', [] { return 3.0; })};
    const auto got = interleave(all, bare, w.around());
    ASSERT_EQ(got.size(), 2u);
    EXPECT_EQ(got[0].seconds, (std::vector<double>{2, 2, 2}));
    EXPECT_EQ(got[1].seconds, (std::vector<double>{3, 3, 3}));
    EXPECT_EQ(w.rounds, 4);
}

TEST(interleave, the_first_is_rotated) {
    fake_world w;
    const auto one = [] { return 1.0; };
    const contender all[] = {w.runs('a', one), w.runs('b', one), w.runs('c', one)};
    interleave(all, bare, w.around());
    EXPECT_EQ(w.order, "abc" "bca" "cab" "abc");
}

TEST(interleave, drift_does_not_reach_the_ratio) {
    fake_world w;
    // The clock of the machine slows down to a quarter within the measurement.
    const auto slowdown = [&] { return 1.0 + w.time / 100; };
    const contender all[] = {w.runs('a', [&] { return 1.0 * slowdown(); }), w.runs('b', [&] { return 1.5 * slowdown(); })};
    const auto got = interleave(all, {.warm_ups = 1, .rounds = 40, .least_sample = 0, .lead_in_below = 0, .settle = false}, w.around());
    EXPECT_GT(got[0].seconds.back(), 2 * got[0].seconds.front());
    EXPECT_NEAR(summarise(ratios(got[1].seconds, got[0].seconds)).median, 1.5, 0.03);
}

TEST(interleave, short_runs_are_repeated_within_a_sample) {
    fake_world w;
    const contender all[] = {w.runs('a', [] { return 0.25; }), w.runs('b', [] { return 3.0; })};
    const auto got = interleave(all, {.warm_ups = 1, .rounds = 2, .least_sample = 1.0, .lead_in_below = 0, .settle = false}, w.around());
    EXPECT_EQ(got[0].repetitions, 4);
    EXPECT_EQ(got[1].repetitions, 1);
    EXPECT_EQ(got[0].seconds, (std::vector<double>{0.25, 0.25}));
    EXPECT_EQ(w.order, "ab" "baaaa" "aaaab");
}

TEST(interleave, the_lead_in_is_not_timed) {
    fake_world w;
    // Every run after another's is slow once: cold caches, sleeping threads.
    char last = 0;
    const auto cold_once = [&](char me) {
        const double seconds = last == me ? 1.0 : 9.0;
        last = me;
        return seconds;
    };
    const contender all[] = {w.runs('a', [&] { return cold_once('a'); }), w.runs('b', [&] { return cold_once('b'); })};
    const auto got = interleave(all, {.warm_ups = 1, .rounds = 3, .least_sample = 0, .lead_in_below = 10, .settle = false}, w.around());
    EXPECT_EQ(got[0].seconds, (std::vector<double>{1, 1, 1}));
    EXPECT_EQ(got[1].seconds, (std::vector<double>{1, 1, 1}));
}

TEST(interleave, settles_before_each) {
    fake_world w;
    const contender all[] = {w.runs('a', [] { return 1.0; }), w.runs('b', [] { return 1.0; })};
    protocol how = bare;
    how.settle = true;
    how.rounds = 1;
    interleave(all, how, w.around());
    EXPECT_EQ(w.order, "sasb" "sbsa");
}

TEST(interleave, exceptions_pass_through) {
    const contender all[] = {{"a", [] { throw std::runtime_error("broken"); }}};
    EXPECT_THROW(interleave(all, bare), std::runtime_error);
}

TEST(idle, waits_for_a_thread_that_polls) {
    std::atomic<bool> stop{false}, started{false};
    std::thread busy([&] {
        started = true;
        while (!stop.load(std::memory_order_relaxed)) {}
    });
    while (!started) std::this_thread::yield();
    EXPECT_FALSE(wait_for_idle_threads(0.02));
    stop = true;
    busy.join();
    EXPECT_TRUE(wait_for_idle_threads(5));
}

}  // namespace
}  // namespace kittens::bench
