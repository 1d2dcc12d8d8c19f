// SPDX-License-Identifier: Apache-2.0
// The OpenCL back end, on whatever OpenCL device there is; the kernels are compiled to SPIR-V when the test runs.
#include "test_kernels.hpp"

#include <kittens/inspect/compile.hpp>

#include <gtest/gtest.h>

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>

namespace {

namespace fs = std::filesystem;

constexpr const char* source = R"(
#define GLOBAL __attribute__((opencl_global))
#define LOCAL __attribute__((opencl_local))
__attribute__((convergent)) void __spirv_ControlBarrier(int, int, int);

struct globals { int groups[3]; int subgroups; GLOBAL int* out; const GLOBAL int* in; };

inline int linear() {
    const int group = ((int)__builtin_spirv_workgroup_id(2) * (int)__builtin_spirv_num_workgroups(1) + (int)__builtin_spirv_workgroup_id(1)) *
                      (int)__builtin_spirv_num_workgroups(0) + (int)__builtin_spirv_workgroup_id(0);
    return group * (int)__builtin_spirv_workgroup_size(0) + (int)__builtin_spirv_local_invocation_id(0);
}
extern "C" __attribute__((device_kernel)) void rt_add(globals g) { g.out[linear()] = g.in[linear()] + 3; }

extern "C" __attribute__((device_kernel)) void rt_subgroups(globals g) {
    g.out[linear()] = __builtin_spirv_subgroup_size() * 1000 + __builtin_spirv_subgroup_id() * 16 + __builtin_spirv_subgroup_local_invocation_id();
}
// Reverses each workgroup's part through shared local memory.
extern "C" __attribute__((device_kernel)) void rt_reverse(globals g) {
    static LOCAL int slm[1024];
    const int i = (int)__builtin_spirv_local_invocation_id(0), n = (int)__builtin_spirv_workgroup_size(0);
    slm[i] = g.in[linear()];
    __spirv_ControlBarrier(2, 2, 0x110);
    g.out[linear()] = slm[n - 1 - i];
}
)";

constexpr const char* broken_source = R"(
struct globals { int groups[3]; int subgroups; __attribute__((opencl_global)) int* out; const __attribute__((opencl_global)) int* in; };
extern "C" int no_such_function(int);
extern "C" __attribute__((device_kernel)) void rt_broken(globals g) { g.out[0] = no_such_function(g.in[0]); }
)";

struct globals {
    int groups[3];
    int subgroups;
    int* out;
    const int* in;
};

kittens::launch_shape geometry(const void* args) {
    const auto& g = *static_cast<const globals*>(args);
    kittens::launch_shape s;
    std::copy_n(g.groups, 3, s.groups);
    s.subgroups = g.subgroups;
    return s;
}

kittens::kernel_record record(const char* name, const char* module = "rt_module", int grf = 128) {
    return {name, "xe", "", nullptr, geometry, sizeof(globals), {grf}, module};
}

void register_source(const char* module, const char* text) {
    // Lives as long as the registry refers to it.
    static std::map<std::string, std::vector<std::byte>> binaries;
    const auto tools = kittens::inspect::toolchain::locate();
    kittens::inspect::source_input input;
    input.text = text;
    input.subgroup_size.reset();  // the runtime has to see to that
    const auto spirv = kittens::inspect::compile_spirv(tools, input);
    auto& bytes = binaries[module];
    bytes.assign(spirv.bytes().begin(), spirv.bytes().end());
    const auto* begin = reinterpret_cast<const unsigned char*>(bytes.data());
    kittens::register_module({module, begin, begin + bytes.size(), begin, begin + bytes.size()});
}

class opencl_launch : public testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = why_absent("xe"); !why.empty()) GTEST_SKIP() << why;
        if (!kittens::inspect::toolchain::locate().has(kittens::inspect::tool::clang))
            GTEST_SKIP() << kittens::inspect::toolchain::missing(kittens::inspect::tool::clang);
        fs::create_directories(cache);
        cache_env.emplace("KITTENS_CACHE_DIR", cache.c_str());
        device = kittens::find_device("xe");
        static const bool once = [] { return register_source("rt_module", source), true; }();
        ASSERT_TRUE(once);
    }
    void TearDown() override { fs::remove_all(cache); }

    std::vector<fs::path> cached() const {
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(cache)) files.push_back(entry.path());
        return files;
    }

    const fs::path cache = fs::temp_directory_path() / ("kittens-runtime-test-" + std::to_string(getpid()));
    std::optional<scoped_env> cache_env;
    kittens::device device{std::shared_ptr<kittens::detail::backend>{}};
};

TEST_F(opencl_launch, grid_and_pointers_inside_globals) {
    kittens::queue q(device);
    constexpr std::size_t n = 5 * 3 * 2 * 4 * 16;
    kittens::buffer<int> in(device, n), out(device, n);
    std::iota(in.begin(), in.end(), 100);
    q.poison(out);
    const auto r = record("rt_add");
    const auto done = kittens::launch(q, r, globals{{5, 3, 2}, 4, out.data(), in.data()});
    q.wait();
    EXPECT_TRUE(done.done());
    EXPECT_EQ(done.report(), nullptr);
    ASSERT_TRUE(done.seconds());
    EXPECT_GE(*done.seconds(), 0);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], static_cast<int>(i) + 103);
}

TEST_F(opencl_launch, subgroups_are_16_wide_though_the_module_does_not_say_so) {
    kittens::queue q(device);
    for (const int subgroups : {1, 3, 32}) {
        const std::size_t width = static_cast<std::size_t>(subgroups) * 16;
        kittens::buffer<int> out(device, 2 * width);
        const auto r = record("rt_subgroups");
        kittens::run(q, r, globals{{2, 1, 1}, subgroups, out.data(), nullptr});
        for (std::size_t i = 0; i < out.size(); ++i)
            ASSERT_EQ(out[i], 16000 + static_cast<int>(i % width)) << subgroups;
    }
}

TEST_F(opencl_launch, shared_local_memory_and_barrier) {
    kittens::queue q(device);
    constexpr std::size_t width = 32 * 16;
    kittens::buffer<int> in(device, 7 * width), out(device, 7 * width);
    std::iota(in.begin(), in.end(), 0);
    const auto r = record("rt_reverse", "rt_module", 256);
    kittens::run(q, r, globals{{7, 1, 1}, 32, out.data(), in.data()});
    for (std::size_t i = 0; i < out.size(); ++i)
        ASSERT_EQ(out[i], static_cast<int>(i / width * width + width - 1 - i % width));
}

TEST_F(opencl_launch, commands_of_a_queue_run_in_order_and_queues_side_by_side) {
    kittens::queue first(device), second(device);
    constexpr std::size_t n = 64 * 16;
    kittens::buffer<int> a(device, n), b(device, n), c(device, n), d(device, n);
    first.fill(a, 0);
    second.fill(c, 1);
    const auto r = record("rt_add");
    for (int i = 0; i < 20; ++i) {
        kittens::launch(first, r, globals{{64, 1, 1}, 1, b.data(), a.data()});
        first.copy(a, b);
        kittens::launch(second, r, globals{{64, 1, 1}, 1, d.data(), c.data()});
        second.copy(c, d);
    }
    first.wait();
    second.wait();
    EXPECT_EQ(std::count(a.begin(), a.end(), 60), static_cast<long>(n));
    EXPECT_EQ(std::count(c.begin(), c.end(), 0x01010101 + 60), static_cast<long>(n));
}

void damage(const fs::path& file, const std::string& how) {
    std::string data;
    {
        std::ifstream in(file, std::ios::binary);
        data.assign(std::istreambuf_iterator<char>(in), {});
    }
    if (how == "truncated") data.resize(data.size() / 2);
    if (how == "flipped") data[data.size() / 2] ^= 0x40;
    if (how == "empty") data.clear();
    if (how == "text") data = "not a program";
    std::ofstream(file, std::ios::binary | std::ios::trunc) << data;
}

// Modules with names of their own, so that each is built for the first time in this process.
TEST_F(opencl_launch, compiled_programs_are_cached_and_a_damaged_entry_is_built_anew) {
    register_source("rt_cache_0", source);
    const auto run_module = [&](const char* module) {
        kittens::queue q(device);
        kittens::buffer<int> in(device, 16), out(device, 16);
        std::iota(in.begin(), in.end(), 0);
        const auto r = record("rt_add", module);
        kittens::run(q, r, globals{{1, 1, 1}, 1, out.data(), in.data()});
        return out[15] == 18;
    };
    ASSERT_TRUE(run_module("rt_cache_0"));
    ASSERT_EQ(cached().size(), 1u);
    const auto file = cached()[0];
    const auto good = fs::file_size(file);
    const auto long_ago = fs::last_write_time(file) - std::chrono::hours(1);
    fs::last_write_time(file, long_ago);
    register_source("rt_cached", source);  // the same words, so the same entry
    EXPECT_TRUE(run_module("rt_cached"));
    EXPECT_EQ(fs::last_write_time(file), long_ago) << "built again, not taken from the cache";

    static const char* const names[] = {"rt_cache_1", "rt_cache_2", "rt_cache_3", "rt_cache_4"};
    int i = 0;
    for (const char* how : {"truncated", "flipped", "empty", "text"}) {
        damage(file, how);
        register_source(names[i], source);
        EXPECT_TRUE(run_module(names[i])) << how;
        ++i;
        EXPECT_EQ(cached().size(), 1u) << how;
        EXPECT_EQ(fs::file_size(file), good) << how << ": not replaced";
    }
}

// Records made on the fly may well share an address: what counts is what they say.
TEST_F(opencl_launch, kernels_are_told_apart_by_name) {
    kittens::queue q(device);
    kittens::buffer<int> in(device, 16), out(device, 16);
    std::iota(in.begin(), in.end(), 0);
    kittens::kernel_record r = record("rt_add");
    kittens::run(q, r, globals{{1, 1, 1}, 1, out.data(), in.data()});
    EXPECT_EQ(out[0], 3);
    r = record("rt_reverse");
    kittens::run(q, r, globals{{1, 1, 1}, 1, out.data(), in.data()});
    EXPECT_EQ(out[0], 15);
}

TEST_F(opencl_launch, what_the_device_cannot_link_is_a_build_error_with_its_log) {
    register_source("rt_broken_module", broken_source);
    kittens::queue q(device);
    kittens::buffer<int> data(device, 16);
    const auto r = record("rt_broken", "rt_broken_module");
    try {
        kittens::launch(q, r, globals{{1, 1, 1}, 1, data.data(), data.data()});
        FAIL() << "accepted";
    } catch (const kittens::build_error& e) {
        EXPECT_NE(std::string(e.what()).find("cannot compile kernel rt_broken of module rt_broken_module"), std::string::npos) << e.what();
        EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
        EXPECT_NE(e.build_log().find("no_such_function"), std::string::npos) << e.build_log();
    }
    EXPECT_TRUE(cached().empty());
}

constexpr const char* waiting_source = R"(
#define GLOBAL __attribute__((opencl_global))
struct __namedBarrier;
struct globals { int groups[3]; int subgroups; GLOBAL int* out; const GLOBAL int* in; };
extern "C" __attribute__((convergent)) __attribute__((opencl_local)) __namedBarrier* _Z18named_barrier_initi(int);
extern "C" __attribute__((convergent)) void _Z24work_group_named_barrierPU3AS314__namedBarrierj(__attribute__((opencl_local)) __namedBarrier*, unsigned);
extern "C" __attribute__((device_kernel)) void rt_waits(globals g) {
    auto* b = _Z18named_barrier_initi(2);
    if (__builtin_spirv_subgroup_id() < 2) _Z24work_group_named_barrierPU3AS314__namedBarrierj(b, 1);
    g.out[0] = 1;
}
extern "C" __attribute__((device_kernel)) void rt_does_not(globals g) { g.out[0] = 1; }
)";

// A CPU device runs the subgroups of a workgroup one after another: it would not come back.
TEST_F(opencl_launch, named_barriers_are_refused_by_a_device_that_does_not_have_them) {
    if (device.properties().is_gpu) GTEST_SKIP() << "a GPU has them";
    register_source("rt_waiting", waiting_source);
    kittens::queue q(device);
    kittens::buffer<int> out(device, 16);
    q.fill(out, 0);
    q.wait();
    try {
        kittens::launch(q, record("rt_waits", "rt_waiting"), globals{{1, 1, 1}, 4, out.data(), nullptr});
        FAIL() << "accepted";
    } catch (const kittens::launch_error& e) {
        EXPECT_NE(std::string(e.what()).find("kernel rt_waits waits at a named barrier, which device "), std::string::npos) << e.what();
        EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
    q.wait();
    EXPECT_EQ(out[0], 0);
    // Another kernel of the module is none of that.
    const auto r = record("rt_does_not", "rt_waiting");
    kittens::run(q, r, globals{{1, 1, 1}, 4, out.data(), nullptr});
    EXPECT_EQ(out[0], 1);
}

TEST_F(opencl_launch, refusals) {
    kittens::queue q(device);
    kittens::buffer<int> data(device, 16);
    const auto refused = [&](const kittens::kernel_record& r, const globals& g, const char* text) {
        try {
            kittens::launch(q, r, g);
            ADD_FAILURE() << "accepted; wanted " << text;
        } catch (const kittens::error& e) {
            EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
        }
    };
    const globals one{{1, 1, 1}, 1, data.data(), data.data()};
    refused(record("rt_nothing"), one, "has no kernel rt_nothing");
    refused(record("rt_add", "rt_absent"), one, "wants the SPIR-V module rt_absent");
    refused(record("rt_add"), {{1, 1, 1}, 65, nullptr, nullptr}, "wants 65 subgroups");
    refused(record("rt_add", "rt_module", 256), {{1, 1, 1}, 33, nullptr, nullptr}, "with the large register file");
    static const unsigned char words[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    kittens::register_module({"rt_garbage", words, words + 8, words, words + 8});
    refused(record("rt_add", "rt_garbage"), one, "module rt_garbage: ");
    kittens::register_module({"rt_empty", words, words, words, words});
    refused(record("rt_add", "rt_empty"), one, "has no ");
    kittens::kernel_record cpu = record("rt_add");
    cpu.target = "cpu";
    refused(cpu, one, "not for the target xe");
}

}  // namespace
