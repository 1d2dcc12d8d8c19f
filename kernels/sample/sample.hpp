// SPDX-License-Identifier: Apache-2.0
// Draws a token from each row of logits: temperature, top-k, top-p (nucleus), with a counter-based generator.
//
// Which tokens can be drawn, exactly: order the row by falling logit, equal logits by rising index. top-k keeps the first k; top-p
// keeps, of those, the shortest beginning whose weights reach p of the weights of all of those. Weights are integers (weights.hpp).
// A row without a distribution (a NaN, +infinity, or nothing but -infinity) gives token -1 and kept 0.
//
// Nothing is sorted. One pass over the row leaves the largest key of each block of it in shared memory. Thresholds are then found
// by halving an interval of keys; counting or weighing what is above a candidate reads only blocks whose largest key is, which are
// few where a threshold is high. The token is found by halving too: first blocks, then elements.
#pragma once

#include "philox.hpp"
#include "weights.hpp"

#include <kittens/kittens.hpp>
#include <kittens/ops/element.hpp>
#include <kittens/ops/rows.hpp>

namespace kernels {

using kittens::dtype;

struct sample_policy {
    dtype type = dtype::bf16;
    int chunk = 256;
    int most_subgroups = 16;  ///< that share a row, at most 32
    int blocks = 512;         ///< most that a row is cut into; a block is as many chunks as it takes
};

#if defined(KITTENS_TARGET_CPU)
constexpr sample_policy default_sample(dtype type) { return {type, 256, 1, 512}; }
#else
constexpr sample_policy default_sample(dtype type) { return {type}; }
#endif

}  // namespace kernels

namespace kernels::inline KITTENS_NS {

using namespace kittens;

template <sample_policy P>
struct sample {
    using element = type_of<P.type>;
    using vec = rv<float, P.chunk, vector_layout::wide>;
    using ints = rv<int32, P.chunk, vector_layout::wide>;
    using part = rv<int32, 128>;  ///< of an array over blocks

    struct globals {
        gl<const element, 1, 1, -1, -1, access::plain> logits;
        gl<int32, 1, 1, 1, -1, access::plain> token, kept;  ///< for each row: the token, and how many could have been drawn
        float factor;                                       ///< 2^20 log2(e) / temperature
        int top_k;                                          ///< at least 1; the row's length or more keeps all
        std::uint32_t top_p;                                ///< p in units of 2^-32; 0 for 1
        std::uint32_t seed[2], offset[2];                   ///< lower word first; the generator's counter is (offset, row, 0)
    };

    static constexpr kernel_traits traits{.grf = 128};
    using block_array = sv<int32, P.blocks>;
    using weight_arrays = sv<int32, 3 * P.blocks>;  ///< weights of blocks in three parts
    using slot_arrays = sv<int32, 2 * 4 * 32>;      ///< two arrays of four numbers for each subgroup, used in turn
    static constexpr int limb = 20;  ///< bits of a part of a weight: sums of 2^11 parts have 32 bits
    static constexpr int slm_bytes = slm_bytes_for<block_array, weight_arrays, block_array, slot_arrays>;

    static launch_shape geometry(const globals& g) {
        const int blocks = ceil_div(g.logits.cols(), P.chunk);
        return {.groups = {g.logits.rows(), 1, 1}, .subgroups = blocks < P.most_subgroups ? blocks : P.most_subgroups};
    }

#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const { row(g, sg).draw(); }

  private:
    /// Weights of more than 32 bits go from subgroup to subgroup in three parts.
    struct total {
        int count = 0;
        std::int64_t weight = 0;
    };
    /// Of some elements: the weights of those above a threshold, and how many equal it.
    struct sums {
        std::int64_t above = 0;
        int equal = 0;
    };

    // What is done to elements. Structures, since lambdas of this size would not be inlined.
    // Counts are floats: sums of comparisons clang 22 makes bit masks of, which it has no SPIR-V for.
    struct key_from {
        int from;
        KITTENS_INLINE_NATIVE float operator()(float x) const { return key_of(x) >= from ? 1.0f : 0.0f; }
    };
    struct key_equal {
        int key;
        KITTENS_INLINE_NATIVE float operator()(float x) const { return key_of(x) == key ? 1.0f : 0.0f; }
    };
    struct key {
        KITTENS_INLINE_NATIVE int operator()(float x) const { return key_of(x); }
    };
    struct weight_from {
        int from;
        float top, factor;
        KITTENS_INLINE_NATIVE int operator()(float x) const { return key_of(x) >= from ? weight_of(top - x, factor) : 0; }
    };

    static constexpr int key_step = P.type == dtype::bf16 ? 1 << 16 : 1 << 13;  ///< keys are multiples of this

    struct row {
        const globals& g;
        const subgroup& sg;
        const int r, cols, chunks, span, blocks;
        block_array tops, equal;
        weight_arrays weights;
        slot_arrays slots;
        int turn = 0, top_key = 0;
        float top = 0;

        KITTENS_INLINE row(const globals& globals_, const subgroup& sg_)
            : g(globals_), sg(sg_), r(sg_.group(0)), cols(globals_.logits.cols()), chunks(ceil_div(cols, P.chunk)), span(ceil_div(chunks, P.blocks)),
              blocks(ceil_div(chunks, span)) {
            shared_allocator al(sg);
            tops = al.template allocate<block_array>();
            weights = al.template allocate<weight_arrays>();
            equal = al.template allocate<block_array>();
            slots = al.template allocate<slot_arrays>();
        }

        KITTENS_INLINE void draw() {
            find_tops();
            if (top_key >= key_of_infinity || top_key == -key_of_infinity) {
                finish(-1, 0);
                return;
            }
            // What can be drawn: the elements above `bound`, and the first `ties` of those that equal it.
            int bound = -key_of_infinity, above_count = 0;
            std::int64_t above = 0;
            if (g.top_k < cols) bound = search(top_k_start(), g.top_k, 0, above_count, above);
            const total outside = measure(bound + 1, true);
            above = outside.weight;
            above_count = outside.count;
            int ties = (g.top_k < cols ? g.top_k : cols) - above_count;
            std::int64_t all = above + std::int64_t(ties) * weight_of_key(bound);
            if (g.top_p != 0) {
                // ceil(p all)
                const auto bits = std::uint64_t(all);
                const auto wanted = std::int64_t((bits >> 32) * g.top_p + (((bits & 0xffffffffu) * g.top_p + 0xffffffffu) >> 32));
                const int k_bound = bound;
                bound = search(k_bound, 0, wanted, above_count, above);
                // As many ties as it takes.
                const int one = weight_of_key(bound);
                int few = 0, enough = bound == k_bound ? ties : cols;
                while (enough - few > 1) {
                    const int n = few + (enough - few) / 2;
                    const bool reached = above + std::int64_t(n) * one >= wanted;
                    enough = reached ? n : enough;
                    few = reached ? few : n;
                }
                ties = enough;
                all = above + std::int64_t(ties) * one;
            }
            const philox_block random = philox(g.offset[0], g.offset[1], std::uint32_t(r), 0, g.seed[0], g.seed[1]);
            const std::uint64_t word = std::uint64_t(random.x[0]) << 32 | random.x[1];
            const auto target = std::int64_t(product_high(word, std::uint64_t(all)));
            finish(locate(bound, ties, target), above_count + ties);
        }

        KITTENS_INLINE void finish(int token, int kept) const {
            if (sg.id() != 0) return;
            set_element(g.token, 0, r, token);
            set_element(g.kept, 0, r, kept);
        }

        static KITTENS_INLINE std::int64_t joined(int w0, int w1, int w2) { return (std::int64_t(w2) << 2 * limb) + (std::int64_t(w1) << limb) + w0; }
        static KITTENS_INLINE int limb_of(std::int64_t weight, int i) { return int(weight >> i * limb) & ((1 << limb) - 1); }

        KITTENS_INLINE int weight_of_key(int key) const { return key == -key_of_infinity ? 0 : weight_of(top - number_of(key), g.factor); }

        KITTENS_INLINE void fetch(vec& v, int c) const {
            load_wide(v, g.logits, {r, c});
            const int n = cols - c * P.chunk;
            if (n < P.chunk) apply(v, v, [=](int i, float x) { return i < n ? x : -__builtin_inff(); });
        }

        KITTENS_INLINE void find_tops() {
            int mine = -key_of_infinity;
            for (int b = sg.id(); b < blocks; b += sg.count()) {
                int largest = -key_of_infinity;
                for (int c = b * span; c < chunks && c < (b + 1) * span; ++c) {
                    vec v;
                    fetch(v, c);
                    largest = base_ops::max::op(largest, reduce_with<base_ops::max>(key{}, v));
                }
                set_element(tops, b, largest);
                mine = base_ops::max::op(mine, largest);
            }
            for (int b = blocks + sg.id(); b < P.blocks; b += sg.count()) set_element(tops, b, -key_of_infinity);
            top_key = share(mine, 0, 0, 0, true).count;
            top = number_of(top_key);
        }

        /// Sums (or, of the first, the largest) of what the subgroups bring: a number, and three parts of one of up to 60 bits.
        KITTENS_INLINE total share(int count, int w0, int w1, int w2, bool largest) {
            if (sg.count() == 1) return {count, joined(w0, w1, w2)};
            // Who reads one array has passed the barrier before which everybody was done with the other.
            const auto to = subvec<4 * 32>(slots, turn);
            turn ^= 1;
            const int own[4] = {count, w0, w1, w2};
            for (int j = sg.id(); j < 32; j += sg.count()) {
                KITTENS_UNROLL
                for (int i = 0; i < 4; ++i) set_element(to, 32 * i + j, j == sg.id() ? own[i] : i == 0 && largest ? -key_of_infinity : 0);
            }
            sync(sg);
            int result[4];
            KITTENS_UNROLL
            for (int i = 0; i < 4; ++i) {
                rv<int32, 32> v;
                load(v, subvec<32>(to, i));
                result[i] = i == 0 && largest ? kittens::max(v) : kittens::sum(v);
            }
            return {result[0], joined(result[1], result[2], result[3])};
        }

        /// How many elements have keys from `from` on, and, if asked for, their weight. Finite keys: -infinity weighs nothing.
        KITTENS_INLINE total measure(int from, bool weigh) {
            int count = 0;
            std::int64_t weight = 0;
            for (int b = sg.id(); b < blocks; b += sg.count()) {
                if (element_at(tops, b) < from) continue;
                for (int c = b * span; c < chunks && c < (b + 1) * span; ++c) {
                    vec v;
                    fetch(v, c);
                    count += int(reduce_with<base_ops::sum>(key_from{from}, v));
                    if (weigh) weight += weigh_chunk(v, from);
                }
            }
            return share(count, limb_of(weight, 0), limb_of(weight, 1), limb_of(weight, 2), false);
        }

        /// Weights of a chunk's elements with keys from `from` on.
        KITTENS_INLINE std::int64_t weigh_chunk(const vec& v, int from) const {
            ints w;
            map_with(w, weight_from{from, top, g.factor}, v);
            return (std::int64_t(reduce_with<base_ops::sum>([](int x) { return x >> 15; }, w)) << 15) + reduce_with<base_ops::sum>([](int x) { return x & 0x7fff; }, w);
        }

        /// A key that at least k elements reach: the k-th largest of the blocks' largest.
        KITTENS_INLINE int top_k_start() const {
            if (g.top_k > blocks) return -key_of_infinity;
            std::int64_t low = -key_of_infinity, high = std::int64_t(top_key) + key_step;
            while (high - low > key_step) {
                const int middle = middle_of(low, high);
                int count = 0;
                for (int p = 0; p < P.blocks / part::length; ++p) {
                    part v;
                    load(v, subvec<part::length>(tops, p));
                    rv<float, part::length> reached;
                    map_with(reached, [=](int x) { return x >= middle ? 1.0f : 0.0f; }, v);
                    count += int(kittens::sum(reached));
                }
                const bool enough = count >= g.top_k;
                low = enough ? middle : low;
                high = enough ? high : middle;
            }
            return int(low);
        }

        /// A key between two: halfway between their numbers as long as those are far apart, which is where logits are, else
        /// halfway between the keys.
        static KITTENS_INLINE int middle_of(std::int64_t low, std::int64_t high) {
            const std::int64_t keys = low + (high - low) / (2 * key_step) * key_step;
            if (low <= -key_of_infinity || high >= key_of_infinity) return int(keys);
            const float middle = 0.5f * number_of(int(low)) + 0.5f * number_of(int(high));
            const int key = key_of(middle);
            const std::int64_t whole = std::int64_t(key < 0 ? -(-key / key_step) : key / key_step) * key_step;
            return whole > low && whole < high ? int(whole) : int(keys);
        }

        /// The largest key that enough elements reach: `count` of them, or (count 0) elements of weight `weight`. All from `start` on
        /// are enough. Leaves what the elements above the key are.
        KITTENS_INLINE int search(int start, int count, std::int64_t weight, int& above_count, std::int64_t& above) {
            std::int64_t low = start, high = std::int64_t(top_key) + key_step;
            above_count = 0;
            above = 0;
            while (high - low > key_step) {
                const int middle = middle_of(low, high);
                const total t = measure(middle, count == 0);
                if (count > 0 ? t.count >= count : t.weight >= weight) low = middle;
                else {
                    high = middle;
                    above_count = t.count;
                    above = t.weight;
                }
            }
            return int(low);
        }

        /// The element that `target` falls on where the weights of those that can be drawn are laid end to end.
        KITTENS_INLINE int locate(int bound, int ties, std::int64_t target) {
            const int one = weight_of_key(bound);
            for (int b = sg.id(); b < P.blocks; b += sg.count()) {
                sums s;
                if (b < blocks && element_at(tops, b) >= bound)
                    for (int c = b * span; c < chunks && c < (b + 1) * span; ++c) {
                        vec v;
                        fetch(v, c);
                        const sums more = weigh(v, bound);
                        s.above += more.above;
                        s.equal += more.equal;
                    }
                KITTENS_UNROLL
                for (int i = 0; i < 3; ++i) set_element(weights, i * P.blocks + b, limb_of(s.above, i));
                set_element(equal, b, s.equal);
            }
            sync(sg);
            if (sg.id() != 0) return 0;
            place at{target, ties, one};
            // Parts of the arrays, blocks of the part, chunks of the block, elements of the chunk.
            for (int p = 0; p < P.blocks / part::length; ++p) {
                part w[3], e;
                KITTENS_UNROLL
                for (int i = 0; i < 3; ++i) load(w[i], subvec<part::length>(weights, i * (P.blocks / part::length) + p));
                load(e, subvec<part::length>(equal, p));
                if (at.passes({joined(kittens::sum(w[0]), kittens::sum(w[1]), kittens::sum(w[2])), kittens::sum(e)})) continue;
                for (int c = (p * part::length + first_within(at, w, e)) * span; c < chunks; ++c) {
                    vec v;
                    fetch(v, c);
                    if (at.passes(weigh(v, bound))) continue;
                    ints parts[2], same;
                    map_with(same, [=](float x) { return int(key_equal{bound}(x)); }, v);
                    map_with(parts[1], weight_from{bound + 1, top, g.factor}, v);
                    apply(parts[0], parts[1], [](int, int x) { return x & ((1 << limb) - 1); });
                    apply(parts[1], parts[1], [](int, int x) { return x >> limb; });
                    return c * P.chunk + first_within(at, parts, same);
                }
            }
            return -1;
        }

        KITTENS_INLINE sums weigh(const vec& v, int bound) const {
            return {weigh_chunk(v, bound + 1), int(reduce_with<base_ops::sum>(key_equal{bound}, v))};
        }

        /// What is left until the token: weight, ties that can still be drawn, and what each of those weighs.
        struct place {
            std::int64_t target;
            int ties, one;
            KITTENS_INLINE std::int64_t weight(const sums& s) const { return s.above + std::int64_t(s.equal < ties ? s.equal : ties) * one; }
            /// Goes past elements of these sums, unless the token is among them.
            KITTENS_INLINE bool passes(const sums& s) {
                if (weight(s) > target) return false;
                target -= weight(s);
                ties -= s.equal < ties ? s.equal : ties;
                return true;
            }
        };

        /// The first index whose own sums bring the token; goes past those before it.
        template <class V, int N> static KITTENS_INLINE int first_within(place& at, const V (&w)[N], const V& e) {
            int low = 0;
            for (int step = V::length / 2; step > 0; step /= 2) {
                const bool further = at.weight(before(w, e, low + step)) <= at.target;
                low += further ? step : 0;
            }
            at.passes(before(w, e, low));
            return low;
        }
        /// What the elements before number n bring.
        template <class V, int N> static KITTENS_INLINE sums before(const V (&w)[N], const V& e, int n) {
            sums s{0, sum_before(e, n)};
            KITTENS_UNROLL
            for (int i = 0; i < N; ++i) s.above += std::int64_t(sum_before(w[i], n)) << i * limb;
            return s;
        }
        template <class V> static KITTENS_INLINE int sum_before(const V& v, int n) {
            V kept;
            apply(kept, v, [=](int i, int x) { return i < n ? x : 0; });
            return kittens::sum(kept);
        }
    };
#endif
};

template <dtype T> using sample_globals = typename sample<default_sample(T)>::globals;

}  // namespace kernels::inline KITTENS_NS
