// SPDX-License-Identifier: Apache-2.0
// An attention problem on a device: fresh random data, outputs that are poisoned, and the check against double precision.
#pragma once

#include <kittens/runtime/runtime.hpp>

#include "../../tools/kittens/attention/attention_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
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
    int threads = 0, splits = 0;
    std::string policy = "default";
    /// Decoding, from a cache in pages where there is a page size; `spare` pages belong to nobody.
    bool decode = false;
    std::vector<int32> lengths{};
    int page_size = 0, spare = 3;
    int pages() const { return page_size ? batch * pages_each() + spare : 0; }
    int pages_each() const { return (keys + page_size - 1) / page_size; }
};

inline void PrintTo(const setup& s, std::ostream* out) {
    *out << name_of(s.type) << " D" << s.dim << " B" << s.batch << " H" << s.heads << '/' << s.key_heads << " N" << s.queries << ':' << s.keys << (s.causal ? " causal" : "") << (s.bnhd ? " bnhd" : "")
         << (s.mask ? " mask" : "") << (s.rows8 ? " rows8" : "") << ' ' << s.policy << " offsets " << s.query_offset << ' ' << s.key_offset << " window " << s.window << " scale " << s.scale << " cap " << s.soft_cap << " data "
         << s.data_scale << " sequences " << s.query_starts.size() << " splits " << s.splits << (s.decode ? " decode" : "") << " page size " << s.page_size << " lengths";
    for (const int32 n : s.lengths) *out << ' ' << n;
}

class problem {
public:
    problem(const device& where, const setup& s, std::mt19937& random)
        : on_(where), s_(s), entries_(s.query_starts.empty() ? s.batch : 1), q_(where, count(s.heads, s.queries)), k_(where, cache()), v_(where, cache()),
          o_(where, count(s.heads, s.queries)), mask_(where, s.mask ? std::size_t(entries_) * s.heads * s.queries * s.keys : 1), lse_(where, std::size_t(entries_) * s.heads * s.queries),
          starts_(where, s.query_starts.size() + s.key_starts.size() + s.lengths.size() + 1), table_(where, s.page_size ? std::size_t(s.batch) * s.pages_each() : 1) {
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
        r.decode = s.decode, r.splits = s.splits;
        if (s.page_size) place_pages(random);
        // What lies behind a sequence may be anything.
        for (std::size_t n = 0; !s.page_size && n < s.lengths.size(); ++n)
            for (int h = 0; h < s.key_heads; ++h)
                for (int j = s.lengths[n]; j < s.keys; ++j)
                    for (int d = 0; d < s.dim; ++d) {
                        const std::size_t i = std::size_t(std::int64_t(n) * r.k.batch_stride + h * r.k.head_stride + j * r.k.row_stride + d);
                        k_[i] = v_[i] = bits(std::numeric_limits<float>::quiet_NaN());
                    }
        if (!s.lengths.empty()) {
            std::copy(s.lengths.begin(), s.lengths.end(), starts_.begin());
            r.lengths = {starts_.data(), s.lengths.size()};
        }
        r.align_ends = s.align_ends, r.policy = s.rows8 ? "rows8" : s.policy, r.threads = s.threads;
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

    int32& page(int sequence, int i) { return table_[std::size_t(sequence * s_.pages_each() + i)]; }

    /// With the kernel that the request gets, or another one of its element type and head dimension.
    void run(const std::string& kernel = "") {
        on_.poison(o_).wait();
        on_.poison(lse_).wait();
        workspace_.emplace(on_.where(), std::max<std::size_t>(1, kernels::attention_workspace(request)));
        on_.poison(*workspace_).wait();
        request.workspace = {workspace_->data(), workspace_->size()};
        for (const kernels::attention_launch& l : kernels::prepare_attention(request)) on_.run(kernel_for(on_.where(), kernel.empty() ? l.kernel : kernel), l.globals.data(), l.globals.size());
    }
    void run_and_check(const std::string& kernel = "") {
        run(kernel);
        const auto c = tool::compare_attention(request);
        EXPECT_EQ(c.rows, c.all_rows);
        EXPECT_EQ(c.wrong, 0) << c.first;
    }

private:
    std::size_t count(int heads, int length) const { return std::size_t(entries_) * heads * length * s_.dim; }

    std::size_t cache() const { return s_.page_size ? std::size_t(s_.pages()) * s_.key_heads * s_.page_size * s_.dim : count(s_.key_heads, s_.keys); }

    /// The pages of the sequences in any order; what nobody may read is NaN.
    void place_pages(std::mt19937& random) {
        auto& r = request;
        r.pages = s_.pages(), r.page_size = s_.page_size;
        r.page_table = {table_.data(), table_.size()};
        const auto place = [&](const buffer<std::uint16_t>& b) {
            return s_.bnhd ? kernels::attention_tensor::bnhd(b.data(), s_.key_heads, s_.page_size, s_.dim) : kernels::attention_tensor::bhnd(b.data(), s_.key_heads, s_.page_size, s_.dim);
        };
        r.k = place(k_), r.v = place(v_);
        std::vector<int32> pages(std::size_t(r.pages), 0);
        for (int i = 0; i < r.pages; ++i) pages[std::size_t(i)] = i;
        std::shuffle(pages.begin(), pages.end(), random);
        std::vector<bool> read(cache(), false);
        for (int n = 0; n < s_.batch; ++n)
            for (int i = 0; i < s_.pages_each(); ++i) {
                const int length = s_.lengths.empty() ? s_.keys : s_.lengths[std::size_t(n)], here = std::min(s_.page_size, length - i * s_.page_size);
                // Entries behind a sequence's end are not looked at.
                page(n, i) = here > 0 ? pages.back() : -1;
                if (here > 0) pages.pop_back();
                for (int h = 0; here > 0 && h < s_.key_heads; ++h)
                    for (int j = 0; j < here; ++j)
                        for (int d = 0; d < s_.dim; ++d) read[std::size_t(page(n, i) * r.k.batch_stride + h * r.k.head_stride + j * r.k.row_stride + d)] = true;
            }
        for (std::size_t i = 0; i < read.size(); ++i)
            if (!read[i]) k_[i] = v_[i] = bits(std::numeric_limits<float>::quiet_NaN());
    }

    queue on_;
    setup s_;
    int entries_;
    buffer<std::uint16_t> q_, k_, v_, o_, mask_;
    buffer<float> lse_;
    buffer<int32> starts_, table_;
    std::optional<buffer<std::byte>> workspace_;
};

/// The request, once `change` has been made to it, is refused with one line that has these words.
template <class Change> void expect_refused(kernels::attention_request request, Change change, const std::string& words) {
    change(request);
    try {
        kernels::prepare_attention(request);
        ADD_FAILURE() << "not refused: " << words;
    } catch (const std::invalid_argument& e) {
        EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
        EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
}

class cpu_attention : public ::testing::Test {
protected:
    device where = find_device("cpu");
    std::mt19937 random{seed()};
};
class emulated_attention : public ::testing::Test {
protected:
    device where = find_device("emulated");
    std::mt19937 random{seed()};
};
class xe_attention : public ::testing::Test {
protected:
    void SetUp() override {
        for (const device& d : devices())
            if (d.target() == "xe") return;
        if (std::getenv("KITTENS_REQUIRE_INTEL")) FAIL() << "there is no OpenCL device";
        GTEST_SKIP() << "there is no OpenCL device";
    }
    std::mt19937 random{seed()};
};

}  // namespace attention_tests
