// SPDX-License-Identifier: Apache-2.0
// Tile operations as machine code: what their cost table and the headers promise.
#include <gtest/gtest.h>
#include <kittens/inspect/assembly.hpp>
#include <ops/operation_report.hpp>

#include <algorithm>
#include <filesystem>

#include "support/machine_code.hpp"

namespace {

using namespace kittens;
using inspect::gpu;
using kittens::tool::compiled_operation;
using kittens::tool::operations_report;

operations_report compile(gpu device) {
    const std::filesystem::path include = std::filesystem::path(KITTENS_SOURCE_DIR) / "include";
    return tool::compile_operations(device, include, include / "kittens/target/xe/freestanding");
}

int count(const compiled_operation& o, std::string_view opcode, unsigned lanes) {
    int n = 0;
    for (const inspect::instruction& in : inspect::parse_assembly(o.kernel.assembly).code) n += in.opcode == opcode && in.exec == lanes;
    return n;
}

class operations : public testing::TestWithParam<gpu> {};

TEST_P(operations, none_spills_or_touches_scratch) {
    KITTENS_REQUIRE_COMPILERS();
    const operations_report report = compile(GetParam());
    EXPECT_EQ(report.operations.size(), tool::operation_kernels_for(GetParam()).size());
    EXPECT_EQ(report.in_memory(), std::vector<std::string>{});
    for (const compiled_operation& o : report.operations) {
        EXPECT_EQ(o.kernel.simd, 16u) << o.what.name;
        EXPECT_GT(o.whole.instructions, 0) << o.what.name;
    }
}

// A barrier of some subgroups is the hardware's: its number at the wait, both memories fenced before its signal, no atomics and
// nothing spilled (none_spills_or_touches_scratch).
TEST_P(operations, a_named_barrier_is_one_of_the_hardware) {
    KITTENS_REQUIRE_COMPILERS();
    const operations_report report = compile(GetParam());
    for (const auto& [name, barriers] : {std::pair("named_sync", 1), std::pair("group_sync", 2)}) {
        const compiled_operation* o = report.find(name);
        ASSERT_NE(o, nullptr) << name;
        SCOPED_TRACE(std::string(name) + "\n" + o->kernel.assembly);
        // Beside the workgroup's own, rounded up to what a workgroup can be given.
        EXPECT_GT(o->kernel.barriers, unsigned(barriers));
        const auto other = [&](const char* kind) { return o->kernel.counts.other.contains(kind) ? o->kernel.counts.other.at(kind) : 0U; };
        EXPECT_EQ(other("barrier"), unsigned(barriers));
        EXPECT_EQ(other("fence"), 2U * unsigned(barriers)) << "local and global memory";
        EXPECT_EQ(other("atomic") + other("slm_load") + other("slm_store"), 0U);
        std::vector<std::string> waits;
        bool local = false, global = false;
        for (const inspect::instruction& in : inspect::parse_assembly(o->kernel.assembly).code) {
            local = local || in.message.starts_with("fence.slm");
            global = global || in.message.starts_with("fence.ugm");
            if (in.opcode != "sync" || in.suffix != "bar") continue;
            EXPECT_TRUE(local && global) << "a wait without fences before it";
            local = global = false;
            ASSERT_FALSE(in.operands.empty());
            waits.push_back(in.operands[0]);
        }
        std::ranges::sort(waits);
        EXPECT_EQ(waits.size(), std::size_t(barriers));
        EXPECT_EQ(std::ranges::adjacent_find(waits), waits.end()) << "two sets of subgroups wait at one barrier";
        for (const std::string& w : waits) EXPECT_FALSE(w.starts_with("0")) << "that is the workgroup's";
    }
}

INSTANTIATE_TEST_SUITE_P(compiled, operations, testing::Values(gpu::pvc, gpu::bmg, gpu::cri), [](const auto& info) { return std::string(inspect::gpu_name(info.param)); });

// A 32 x 32 row-layout tile: two groups of 16 rows, each a butterfly of 8 + 4 + 2 + 1 exchanges; before them each lane adds
// its two column blocks, row by row. On the device an exchange is
//   two selections of 16 lanes, the operation on 16 lanes, and the swap of lanes: for a distance of 1 two moves of 8 lanes,
//   of 2 four of 4, of 4 four of 4, of 8 two of 8.
// Rows reduced one by one would be 32 x 4 exchanges and no selection: 32 x (2 + 4 + 4 + 2) moves.
TEST(operations_on_pvc, a_row_reduction_is_the_butterfly) {
    KITTENS_REQUIRE_COMPILERS();
    const operations_report report = compile(gpu::pvc);
    constexpr int exchanges = 2 * 15, in_lane = 32;
    constexpr int moves = 2 * (8 * 2 + 4 * 4 + 2 * 4 + 1 * 2), naive_moves = 32 * (2 + 4 + 4 + 2);
    for (const char* name : {"row_sum_fp32", "row_sum_bf16", "row_max_fp32", "row_max_bf16"}) {
        const compiled_operation* o = report.find(name);
        ASSERT_NE(o, nullptr) << name;
        SCOPED_TRACE(std::string(name) + "\n" + o->kernel.assembly);
        ASSERT_TRUE(o->own);
        EXPECT_LE(o->own->lane_moves, moves + 8) << "lanes are exchanged more often than the butterfly needs";
        EXPECT_GE(o->own->lane_moves, moves / 2) << "where are the exchanges?";
        EXPECT_LT(o->own->lane_moves, naive_moves / 2);
        EXPECT_EQ(o->own->dpas, 0);
    }
    const compiled_operation* sum = report.find("row_sum_fp32_32x64");
    ASSERT_NE(sum, nullptr);
    EXPECT_EQ(count(*sum, "sel", 16), 2 * exchanges) << sum->kernel.assembly;
    // The additions: three more column blocks in the lane, then one for each exchange. Address arithmetic is not 16 floats.
    int additions = 0;
    for (const inspect::instruction& in : inspect::parse_assembly(sum->kernel.assembly).code)
        additions += in.opcode == "add" && in.exec == 16 && !in.operands.empty() && in.operands[0].ends_with(":f");
    EXPECT_EQ(additions, 3 * in_lane + exchanges) << sum->kernel.assembly;
}

TEST(operations_on_pvc, a_wide_load_is_one_message_of_128_bits_a_lane) {
    KITTENS_REQUIRE_COMPILERS();
    const operations_report report = compile(gpu::pvc);
    for (const char* name : {"load_wide_bf16", "load_wide_fp16"}) {
        const compiled_operation* o = report.find(name);
        ASSERT_NE(o, nullptr) << name;
        SCOPED_TRACE(std::string(name) + "\n" + o->kernel.assembly);
        unsigned loads = 0, stores = 0;
        for (const auto& [message, times] : o->kernel.messages) {
            if (message.starts_with("load.ugm.d32x4.a64")) loads += times;
            if (message.starts_with("store.ugm.d32x4.a64")) stores += times;
        }
        EXPECT_EQ(loads, 1u);
        EXPECT_EQ(stores, 1u);
        const auto& c = o->kernel.counts;
        unsigned own = 0;
        for (const auto& [kind, times] : c.other)
            if (kind != "argument_load" && kind != "end_of_thread") own += times;
        EXPECT_EQ(own, 2u) << "the load, the store, and no other message";
        EXPECT_EQ(c.block_loads + c.transform_loads + c.transpose_loads + c.prefetches + c.block_stores, 0u);
    }
    // 32 bits: two messages. With the number of columns known at run time alone there is the case of a last odd chunk as well.
    const compiled_operation* fp32 = report.find("load_wide_fp32");
    ASSERT_NE(fp32, nullptr);
    EXPECT_EQ(fp32->kernel.counts.other.at("gather_load"), 2u);
}

}  // namespace
