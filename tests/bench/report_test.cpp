// SPDX-License-Identifier: Apache-2.0
// A whole suite against peers with known behaviour, and what is reported of it.
#include "plain_gemm.hpp"

#include <bench/report.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kittens::bench {
namespace {

/// A candidate that takes as long as it likes; `damage` is done to its result from run `from` on.
gemm_candidate plain_candidate(int from = -1) {
    return [from](const gemm_shape& s, const void* a, const void* b, void* c) -> std::function<void()> {
        return [=, runs = 0]() mutable {
            test::plain_gemm<bf16, bf16>(s, a, b, c);
            if (from >= 0 && runs++ >= from) std::memset(static_cast<bf16*>(c) + s.n * (s.m / 2), 0, sizeof(bf16) * static_cast<std::size_t>(s.n));
        };
    };
}

gemm_request small(std::vector<std::string> peers) {
    gemm_request r;
    r.suite = "given";
    r.shapes = {{32, 32, 32, "square"}, {32, 64, 32, "given"}};
    r.peers = std::move(peers);
    r.folder = KITTENS_FAKE_PEERS;
    r.how = {.warm_ups = 1, .rounds = 3, .least_sample = 0, .lead_in_below = 0, .settle = false};
    r.seed = 5;
    return r;
}

class report : public testing::Test {
protected:
    const device where_ = find_device("cpu");
    gemm_figures run(const gemm_request& r, const gemm_candidate& c = plain_candidate()) { return run_gemm_suite(r, where_, c); }
    setting in(const gemm_request& r) const {
        setting s{.request = r, .where = where_};
        s.limit = {1e12, "none"};
        s.policy = "default";
        return s;
    }
};

TEST_F(report, json_has_the_promised_shape) {
    const gemm_request r = small({"onednn", "openblas"});
    const gemm_figures f = run(r);
    EXPECT_TRUE(f.passed());
    const auto j = to_json(f, in(r));
    EXPECT_EQ(j["kernel"], "gemm");
    EXPECT_EQ(j["suite"], "given");
    EXPECT_EQ(j["threads"], 1);
    ASSERT_EQ(j["entries"].size(), 2u);
    const auto& e = j["entries"][1];
    EXPECT_EQ(e["shape"], nlohmann::ordered_json({{"m", 32}, {"n", 64}, {"k", 32}}));
    EXPECT_GT(e["candidate_us"].get<double>(), 0);
    EXPECT_GT(e["peers"]["onednn"]["us"].get<double>(), 0);
    const double onednn = e["peers"]["onednn"]["ratio"], openblas = e["peers"]["openblas"]["ratio"];
    EXPECT_EQ(e["best_peer"], onednn <= openblas ? "onednn" : "openblas");
    EXPECT_DOUBLE_EQ(e["ratio_best"].get<double>(), std::min(onednn, openblas));
    EXPECT_LT(e["relative_frobenius"].get<double>(), 2.5e-3);
    EXPECT_GT(j["geomean_best"].get<double>(), 0);
    EXPECT_TRUE(j["geomean"].contains("onednn"));
    EXPECT_TRUE(j["geomean"].contains("openblas"));
    EXPECT_EQ(j["geomean_by_half"]["square"]["best"], j["entries"][0]["ratio_best"]);
    EXPECT_EQ(j["geomean_by_half"]["rectangular"]["best"], j["entries"][1]["ratio_best"]);
}

TEST_F(report, single_precision_is_labelled) {
    const gemm_request r = small({"onednn", "openblas"});
    const gemm_figures f = run(r);
    ASSERT_EQ(f.shapes[0].peers.size(), 2u);
    EXPECT_EQ(f.shapes[0].peers[0].types, "bf16");
    EXPECT_EQ(f.shapes[0].peers[1].types, "fp32");
    EXPECT_NE(to_text(f, in(r)).find("fp32"), std::string::npos);
}

TEST_F(report, a_missing_peer_is_named_with_the_command_that_brings_it) {
    const gemm_request r = small({"onednn", "absent"});
    const gemm_figures f = run(r);
    EXPECT_TRUE(f.passed());
    ASSERT_EQ(f.not_here.size(), 1u);
    EXPECT_EQ(f.not_here[0].name, "absent");
    EXPECT_NE(to_text(f, in(r)).find("scripts/setup.sh --only absent"), std::string::npos);
    const auto j = to_json(f, in(r));
    EXPECT_EQ(j["missing"][0]["peer"], "absent");
    EXPECT_EQ(j["geomean"].size(), 1u);
}

TEST_F(report, without_peers_there_are_times_and_no_ratios) {
    const gemm_request r = small({});
    const auto j = to_json(run(r), in(r));
    EXPECT_TRUE(j["geomean_best"].is_null());
    EXPECT_TRUE(j["entries"][0]["best_peer"].is_null());
    EXPECT_GT(j["entries"][0]["candidate_us"].get<double>(), 0);
}

TEST_F(report, a_wrong_peer_is_left_out_and_the_run_fails) {
    const gemm_request r = small({"onednn", "torch"});
    const gemm_figures f = run(r);
    EXPECT_FALSE(f.passed());
    ASSERT_EQ(f.shapes[0].peers.size(), 1u);
    EXPECT_EQ(f.shapes[0].peers[0].name, "onednn");
    ASSERT_EQ(f.shapes[0].omitted.size(), 1u);
    EXPECT_TRUE(f.shapes[0].omitted[0].wrong);
    EXPECT_NE(to_text(f, in(r)).find("wrong: torch on 32 x 32 x 32"), std::string::npos);
}

TEST_F(report, a_peer_that_turns_wrong_while_it_is_timed_is_left_out) {
    const gemm_figures f = run(small({"onednn", "mkl"}));
    EXPECT_FALSE(f.passed());
    ASSERT_EQ(f.shapes[0].omitted.size(), 1u);
    EXPECT_NE(f.shapes[0].omitted[0].reason.find("after the measurement"), std::string::npos);
}

TEST_F(report, a_wrong_candidate_has_no_figures) {
    const gemm_request r = small({"onednn"});
    const gemm_figures f = run(r, plain_candidate(0));
    EXPECT_FALSE(f.passed());
    EXPECT_FALSE(f.shapes[0].failure.empty());
    EXPECT_TRUE(f.shapes[0].peers.empty());
    EXPECT_FALSE(f.geomean(nullptr, gemm_figures::half::all));
    const auto j = to_json(f, in(r));
    EXPECT_FALSE(j["passed"].get<bool>());
    EXPECT_TRUE(j["entries"][0]["candidate_us"].is_null());
    EXPECT_NE(to_text(f, in(r)).find("WRONG"), std::string::npos);
}

TEST_F(report, a_candidate_that_turns_wrong_while_it_is_timed_has_no_figures) {
    const gemm_figures f = run(small({"onednn"}), plain_candidate(3));
    EXPECT_NE(f.shapes[0].failure.find("after the measurement"), std::string::npos);
}

TEST_F(report, a_peer_without_the_type_says_so) {
    gemm_request r = small({"onednn"});
    r.in = dtype::f16;
    const gemm_figures f = run_gemm_suite(r, where_, [](const gemm_shape& s, const void* a, const void* b, void* c) -> std::function<void()> {
        return [=] { test::plain_gemm<half, half>(s, a, b, c); };
    });
    EXPECT_TRUE(f.passed());
    ASSERT_EQ(f.shapes[0].omitted.size(), 1u);
    EXPECT_EQ(f.shapes[0].omitted[0].reason, "Fake has no fp16");
}

TEST_F(report, geometric_means_by_half) {
    gemm_figures f;
    f.peers = {{"x", "", ""}, {"y", "", ""}};
    const auto add = [&](gemm_shape s, double x, double y) {
        shape_figures figures;
        figures.shape = s;
        figures.peers.resize(2);
        figures.peers[0].name = "x", figures.peers[0].ratio.median = x;
        figures.peers[1].name = "y", figures.peers[1].ratio.median = y;
        f.shapes.push_back(figures);
    };
    add({8, 8, 8, ""}, 1.0, 2.0);
    add({16, 16, 16, ""}, 4.0, 2.0);
    add({8, 8, 16, ""}, 0.5, 3.0);
    const std::string x = "x";
    using half = gemm_figures::half;
    EXPECT_NEAR(*f.geomean(&x, half::square), 2.0, 1e-12);
    EXPECT_NEAR(*f.geomean(&x, half::rectangular), 0.5, 1e-12);
    EXPECT_NEAR(*f.geomean(nullptr, half::square), std::sqrt(2.0), 1e-12);
    EXPECT_NEAR(*f.geomean(nullptr, half::all), 1.0, 1e-12);
}

}  // namespace
}  // namespace kittens::bench
