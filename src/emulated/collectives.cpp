// SPDX-License-Identifier: Apache-2.0
// The matrix and cross-lane instructions, executed for a whole subgroup from the model's lane maps.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <kittens/model/numeric.hpp>

#include "emulated/state.hpp"

namespace kittens::emulated {

namespace {

using model::element;

template <class T> T component(const void* vector, int i) {
    T v;
    std::memcpy(&v, static_cast<const unsigned char*>(vector) + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
    return v;
}

template <class T> void set_component(void* vector, int i, T v) {
    std::memcpy(static_cast<unsigned char*>(vector) + static_cast<std::size_t>(i) * sizeof(T), &v, sizeof(T));
}

bool full_subgroup(machine& m, const subgroup_state& sg) {
    if (m.current->options.subgroup_size == model::subgroup_lanes &&
        sg.lanes.size() == static_cast<std::size_t>(model::subgroup_lanes)) {
        return true;
    }
    m.report(fault_kind::wrong_subgroup_size, sg.lanes.front(), sg.lanes.front().pending.code,
             fmt::format(
                 "needs a full subgroup of 16 lanes and runs in one of {} (subgroup size {}): request subgroup size 16 "
                 "and make the workgroup a multiple of it",
                 sg.lanes.size(), m.current->options.subgroup_size),
             true);
    return false;
}

template <class F> auto with_float_element(element e, F f) {
    switch (e) {
    case element::bf16: return f.template operator()<element::bf16>();
    case element::f16: return f.template operator()<element::f16>();
    case element::tf32: return f.template operator()<element::tf32>();
    case element::e4m3: return f.template operator()<element::e4m3>();
    case element::e5m2: return f.template operator()<element::e5m2>();
    default: return f.template operator()<element::e2m1>();
    }
}

template <class F> auto with_integer_element(element e, F f) {
    switch (e) {
    case element::s8: return f.template operator()<element::s8>();
    case element::u8: return f.template operator()<element::u8>();
    case element::s4: return f.template operator()<element::s4>();
    default: return f.template operator()<element::u4>();
    }
}

unsigned slot_bits(const void* vector, int component_bits, int component_index, int sub, int element_bits) {
    const unsigned v = component_bits == 16 ? component<std::uint16_t>(vector, component_index)
                                            : component<std::uint32_t>(vector, component_index);
    return element_bits == 32 ? v : v >> (sub * element_bits) & ((1U << element_bits) - 1U);
}

constexpr int max_k = 64;

template <class Acc, class A, class B> struct tiles {
    A a[8][max_k];
    B b[max_k][model::subgroup_lanes];
    Acc c[8][model::subgroup_lanes];
};

// The sum runs over k in ascending order, one rounding per product added (docs/instruction-model.md).
template <class T> void multiply(T& t, int m, int k) {
    for (int r = 0; r < m; ++r)
        for (int i = 0; i < k; ++i)
            for (int n = 0; n < model::subgroup_lanes; ++n)
                t.c[r][n] = model::multiply_add(t.c[r][n], t.a[r][i], t.b[i][n]);
}

template <class T, class DecodeA, class DecodeB>
void gather(T& t, const subgroup_state& sg, model::dpas_kind kind, int m, DecodeA decode_a, DecodeB decode_b) {
    const model::dpas_form f = model::form(kind);
    const int a_bits = f.a == element::tf32 ? 32 : 16;
    for (int r = 0; r < m; ++r) {
        for (int k = 0; k < f.k(); ++k) {
            const model::register_slot s = model::a_slot(kind, r, k);
            t.a[r][k] = decode_a(slot_bits(sg.lanes[static_cast<std::size_t>(s.lane)].pending.a, a_bits, s.component,
                                           s.sub, model::bits(f.a)));
        }
    }
    for (int k = 0; k < f.k(); ++k) {
        for (int n = 0; n < model::subgroup_lanes; ++n) {
            const model::register_slot s = model::b_slot(kind, k, n);
            t.b[k][n] = decode_b(slot_bits(sg.lanes[static_cast<std::size_t>(s.lane)].pending.b, 32, s.component, s.sub,
                                           model::bits(f.b)));
        }
    }
}

// An operand component that shows the undefined pattern. Floats cannot have it by accident; integers can, so for them the
// storage must still be marked, and of 16-bit components all must show it.
bool operand_undefined(const lane_state& lane, const void* p, int components, int bytes, bool integer) {
    int hits = 0;
    for (int i = 0; i < components; ++i) {
        bool hit = false;
        if (bytes == 2) {
            hit = looks_undefined16(component<std::uint16_t>(p, i));
        } else {
            const auto v = component<std::uint32_t>(p, i);
            hit = looks_undefined32(v) || (!integer && (looks_undefined16(static_cast<std::uint16_t>(v)) ||
                                                        looks_undefined16(static_cast<std::uint16_t>(v >> 16))));
        }
        hits += hit ? 1 : 0;
    }
    if (hits == 0) return false;
    if (!integer) return true;
    if (bytes == 2 && hits != components) return false;
    return marked_undefined(lane, p, static_cast<std::size_t>(components) * static_cast<std::size_t>(bytes));
}

void check_operands(machine& m, const subgroup_state& sg, model::dpas_kind kind, int rows) {
    const model::dpas_form f = model::form(kind);
    const bool narrow = model::bits(f.a) < 16;  // bytes and nibbles have no pattern of their own
    const auto bad = [&](const lane_state& lane, const char* operand) {
        m.report(fault_kind::uninitialized_register, lane, lane.pending.code,
                 fmt::format("{} reads operand {} from a register that was never written: load or zero the tile first",
                             describe(lane.pending), operand));
    };
    for (const lane_state& lane : sg.lanes) {
        const request& r = lane.pending;
        const bool reads_a = !(f.a == element::tf32 && rows == 1 && lane.index >= 8);
        if (reads_a &&
            operand_undefined(lane, r.a, model::a_components(kind, rows), f.a == element::tf32 ? 4 : 2, narrow)) {
            return bad(lane, "A");
        }
        // As tf32 only the whole word counts; packed 16-bit elements are looked at one by one.
        if (f.b == element::tf32) {
            for (int i = 0; i < 8; ++i)
                if (looks_undefined32(component<std::uint32_t>(r.b, i))) return bad(lane, "B");
        } else if (operand_undefined(lane, r.b, 8, 4, narrow)) {
            return bad(lane, "B");
        }
        const int c_bytes = model::bits(f.acc) / 8;
        for (int i = 0; i < rows; ++i) {
            const bool hit = c_bytes == 2 ? looks_undefined16(component<std::uint16_t>(r.c, i))
                                          : looks_undefined32(component<std::uint32_t>(r.c, i));
            if (hit) return bad(lane, "C");
        }
    }
}

}  // namespace

void execute_dpas(machine& m, subgroup_state& sg) {
    const lane_state& first = sg.lanes.front();
    const auto kind = static_cast<model::dpas_kind>(first.pending.uniform[0]);
    const int rows = first.pending.uniform[1];
    if (!full_subgroup(m, sg)) m.abandon();
    if (!model::legal_dpas(kind, rows, m.current->options.device)) {
        m.report(
            fault_kind::illegal_matrix, first, first.pending.code,
            fmt::format("{} does not exist on this device (M must be 1, 2, 4 or 8; fp8 and fp4 are Crescent Island's)",
                        describe(first.pending)),
            true);
        m.abandon();
    }
    auto& counts = m.out->count.dpas;
    const auto it =
        std::find_if(counts.begin(), counts.end(), [&](const dpas_count& c) { return c.kind == kind && c.m == rows; });
    if (it == counts.end()) counts.push_back({kind, rows, 1});
    else ++it->count;
    check_operands(m, sg, kind, rows);

    const model::dpas_form f = model::form(kind);
    if (model::integer_kind(kind)) {
        static thread_local tiles<int, int, int> t;
        with_integer_element(f.a, [&]<element A>() {
            with_integer_element(f.b, [&]<element B>() {
                gather(
                    t, sg, kind, rows, [](unsigned v) { return model::operand_to_s32<A>(v); },
                    [](unsigned v) { return model::operand_to_s32<B>(v); });
            });
        });
        for (int r = 0; r < rows; ++r)
            for (int n = 0; n < model::subgroup_lanes; ++n)
                t.c[r][n] = component<int>(sg.lanes[static_cast<std::size_t>(n)].pending.c, r);
        multiply(t, rows, f.k());
        for (int r = 0; r < rows; ++r)
            for (int n = 0; n < model::subgroup_lanes; ++n)
                set_component(sg.lanes[static_cast<std::size_t>(n)].pending.r, r, t.c[r][n]);
    } else {
        static thread_local tiles<float, float, float> t;
        with_float_element(f.a, [&]<element A>() {
            with_float_element(f.b, [&]<element B>() {
                gather(
                    t, sg, kind, rows, [](unsigned v) { return model::operand_to_f32<A>(v); },
                    [](unsigned v) { return model::operand_to_f32<B>(v); });
            });
        });
        const auto load = [&](const void* c, int r) {
            if (f.acc == element::f32) return component<float>(c, r);
            const auto bits = component<std::uint16_t>(c, r);
            return f.acc == element::bf16 ? model::bf16_to_f32(bits) : model::f16_to_f32(bits);
        };
        for (int r = 0; r < rows; ++r)
            for (int n = 0; n < model::subgroup_lanes; ++n)
                t.c[r][n] = load(sg.lanes[static_cast<std::size_t>(n)].pending.c, r);
        multiply(t, rows, f.k());
        for (int r = 0; r < rows; ++r) {
            for (int n = 0; n < model::subgroup_lanes; ++n) {
                void* to = sg.lanes[static_cast<std::size_t>(n)].pending.r;
                if (f.acc == element::f32) set_component(to, r, t.c[r][n]);
                else
                    set_component(
                        to, r, f.acc == element::bf16 ? model::f32_to_bf16(t.c[r][n]) : model::f32_to_f16(t.c[r][n]));
            }
        }
    }
    for (lane_state& lane : sg.lanes)
        mark_defined(lane, lane.pending.r, static_cast<std::size_t>(rows * model::bits(f.acc) / 8));
}

void execute_shuffle(machine& m, subgroup_state& sg) {
    const auto op = static_cast<shuffle_op>(sg.lanes.front().pending.uniform[0]);
    const auto bytes = static_cast<std::size_t>(sg.lanes.front().pending.uniform[1]);
    const auto lanes = static_cast<unsigned>(sg.lanes.size());
    ++m.out->count.shuffles;
    static thread_local unsigned char old[64][64];
    for (unsigned l = 0; l < lanes; ++l) std::memcpy(old[l], sg.lanes[l].pending.r, bytes);
    for (unsigned l = 0; l < lanes; ++l) {
        const lane_state& lane = sg.lanes[l];
        const unsigned n = lane.pending.argument;
        unsigned from = n;
        if (op == shuffle_op::exclusive_or) from = l ^ n;
        if (op == shuffle_op::up) from = l - n;
        if (op == shuffle_op::down) from = l + n;
        if (from >= lanes) {
            if (op == shuffle_op::up || op == shuffle_op::down) {
                // The result is undefined by the specification: give something that shows if it is used as a float.
                for (std::size_t i = 0; i + 2 <= bytes; i += 2)
                    std::memcpy(static_cast<unsigned char*>(lane.pending.r) + i, &undefined_quiet, 2);
                continue;
            }
            m.report(fault_kind::shuffle_lane, lane, lane.pending.code,
                     fmt::format("{} asks for lane {} of a subgroup of {}", describe(lane.pending), from, lanes));
            from = l;
        }
        std::memcpy(lane.pending.r, old[from], bytes);
    }
}

namespace {

template <class T> T combine(reduce_op op, T a, T b) {
    if (op == reduce_op::add) {
        if constexpr (std::is_same_v<T, int>)
            return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
        else return a + b;
    }
    if constexpr (std::is_same_v<T, int>) return op == reduce_op::max ? std::max(a, b) : std::min(a, b);
    else return op == reduce_op::max ? std::fmax(a, b) : std::fmin(a, b);
}

template <class T> void reduce_lanes(subgroup_state& sg) {
    const auto op = static_cast<reduce_op>(sg.lanes.front().pending.uniform[0]);
    const std::size_t n = sg.lanes.size();
    T v[64];
    for (std::size_t l = 0; l < n; ++l) v[l] = component<T>(sg.lanes[l].pending.r, 0);
    // Tree over lane distance 8, 4, 2, 1, which equals the xor butterfly in every lane.
    std::size_t half = 1;
    while (half * 2 < n) half *= 2;
    for (std::size_t size = n; half > 0; size = half, half /= 2)
        for (std::size_t l = 0; l < half && l + half < size; ++l) v[l] = combine(op, v[l], v[l + half]);
    for (std::size_t l = 0; l < n; ++l) set_component(sg.lanes[l].pending.r, 0, v[0]);
}

}  // namespace

void execute_reduce(machine& m, subgroup_state& sg) {
    ++m.out->count.reductions;
    if (sg.lanes.front().pending.what == request::kind::reduce_int) reduce_lanes<int>(sg);
    else reduce_lanes<float>(sg);
}

void execute_ballot(machine& m, subgroup_state& sg) {
    ++m.out->count.votes;
    unsigned mask = 0;
    for (std::size_t l = 0; l < sg.lanes.size(); ++l) mask |= (sg.lanes[l].pending.argument != 0 ? 1U : 0U) << l;
    for (lane_state& lane : sg.lanes) set_component(lane.pending.r, 0, mask);
}

}  // namespace kittens::emulated
