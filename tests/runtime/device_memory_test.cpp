// SPDX-License-Identifier: Apache-2.0
// Devices, the cap on the instruction set, memory.
#include "test_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

namespace {

using kittens::cpu_isa;

TEST(cpu_isa, names_round_trip) {
    for (const auto isa : {cpu_isa::avx2, cpu_isa::avx512, cpu_isa::avx512_bf16, cpu_isa::amx})
        EXPECT_EQ(kittens::parse_cpu_isa(kittens::to_string(isa)), isa);
    EXPECT_FALSE(kittens::parse_cpu_isa("AVX2"));
    EXPECT_FALSE(kittens::parse_cpu_isa(""));
}

TEST(cpu_isa, cap) {
    const auto detected = kittens::detected_cpu_isa();
    {
        const scoped_env cap("KITTENS_MAX_CPU_ISA", "avx2");
        const auto usable = kittens::usable_cpu_isas();
        EXPECT_EQ(usable.size(), detected ? 1u : 0u);
    }
    const scoped_env none("KITTENS_MAX_CPU_ISA", "");
    EXPECT_EQ(kittens::usable_cpu_isas().size(), detected ? static_cast<std::size_t>(*detected) + 1 : 0u);
    const scoped_env wrong("KITTENS_MAX_CPU_ISA", "avx1024");
    try {
        kittens::usable_cpu_isas();
        FAIL() << "accepted";
    } catch (const kittens::device_error& e) {
        EXPECT_STREQ(e.what(),
                     "KITTENS_MAX_CPU_ISA is \"avx1024\"; set it to avx2, avx512, avx512_bf16 or amx, or unset it");
    }
}

TEST(cpu_isa, threads) {
    for (const char* bad : {"0", "-1", "x", "3x", "5000", "99999999999999"}) {
        const scoped_env value("KITTENS_NUM_THREADS", bad);
        EXPECT_THROW(kittens::host_threads(), kittens::device_error) << bad;
    }
    const scoped_env three("KITTENS_NUM_THREADS", "3");
    EXPECT_EQ(kittens::host_threads(), 3);
}

TEST(device, list) {
    std::set<std::string> ids;
    for (const auto& d : kittens::devices()) {
        EXPECT_TRUE(ids.insert(d.id()).second) << d.id();
        const auto& p = d.properties();
        EXPECT_FALSE(p.name.empty());
        EXPECT_FALSE(p.vendor.empty());
        EXPECT_FALSE(p.driver_version.empty());
        EXPECT_GT(p.cores, 0);
        EXPECT_GT(p.memory_bytes, 0u);
        EXPECT_GT(p.slm_bytes, 0u);
        EXPECT_GT(p.max_subgroups, 0);
        EXPECT_NE(std::find(p.subgroup_sizes.begin(), p.subgroup_sizes.end(), 16), p.subgroup_sizes.end()) << d.id();
        EXPECT_EQ(p.mode.empty(), p.target != "xe");
        EXPECT_EQ(p.isa.empty(), p.target != "cpu");
    }
    for (const auto& m : kittens::missing_parts()) {
        EXPECT_FALSE(m.what.empty());
        EXPECT_EQ(m.what.find('\n'), std::string::npos);
        EXPECT_FALSE(m.consequence.empty());
    }
}

TEST(device, find) {
    if (!kittens::usable_cpu_isas().empty()) {
        EXPECT_EQ(kittens::find_device("cpu").properties().isa, kittens::to_string(kittens::usable_cpu_isas().back()));
        EXPECT_EQ(kittens::find_device("cpu", "AVX2").properties().isa, "avx2");
        EXPECT_EQ(kittens::device(), kittens::find_device("cpu"));
    }
    EXPECT_EQ(kittens::find_device("emulated").target(), "emulated");
    for (const char* target : {"gpu", "", "CPU"}) {
        try {
            kittens::find_device(target);
            FAIL() << target;
        } catch (const kittens::device_error& e) {
            EXPECT_EQ(e.hint(), "the targets are cpu, emulated and xe");
        }
    }
    try {
        kittens::find_device("emulated", "Voodoo");
        FAIL();
    } catch (const kittens::device_error& e) {
        EXPECT_NE(e.hint().find("there are: emulated"), std::string::npos) << e.what();
    }
}

class memory_on : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (const std::string why = why_absent(GetParam()); !why.empty()) GTEST_SKIP() << why;
    }
};

TEST_P(memory_on, allocation_copy_fill) {
    const auto d = kittens::find_device(GetParam());
    kittens::queue q(d);
    constexpr std::size_t n = 300001;
    kittens::buffer<int> a(d, n), b(d, n);
    for (const auto* p : {a.data(), b.data()}) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0u);
    std::iota(a.begin(), a.end(), 5);
    q.poison(b);
    q.wait();
    EXPECT_EQ(std::count(b.begin(), b.end(), -1), static_cast<long>(n));
    q.copy(b, a);
    q.wait();
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));

    std::vector<int> host(n);
    q.copy(host.data(), a.data(), a.bytes());
    q.fill(a, 0x11);
    q.wait();
    EXPECT_TRUE(std::equal(host.begin(), host.end(), b.begin()));
    EXPECT_EQ(std::count(a.begin(), a.end(), 0x11111111), static_cast<long>(n));

    kittens::buffer<float> f(d, 3);
    q.poison(f).wait();
    EXPECT_TRUE(std::isnan(f[0]) && std::isnan(f[2]));
    EXPECT_THROW(q.copy(kittens::buffer<float>(d, 2), f), kittens::memory_error);
    EXPECT_THROW(q.copy(nullptr, f.data(), 4), kittens::memory_error);
    EXPECT_NO_THROW(q.fill(nullptr, 0, 0).wait());
}

TEST_P(memory_on, device_memory_is_reached_by_copies) {
    const auto d = kittens::find_device(GetParam());
    kittens::queue q(d);
    kittens::buffer<int> there(d, 100, kittens::memory_kind::device), back(d, 100, kittens::memory_kind::host);
    std::vector<int> here(100);
    std::iota(here.begin(), here.end(), 0);
    q.copy(there.data(), here.data(), 400);
    q.copy(back, there);
    q.wait();
    EXPECT_TRUE(std::equal(here.begin(), here.end(), back.begin()));
}

TEST_P(memory_on, what_does_not_fit_is_refused) {
    const auto d = kittens::find_device(GetParam());
    EXPECT_THROW(kittens::buffer<double>(d, std::size_t{1} << 62), kittens::memory_error);
    EXPECT_THROW(kittens::buffer<double>(d, std::size_t{1} << 50), kittens::memory_error);
    try {
        kittens::require_memory(d, std::uint64_t{1} << 60, "gemm");
        FAIL();
    } catch (const kittens::memory_error& e) {
        EXPECT_NE(e.message().find("gemm needs 1.0 EiB but " + d.id() + " has "), std::string::npos) << e.what();
    }
    EXPECT_GT(kittens::available_memory(d), 0u);
    EXPECT_NO_THROW(kittens::require_memory(d, 1, "a byte"));
    const kittens::buffer<int> none(d, 0);
    EXPECT_EQ(none.size(), 0u);
}

TEST_P(memory_on, buffers_move) {
    const auto d = kittens::find_device(GetParam());
    kittens::buffer<int> a(d, 10), b;
    int* const p = a.data();
    b = std::move(a);
    EXPECT_EQ(b.data(), p);
    EXPECT_EQ(a.data(), nullptr);
    EXPECT_EQ(a.size(), 0u);
    b = kittens::buffer<int>(d, 3);
    EXPECT_EQ(b.size(), 3u);
}

INSTANTIATE_TEST_SUITE_P(targets, memory_on, testing::Values("cpu", "emulated", "xe"),
                         [](const auto& info) { return info.param; });

}  // namespace
