// SPDX-License-Identifier: Apache-2.0
// The sanitizer finds each planted mistake, as the fault it is, and names kernel and operation.
#include "misuse.hpp"

#include <kittens/runtime/check.hpp>
#include <kittens/runtime/runtime.hpp>
#include <kittens/target/emulated/engine.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

namespace {

using namespace kittens;
using emulated::fault_kind;

constexpr int rows = 128, cols = 128;

/// Memory of a launch, larger than any kernel here needs.
struct memory {
    device where = find_device("emulated");
    queue on{where};
    buffer<std::byte> a{where, rows * cols * 4}, c{where, rows * cols * 4};
    memory() { on.fill(a, 0), on.fill(c, 0), on.wait(); }
};

template <class T, kittens::access A = kittens::access::block> kernels::misuse_globals<T, A> right(const memory& m) {
    return {{reinterpret_cast<const T*>(m.a.data()), 1, 1, rows, cols}, {reinterpret_cast<T*>(m.c.data()), 1, 1, rows, cols}};
}

/// A layout that nobody has checked: what a launcher gets that fills one in by hand.
template <class GL> GL by_hand(typename GL::element* p, int r, int c, int stride) {
    GL g;
    g.ptr = p;
    g.batch_stride = g.depth_stride = std::int64_t(r) * stride;
    g.row_stride = stride;
    g.row_count.n = r;
    g.col_count.n = c;
    return g;
}

using launcher = std::function<emulated::launch_report(memory&)>;

template <class T = bf16> launcher with(const char* kernel, emulated::options options = {}) {
    return [=](memory& m) {
        m.on.emulate_with(options);
        return check(m.on, kernel, right<T>(m));
    };
}
/// copy_tile, its input at `shift` elements, r x c with rows `stride` apart.
launcher with_input(int shift, int r, int c, int stride) {
    return [=](memory& m) {
        auto g = right<bf16>(m);
        g.a = by_hand<decltype(g.a)>(reinterpret_cast<const bf16*>(m.a.data()) + shift, r, c, stride);
        return check(m.on, "copy_tile", g);
    };
}
launcher with_output(int shift, int r, int c, int stride) {
    return [=](memory& m) {
        auto g = right<bf16>(m);
        g.c = by_hand<decltype(g.c)>(reinterpret_cast<bf16*>(m.c.data()) + shift, r, c, stride);
        return check(m.on, "copy_tile", g);
    };
}

struct misuse_case {
    const char* name;
    fault_kind kind;
    const char* kernel;
    const char* operation;
    launcher run;
    bool has_tile = true;
};

void PrintTo(const misuse_case& c, std::ostream* out) { *out << c.name; }

emulated::options on_pvc() {
    emulated::options o;
    o.device = model::device::pvc;
    return o;
}
emulated::options impatient() {
    emulated::options o;
    o.poll_limit = 20;
    return o;
}
emulated::options with_lanes(int n) {
    emulated::options o;
    o.subgroup_size = n;
    return o;
}

const misuse_case cases[] = {
    {"surface_not_aligned", fault_kind::surface_misaligned, "copy_tile", "load", with_input(8, 64, 64, 64)},
    {"surface_too_narrow", fault_kind::surface_width, "copy_tile", "load", with_input(0, 64, 16, 64)},
    {"surface_without_rows", fault_kind::surface_height, "copy_tile", "load", with_input(0, 0, 64, 64)},
    {"surface_pitch_of_72_bytes", fault_kind::surface_pitch, "copy_tile", "load", with_input(0, 64, 36, 36)},
    {"store_pitch_less_than_the_width", fault_kind::surface_pitch, "copy_tile", "store", with_output(0, 64, 64, 32)},
    {"store_to_unaligned_surface", fault_kind::surface_misaligned, "copy_tile", "store", with_output(16, 64, 64, 64)},
    {"layout_larger_than_its_allocation", fault_kind::out_of_allocation, "copy_tile", "load", with_input(rows * cols * 2 - 640, 64, 64, 64)},
    {"plain_layout_larger_than_its_allocation", fault_kind::out_of_allocation, "copy_plain", "load",
     [](memory& m) {
         auto g = right<float, kittens::access::plain>(m);
         g.a = by_hand<decltype(g.a)>(reinterpret_cast<const float*>(m.a.data()) + rows * cols - 24, 16, 16, 16);
         return check(m.on, "copy_plain", g);
     }},
    {"plain_pointer_between_elements", fault_kind::misaligned_access, "copy_plain", "load",
     [](memory& m) {
         auto g = right<float, kittens::access::plain>(m);
         g.a = by_hand<decltype(g.a)>(reinterpret_cast<const float*>(m.a.data() + 2), 16, 16, 16);
         return check(m.on, "copy_plain", g);
     }},
    {"block_at_half_a_word", fault_kind::block_coordinate, "odd_part", "prefetch_load_coop", with("odd_part")},
    {"matrix_kind_of_another_device", fault_kind::illegal_matrix, "matrix_of_another_device", "mma_AB", with<fp8e4m3>("matrix_of_another_device", on_pvc())},
    {"subgroups_of_32_lanes", fault_kind::wrong_subgroup_size, "copy_tile", "load", with("copy_tile", with_lanes(32))},
    {"tile_never_loaded", fault_kind::uninitialized_register, "never_loaded", "store", with("never_loaded")},
    {"operand_never_loaded", fault_kind::uninitialized_register, "operand_never_loaded", "mma_AB", with("operand_never_loaded")},
    {"half_of_a_tile_never_loaded", fault_kind::uninitialized_register, "part_never_loaded", "copy", with("part_never_loaded")},
    {"shared_tile_read_without_barrier", fault_kind::slm_race, "race", "load", with("race")},
    {"shared_tile_written_while_read", fault_kind::slm_race, "write_after_read", "load", with("write_after_read")},
    {"more_shared_memory_than_asked_for", fault_kind::slm_out_of_bounds, "shared_too_small", "store", with("shared_too_small")},
    {"shared_tile_never_written", fault_kind::slm_uninitialized, "shared_never_written", "load", with("shared_never_written")},
    {"fewer_subgroups_than_the_group", fault_kind::slm_uninitialized, "too_few_subgroups", "load", with("too_few_subgroups")},
    {"barrier_missed_by_one_subgroup", fault_kind::barrier_not_reached, "barrier_missed", "barrier", with("barrier_missed"), false},
    {"wait_without_arrive", fault_kind::split_barrier_misuse, "wait_without_arrive", "split barrier wait", with("wait_without_arrive"), false},
    {"arrive_without_wait", fault_kind::split_barrier_misuse, "arrive_without_wait", "kernel", with("arrive_without_wait"), false},
    {"named_barrier_missed_by_one", fault_kind::barrier_not_reached, "named_barrier_missed", "named barrier 3", with("named_barrier_missed"), false},
    {"named_barrier_of_subgroups_that_are_not_there", fault_kind::barrier_not_reached, "named_barrier_larger_than_the_workgroup", "named barrier 1", with("named_barrier_larger_than_the_workgroup"), false},
    {"named_barrier_used_by_others", fault_kind::named_barrier_misuse, "named_barrier_of_others", "named barrier 0", with("named_barrier_of_others"), false},
    {"named_barrier_of_two_sets", fault_kind::named_barrier_misuse, "named_barrier_of_two_sets", "named barrier 5", with("named_barrier_of_two_sets"), false},
    {"named_barrier_made_twice", fault_kind::named_barrier_misuse, "named_barrier_made_twice", "named barrier 0", with("named_barrier_made_twice"), false},
    {"shared_tile_read_past_a_named_barrier", fault_kind::slm_race, "race_past_a_named_barrier", "load", with("race_past_a_named_barrier")},
    {"operation_under_a_lane_condition", fault_kind::divergent_collective, "lane_condition", "row_reduce", with("lane_condition")},
    {"coordinate_that_differs_by_lane", fault_kind::divergent_collective, "lane_coordinate", "load", with("lane_coordinate")},
    {"every_subgroup_prefetches_the_same", fault_kind::redundant_prefetch, "same_prefetch_by_all", "prefetch_load", with("same_prefetch_by_all")},
    {"prefetch_never_used", fault_kind::unused_prefetch, "prefetch_never_used", "prefetch_load", with("prefetch_never_used")},
    {"prefetch_of_the_wrong_block", fault_kind::wrong_prefetch, "prefetch_of_wrong_block", "prefetch_load", with("prefetch_of_wrong_block")},
    {"block_of_another_device", fault_kind::illegal_block, "block_of_another_device", "2-D block load-transpose 4-byte 16x16 x1 at column 0, row 0", with<float>("block_of_another_device", on_pvc()), false},
    {"value_from_a_lane_that_is_not_there", fault_kind::shuffle_lane, "right_neighbour", "shuffle", with<float>("right_neighbour"), false},
    {"wait_that_nobody_ends", fault_kind::no_progress, "sign_never_given", "atomic load", with<int32>("sign_never_given", impatient()), false},
    {"exception_in_the_kernel", fault_kind::kernel_exception, "throws", "kernel", with("throws"), false},
};

class misuse : public testing::TestWithParam<misuse_case> {};

TEST_P(misuse, is_reported_as_what_it_is) {
    memory m;
    const misuse_case& c = GetParam();
    const emulated::launch_report report = c.run(m);
    SCOPED_TRACE(report.text());
    ASSERT_FALSE(report.faults.empty());
    for (const emulated::fault& f : report.faults) {
        EXPECT_STREQ(emulated::name(f.kind), emulated::name(c.kind));
        EXPECT_EQ(f.kernel, c.kernel);
    }
    EXPECT_EQ(report.faults.size(), 1u) << "one mistake, one report";
    const emulated::fault& f = report.faults.front();
    EXPECT_EQ(f.operation, c.operation);
    EXPECT_EQ(f.tile.empty(), !c.has_tile);
    EXPECT_FALSE(f.message.empty());
    EXPECT_GE(f.occurrences, 1u);
    EXPECT_NE(f.text().find(c.kernel), std::string::npos);
    EXPECT_EQ(report.clean(), emulated::is_advice(c.kind));
}

TEST(check, every_kind_is_planted) {
    for (int k = 0; k < emulated::fault_kinds; ++k)
        EXPECT_TRUE(std::any_of(std::begin(cases), std::end(cases), [&](const misuse_case& c) { return c.kind == fault_kind(k); })) << emulated::name(fault_kind(k));
}

INSTANTIATE_TEST_SUITE_P(planted, misuse, testing::ValuesIn(cases), [](const auto& info) { return std::string(info.param.name); });

TEST(check, a_right_kernel_has_no_report) {
    memory m;
    EXPECT_TRUE(check(m.on, "copy_tile", right<bf16>(m)).faults.empty());
    EXPECT_TRUE(check(m.on, "copy_plain", right<float, kittens::access::plain>(m)).faults.empty());
}

TEST(check, the_queue_is_usable_after_a_fault) {
    memory m;
    EXPECT_EQ(check(m.on, "never_loaded", right<bf16>(m)).faults.size(), 1u);
    EXPECT_TRUE(check(m.on, "copy_tile", right<bf16>(m)).faults.empty());
    EXPECT_NO_THROW(m.on.wait());
}

TEST(check, another_target_is_refused) {
    memory m;
    queue cpu(find_device("cpu"));
    EXPECT_THROW(check(cpu, kernel_for(m.where, "copy_tile"), right<bf16>(m)), launch_error);
}

}  // namespace
