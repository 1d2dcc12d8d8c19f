// SPDX-License-Identifier: Apache-2.0
// What all operators share (tools/kittens/operators/kernel_problem.hpp): a run finds what a kernel does wrong, options are refused
// with the legal values, and the checks of the operators see wrong results.
#include "support.hpp"

#include <operators/argmax_operation.hpp>
#include <operators/embedding_operation.hpp>
#include <operators/sample_operation.hpp>
#include <operators/softmax_operation.hpp>
#include <operators/swiglu_operation.hpp>

#include <kittens/base/launch.hpp>

#include <cmath>

namespace operator_tests {
namespace {

/// y = x, by a kernel that does it right or in one of several wrong ways.
enum class deed : int { right, wrong_value, writes_before, writes_behind, leaves_one_out };

struct copy_globals {
    const bf16* x;
    bf16* y;
    int n;
    deed what;
};

void copy_entry(const void* args, void*) {
    const auto& g = *static_cast<const copy_globals*>(args);
    for (int i = g.what == deed::leaves_one_out; i < g.n; ++i) g.y[i] = g.x[i];
    if (g.what == deed::wrong_value) g.y[g.n / 2] = bf16(1e6f);
    if (g.what == deed::writes_before) g.y[-1] = bf16(0.0f);
    if (g.what == deed::writes_behind) g.y[g.n] = bf16(0.0f);
}
launch_shape copy_geometry(const void*) { return {}; }

const bool registered = [] {
    for (const char* isa : {"avx2", "avx512", "avx512_bf16", "amx"}) register_kernel({"framework_copy", "cpu", isa, copy_entry, copy_geometry, sizeof(copy_globals), {}, nullptr});
    return true;
}();

class copy_problem : public tool::kernel_problem {
public:
    copy_problem(std::int64_t n, deed what) : n_(n), what_(what) {}
    nlohmann::ordered_json shape() const override { return {{"n", n_}}; }
    std::string text() const override { return "copy"; }
    std::string workload() const override { return "test"; }
    bench::cache_state cache() const override { return bench::cache_state::warm; }
    double flops() const override { return 0; }
    std::vector<bench::tensor_spec> tensors() const override { return {{"x", dtype::bf16, {n_}}, {"y", dtype::bf16, {n_}, true}}; }
    std::string peer_operation() const override { return "copy"; }
    tool::kernel_call call(std::span<void* const> t) const override {
        return tool::kernel_call::of("framework_copy", copy_globals{static_cast<bf16*>(t[0]), static_cast<bf16*>(t[1]), static_cast<int>(n_), what_});
    }
    bench::operator_verdict check(std::span<void* const> t, bool) const override {
        bench::operator_verdict v;
        bench::compare_output(v, tensors()[1], t[1], bench::values_of(tensors()[0], t[0]), tool::rounding_gate(dtype::bf16));
        return v;
    }

private:
    std::int64_t n_;
    deed what_;
};

class copy_operation : public tool::operator_operation {
public:
    copy_operation(std::int64_t n, deed what) : problem_(std::make_shared<copy_problem>(n, what)) {}
    std::string name() const override { return "copy"; }
    std::string summary() const override { return "y = x"; }
    void add_problem_options(CLI::App&) override {}
    void check_problem_options() override {}
    std::vector<std::string> check_problems() const override { return {}; }
    std::vector<std::string> kernel_choices() const override { return {}; }
    tool::inspect_plan inspect() override { return {}; }

protected:
    std::shared_ptr<const tool::kernel_problem> problem() const override { return problem_; }

private:
    std::shared_ptr<const tool::kernel_problem> problem_;
};

tool::run_outcome run_copy(deed what) {
    copy_operation op(200, what);
    return op.run({all_devices(false).front(), seed(), 2});
}

TEST(framework, a_right_kernel_passes) {
    ASSERT_TRUE(registered);
    const tool::run_outcome r = run_copy(deed::right);
    EXPECT_TRUE(r.passed);
    EXPECT_TRUE(r.findings.empty());
    EXPECT_EQ(r.kernel, "framework_copy");
    EXPECT_EQ(r.runs.seconds.size(), 2u);
    EXPECT_EQ(r.error["guard_bytes_written"], 0);
}

TEST(framework, wrong_values_and_what_is_not_written_are_found) {
    for (const deed what : {deed::wrong_value, deed::leaves_one_out}) {
        const tool::run_outcome r = run_copy(what);
        EXPECT_FALSE(r.passed);
        EXPECT_EQ(r.findings.size(), 1u);
    }
}

TEST(framework, what_is_written_beside_the_result_is_found) {
    for (const deed what : {deed::writes_before, deed::writes_behind}) {
        const tool::run_outcome r = run_copy(what);
        EXPECT_FALSE(r.passed);
        EXPECT_EQ(r.error["guard_bytes_written"], 2);
        ASSERT_EQ(r.findings.size(), 1u);
        EXPECT_NE(r.findings[0].find("outside"), std::string::npos) << r.findings[0];
    }
}

TEST(framework, a_problem_that_does_not_fit_is_refused_before_it_is_made) {
    copy_operation op(std::int64_t{1} << 50, deed::right);
    EXPECT_ANY_THROW(op.run({all_devices(false).front(), 1, 1}));
}

TEST(framework, element_types_that_there_are_not_are_refused) {
    copy_operation op(8, deed::right);
    CLI::App app("test");
    op.add_kernel_options(app);
    app.parse("--dtype int8", false);
    try {
        op.check_kernel_options();
        FAIL() << "int8 was taken";
    } catch (const tool::user_error& e) {
        const std::string line = e.what();
        for (const char* part : {"int8", "bf16", "fp16"}) EXPECT_NE(line.find(part), std::string::npos) << line;
        EXPECT_EQ(line.find('\n'), std::string::npos);
    }
}

TEST(framework, gates_follow_the_types) {
    EXPECT_EQ(tool::rounding_gate(dtype::bf16), 0x1p-8);
    EXPECT_EQ(tool::rounding_gate(dtype::f16), 0x1p-10);
    EXPECT_EQ(tool::stores_for(0x1p22), store_policy::cached);
    EXPECT_EQ(tool::stores_for(0x1p24), store_policy::streaming);
}

/// The check of a problem passes on what the kernel gave, and fails after `spoil`.
void expect_seen(const tool::kernel_problem& p, const std::function<void(const tensors&)>& spoil) {
    SCOPED_TRACE(p.text());
    const tensors t = run_and_check(all_devices(false).front(), p);
    spoil(t);
    EXPECT_FALSE(p.check(t.all(), false).passed());
}

TEST(framework, checks_of_operators_see_wrong_results) {
    const auto warm = bench::cache_state::warm;
    expect_seen(tool::swiglu_problem({.rows = 3, .cols = 40}, "", warm), [](const tensors& t) { static_cast<bf16*>(t["out"])[77] = bf16(50.0f); });
    expect_seen(tool::softmax_problem({.rows = 3, .cols = 40}, "", warm), [](const tensors& t) { static_cast<bf16*>(t["out"])[77] = bf16(1.0f); });
    expect_seen(tool::embedding_problem({.type = dtype::bf16, .tokens = 3, .rows = 5, .cols = 40, .wide_ids = false, .ids = {}}, "", warm), [](const tensors& t) { static_cast<bf16*>(t["out"])[77].bits ^= 1; });
    expect_seen(tool::argmax_problem({.rows = 3, .cols = 40}, "", warm), [](const tensors& t) { ++static_cast<std::int32_t*>(t["out"])[1]; });
    const tool::sample_problem some({.rows = 2, .cols = 400, .top_k = 30, .top_p = 0.7, .generator = seed()}, "", warm);
    expect_seen(some, [](const tensors& t) { ++static_cast<std::int32_t*>(t["kept"])[1]; });
    expect_seen(some, [](const tensors& t) { --static_cast<std::int32_t*>(t["kept"])[1]; });
    expect_seen(some, [](const tensors& t) { static_cast<std::int32_t*>(t["token"])[1] = -1; });
    // Another of the tokens that are kept: only the generator's word tells them apart.
    expect_seen(some, [](const tensors& t) {
        const auto* x = static_cast<bf16*>(t["logits"]);
        auto& token = *static_cast<std::int32_t*>(t["token"]);
        int best = token == 0 ? 1 : 0;
        for (int i = 0; i < 400; ++i)
            if (i != token && static_cast<float>(x[i]) > static_cast<float>(x[best])) best = i;
        token = best;
    });
}

}  // namespace
}  // namespace operator_tests
