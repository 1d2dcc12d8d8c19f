// SPDX-License-Identifier: Apache-2.0
// An attention problem on a device: fresh random data, outputs that are poisoned, and the check against double precision.
#pragma once

#include <kittens/runtime/runtime.hpp>

#include "../../tools/kittens/attention/attention_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace attention_tests {

using namespace kittens;

/// The seed of this run; KITTENS_SEED repeats one.
inline unsigned seed() {
    static const unsigned value = [] {
        const char* given = std::getenv("KITTENS_SEED");
        const unsigned s = given ? unsigned(std::strtoul(given, nullptr, 10)) : std::random_device{}();
        std::fprintf(stderr, "KITTENS_SEED=%u\n", s);
        return s;
    }();
    return value;
}

/// What is asked for, without memory.
struct setup {
    dtype type = dtype::bf16;
    int dim = 64, batch = 1, heads = 1, key_heads = 1, queries = 1, keys = 1;
    bool causal = false, bnhd = false, mask = false, lse = true, rows8 = false;
    int query_offset = 0, key_offset = 0, window = 0;
    double scale = 0, soft_cap = 0, data_scale = 1;
    std::vector<int32> query_starts{}, key_starts{};
    bool align_ends = false;
    int threads = 0;
};

inline void PrintTo(const setup& s, std::ostream* out) {
    *out << name_of(s.type) << " D" << s.dim << " B" << s.batch << " H" << s.heads << '/' << s.key_heads << " N" << s.queries << ':' << s.keys << (s.causal ? " causal" : "") << (s.bnhd ? " bnhd" : "")
         << (s.mask ? " mask" : "") << (s.rows8 ? " rows8" : "") << " offsets " << s.query_offset << ' ' << s.key_offset << " window " << s.window << " scale " << s.scale << " cap " << s.soft_cap << " data "
         << s.data_scale << " sequences " << s.query_starts.size();
}

class problem {
public:
    problem(const device& where, const setup& s, std::mt19937& random)
        : on_(where), s_(s), entries_(s.query_starts.empty() ? s.batch : 1), q_(where, count(s.heads, s.queries)), k_(where, count(s.key_heads, s.keys)), v_(where, count(s.key_heads, s.keys)),
          o_(where, count(s.heads, s.queries)), mask_(where, s.mask ? std::size_t(entries_) * s.heads * s.queries * s.keys : 1), lse_(where, std::size_t(entries_) * s.heads * s.queries),
          starts_(where, s.query_starts.size() + s.key_starts.size() + 1) {
        std::normal_distribution<float> normal(0.0f, float(s.data_scale));
        for (auto* tensor : {&q_, &k_, &v_, &mask_})
            for (auto& x : *tensor) x = bits(normal(random));
        std::copy(s.query_starts.begin(), s.query_starts.end(), starts_.begin());
        std::copy(s.key_starts.begin(), s.key_starts.end(), starts_.begin() + std::ptrdiff_t(s.query_starts.size()));
        auto& r = request;
        r.type = s.type, r.dim = s.dim, r.batch = s.query_starts.empty() ? s.batch : int(s.query_starts.size()) - 1, r.heads = s.heads, r.key_heads = s.key_heads, r.queries = s.queries, r.keys = s.keys;
        const auto place = [&](const buffer<std::uint16_t>& b, int heads, int length) {
            return s.bnhd ? kernels::attention_tensor::bnhd(b.data(), heads, length, s.dim) : kernels::attention_tensor::bhnd(b.data(), heads, length, s.dim);
        };
        r.q = place(q_, s.heads, s.queries), r.k = place(k_, s.key_heads, s.keys), r.v = place(v_, s.key_heads, s.keys), r.o = place(o_, s.heads, s.queries);
        if (s.lse) r.lse = lse_.data();
        if (s.mask) r.mask = {mask_.data(), std::int64_t(s.heads) * s.queries * s.keys, std::int64_t(s.queries) * s.keys, s.keys};
        r.scale = s.scale, r.soft_cap = s.soft_cap, r.causal = s.causal, r.query_offset = s.query_offset, r.key_offset = s.key_offset, r.window = s.window;
        r.align_ends = s.align_ends, r.rows8 = s.rows8, r.threads = s.threads;
        if (!s.query_starts.empty()) {
            r.query_starts = {starts_.data(), s.query_starts.size()};
            r.key_starts = {starts_.data() + s.query_starts.size(), s.key_starts.size()};
        }
    }

    kernels::attention_request request;

    /// Elements are kept as bits, whatever their type.
    std::uint16_t bits(float x) const { return s_.type == dtype::f16 ? __builtin_bit_cast(std::uint16_t, half(x)) : bf16(x).bits; }
    float number(std::uint16_t x) const { return s_.type == dtype::f16 ? float(__builtin_bit_cast(half, x)) : float(bf16::from_bits(x)); }
    std::uint16_t& q(int i) { return q_[std::size_t(i)]; }
    std::uint16_t& k(int i) { return k_[std::size_t(i)]; }
    std::uint16_t& v(int i) { return v_[std::size_t(i)]; }
    float o(int i) const { return number(o_[std::size_t(i)]); }
    void set_o(int i, float x) { o_[std::size_t(i)] = bits(x); }
    float lse(int i) const { return lse_[std::size_t(i)]; }
    std::uint16_t& mask(int i) { return mask_[std::size_t(i)]; }

    /// With the kernel that the request gets, or another one of its element type and head dimension.
    void run(const std::string& kernel = "") {
        on_.poison(o_).wait();
        on_.poison(lse_).wait();
        const kernels::attention_launch l = kernels::prepare_attention(request);
        on_.run(kernel_for(on_.where(), kernel.empty() ? l.kernel : kernel), l.globals.data(), l.globals.size());
    }
    void run_and_check(const std::string& kernel = "") {
        run(kernel);
        const auto c = tool::compare_attention(request);
        EXPECT_EQ(c.rows, c.all_rows);
        EXPECT_EQ(c.wrong, 0) << c.first;
    }

private:
    std::size_t count(int heads, int length) const { return std::size_t(entries_) * heads * length * s_.dim; }

    queue on_;
    setup s_;
    int entries_;
    buffer<std::uint16_t> q_, k_, v_, o_, mask_;
    buffer<float> lse_;
    buffer<int32> starts_;
};

}  // namespace attention_tests
