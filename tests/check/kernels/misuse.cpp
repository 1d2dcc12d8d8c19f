// SPDX-License-Identifier: Apache-2.0
// Kernels that are wrong, one mistake each, written as a user of the tile interface would make it.
#include <kittens/kittens.hpp>
#include <misuse.hpp>

#include <stdexcept>

namespace kernels::inline KITTENS_NS {

using tile = rt_bf<32, 32>;

template <class T, int Subgroups = 1, access A = access::block>
struct misuse {
    using globals = misuse_globals<T, A>;
    static launch_shape geometry(const globals&) { return {.groups = {1, 1, 1}, .subgroups = Subgroups}; }
};

/// Right as it stands: what is wrong is the layout that it is given.
struct copy_tile : misuse<bf16> {
    KITTENS_INLINE void operator()(const globals& g, const subgroup&) const {
        tile x;
        load(x, g.a, {0, 0});
        store(g.c, x, {0, 0});
    }
};
struct copy_plain : misuse<float, 1, access::plain> {
    KITTENS_INLINE void operator()(const globals& g, const subgroup&) const {
        rt_fl<16, 16> x;
        load(x, g.a, {0, 0});
        store(g.c, x, {0, 0});
    }
};

struct never_loaded : misuse<bf16> {
    KITTENS_INLINE void operator()(const globals& g, const subgroup&) const {
        tile x;
        store(g.c, x, {0, 0});
    }
};
struct operand_never_loaded : misuse<bf16> {
    KITTENS_INLINE void operator()(const globals& g, const subgroup&) const {
        tile a;
        rt_bf<32, 32, col> b;
        rt_fl<32, 32> sum;
        load(a, g.a, {0, 0});
        zero(sum);
        mma_AB(sum, a, b, sum);  // b was forgotten
    }
};
struct part_never_loaded : misuse<bf16> {
    KITTENS_INLINE void operator()(const globals& g, const subgroup&) const {
        rt_bf<64, 32> x;
        tile upper;
        load(upper, g.a, {0, 0});
        insert(x, upper, 0, 0);  // and the lower half?
        rt_fl<64, 32> y;
        copy(y, x);
    }
};

using shared = st_bf<32, 32>;

struct race : misuse<bf16, 2> {
    static constexpr int slm_bytes = slm_bytes_for<shared>;
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        shared_allocator slm(sg);
        const auto s = slm.allocate<shared>();
        tile x;
        load(x, g.a, {0, 0});
        if (sg.id() == 0) store(s, x);
        // sync(sg) was forgotten
        if (sg.id() == 1) {
            load(x, s);
            store(g.c, x, {0, 0});
        }
    }
};
/// The buffer is written again while another subgroup may still read it.
struct write_after_read : misuse<bf16, 2> {
    static constexpr int slm_bytes = slm_bytes_for<shared>;
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        shared_allocator slm(sg);
        const auto s = slm.allocate<shared>();
        tile x;
        load(x, g.a, {0, 0});
        if (sg.id() == 1) store(s, x);
        sync(sg);
        if (sg.id() == 0) {
            tile y;
            load(y, s);
            store(g.c, y, {0, 0});
        } else store(s, x);
    }
};
struct shared_too_small : misuse<bf16> {
    static constexpr int slm_bytes = shared::bytes;  // for two tiles
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        shared_allocator slm(sg);
        slm.allocate<shared>();
        const auto second = slm.allocate<shared>();
        tile x;
        load(x, g.a, {0, 0});
        store(second, x);
    }
};
struct shared_never_written : misuse<bf16> {
    static constexpr int slm_bytes = slm_bytes_for<shared>;
    KITTENS_INLINE void operator()(const globals&, const subgroup& sg) const {
        shared_allocator slm(sg);
        const auto s = slm.allocate<shared>();
        tile x;
        load(x, s);
    }
};
/// Made for four subgroups, launched with two: half of the tile is nobody's.
struct too_few_subgroups : misuse<bf16, 2> {
    static constexpr int slm_bytes = slm_bytes_for<shared>;
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        shared_allocator slm(sg);
        const auto s = slm.allocate<shared>();
        group<4>(sg).load(s, g.a, {0, 0});
        sync(sg);
        if (sg.id() == 0) {
            tile x;
            load(x, s);
        }
    }
};

struct barrier_missed : misuse<bf16, 3> {
    KITTENS_INLINE void operator()(const globals&, const subgroup& sg) const {
        if (sg.id() != 1) sync(sg);
    }
};
struct wait_without_arrive : misuse<bf16, 2> {
    KITTENS_INLINE void operator()(const globals&, const subgroup& sg) const { wait(sg); }
};
struct arrive_without_wait : misuse<bf16, 2> {
    KITTENS_INLINE void operator()(const globals&, const subgroup& sg) const { arrive(sg); }
};

/// Barriers of some subgroups.
struct named_barrier_missed : misuse<bf16, 4> {
    KITTENS_INLINE void operator()(const globals&, const subgroup& sg) const {
        const named_barrier<3, 0, 3> first_three(sg);
        if (sg.id() == 0 || sg.id() == 2) sync(first_three);
    }
};
struct named_barrier_larger_than_the_workgroup : misuse<bf16, 6> {
    KITTENS_INLINE void operator()(const globals&, const subgroup& sg) const {
        const group_barriers<4, 2> own(sg);
        group<4>(sg).sync(own);
    }
};
struct named_barrier_of_others : misuse<bf16, 4> {
    KITTENS_INLINE void operator()(const globals&, const subgroup& sg) const {
        const named_barrier<0, 0, 2> first_two(sg);
        sync(first_two);
    }
};
struct named_barrier_of_two_sets : misuse<bf16, 4> {
    KITTENS_INLINE void operator()(const globals&, const subgroup& sg) const {
        if (sg.id() < 2) {
            const named_barrier<5, 0, 2> mine(sg);
            sync(mine);
        } else {
            const named_barrier<5, 2, 2> mine(sg);
            sync(mine);
        }
    }
};
struct named_barrier_made_twice : misuse<bf16, 2> {
    KITTENS_INLINE void operator()(const globals&, const subgroup& sg) const {
        for (int i = 0; i < 2; ++i) {
            const named_barrier<0, 0, 2> both(sg);
            sync(both);
        }
    }
};
/// The barrier of the pair does not order it and the third.
struct race_past_a_named_barrier : misuse<bf16, 3> {
    static constexpr int slm_bytes = slm_bytes_for<shared>;
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const named_barrier<0, 0, 2> pair(sg);
        shared_allocator slm(sg);
        const auto s = slm.allocate<shared>();
        tile x;
        if (sg.id() == 0) {
            load(x, g.a, {0, 0});
            store(s, x);
        }
        if (sg.id() < 2) sync(pair);
        if (sg.id() > 0) load(x, s);
    }
};

struct lane_condition : misuse<bf16> {
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        tile x;
        load(x, g.a, {0, 0});
        rt_fl<32, 32> y;
        copy(y, x);
        rv<float, 32> sums;
        if (sg.lane() < 8) row_sum(sums, y);
    }
};
struct lane_coordinate : misuse<bf16> {
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        tile x;
        load(x, g.a, {sg.lane() / 8, 0});
        store(g.c, x, {0, 0});
    }
};

struct same_prefetch_by_all : misuse<bf16, 4> {
    KITTENS_INLINE void operator()(const globals& g, const subgroup&) const {
        tile x;
        prefetch_load(x, g.a, {0, 0});
        load(x, g.a, {0, 0});
        store(g.c, x, {0, 0});
    }
};
struct prefetch_never_used : misuse<bf16> {
    KITTENS_INLINE void operator()(const globals& g, const subgroup&) const {
        tile x;
        prefetch_load(x, g.a, {0, 1});
    }
};
/// Prefetches along the rows what it loads along the columns.
struct prefetch_of_wrong_block : misuse<bf16> {
    KITTENS_INLINE void operator()(const globals& g, const subgroup&) const {
        tile x;
        prefetch_load(x, g.a, {0, 0});
        for (int k = 0; k < 2; ++k) {
            prefetch_load(x, g.a, {k + 1, 0});
            load(x, g.a, {0, k});
            store(g.c, x, {0, k});
        }
    }
};
struct odd_part : misuse<bf16> {
    KITTENS_INLINE void operator()(const globals& g, const subgroup&) const {
        tile x;
        prefetch_load_coop(x, g.a, {0, 0}, {0, 1});  // starts at byte 2 of a row
        load(x, g.a, {0, 0});
        store(g.c, x, {0, 0});
    }
};

struct matrix_of_another_device : misuse<fp8e4m3> {
    KITTENS_INLINE void operator()(const globals& g, const subgroup&) const {
        rt<fp8e4m3, 32, 32> a;
        rt<fp8e4m3, 32, 32, col> b;
        rt_fl<32, 32> sum;
        load(a, g.a, {0, 0});
        load_transform(b, g.a, {0, 0});
        zero(sum);
        mma_AB(sum, a, b, sum);
    }
};
/// A block that one device has, called past the tile operations, which know the portable ones only.
struct block_of_another_device : misuse<float> {
    KITTENS_INLINE void operator()(const globals& g, const subgroup&) const {
        isa::vec<float, 16> column;
        isa::load_2d_transpose<4, 16, 16>(isa::surface{g.a.ptr, g.a.cols() * 4, g.a.rows(), g.a.cols() * 4}, 0, 0, &column);
    }
};
/// The right neighbour's value, but the last lane has no right neighbour.
struct right_neighbour : misuse<float> {
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        rv<float, 16> x;
        load(x, g.a, {0, 0});
        x.v[0] -= isa::shuffle(x.v[0], sg.lane() + 1);
        store(g.c, x, {0, 0});
    }
};
/// Waits for a sign that nobody gives.
struct sign_never_given : misuse<int32> {
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        if (sg.lane() != 0) return;
        while (isa::atomic_load(g.c.ptr) == 0) {}
    }
};
struct throws : misuse<bf16> {
    KITTENS_INLINE void operator()(const globals& g, const subgroup&) const {
        if (g.a.rows() > 0) throw std::out_of_range("no such row");
    }
};

}  // namespace kernels::inline KITTENS_NS

using namespace kernels;

KITTENS_KERNEL(copy_tile, copy_tile)
KITTENS_KERNEL(copy_plain, copy_plain)
KITTENS_KERNEL(never_loaded, never_loaded)
KITTENS_KERNEL(operand_never_loaded, operand_never_loaded)
KITTENS_KERNEL(part_never_loaded, part_never_loaded)
KITTENS_KERNEL(race, race)
KITTENS_KERNEL(write_after_read, write_after_read)
KITTENS_KERNEL(shared_too_small, shared_too_small)
KITTENS_KERNEL(shared_never_written, shared_never_written)
KITTENS_KERNEL(too_few_subgroups, too_few_subgroups)
KITTENS_KERNEL(barrier_missed, barrier_missed)
KITTENS_KERNEL(wait_without_arrive, wait_without_arrive)
KITTENS_KERNEL(arrive_without_wait, arrive_without_wait)
KITTENS_KERNEL(named_barrier_missed, named_barrier_missed)
KITTENS_KERNEL(named_barrier_larger_than_the_workgroup, named_barrier_larger_than_the_workgroup)
KITTENS_KERNEL(named_barrier_of_others, named_barrier_of_others)
KITTENS_KERNEL(named_barrier_of_two_sets, named_barrier_of_two_sets)
KITTENS_KERNEL(named_barrier_made_twice, named_barrier_made_twice)
KITTENS_KERNEL(race_past_a_named_barrier, race_past_a_named_barrier)
KITTENS_KERNEL(lane_condition, lane_condition)
KITTENS_KERNEL(lane_coordinate, lane_coordinate)
KITTENS_KERNEL(same_prefetch_by_all, same_prefetch_by_all)
KITTENS_KERNEL(prefetch_never_used, prefetch_never_used)
KITTENS_KERNEL(prefetch_of_wrong_block, prefetch_of_wrong_block)
KITTENS_KERNEL(odd_part, odd_part)
KITTENS_KERNEL(matrix_of_another_device, matrix_of_another_device)
KITTENS_KERNEL(block_of_another_device, block_of_another_device)
KITTENS_KERNEL(right_neighbour, right_neighbour)
KITTENS_KERNEL(sign_never_given, sign_never_given)
KITTENS_KERNEL(throws, throws)
