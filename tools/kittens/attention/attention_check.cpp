// SPDX-License-Identifier: Apache-2.0
#include "attention_check.hpp"

#include "../parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace kittens::tool {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double value(dtype type, const void* data, std::int64_t i) {
    if (type == dtype::f16) return static_cast<double>(static_cast<float>(static_cast<const half*>(data)[i]));
    return static_cast<double>(static_cast<float>(static_cast<const bf16*>(data)[i]));
}

/// One query's reference.
struct row_reference {
    std::vector<double> o, bound;
    double lse = -infinite, lse_bound = 0;
};

/// A sequence of a request.
struct part {
    int batch, first_query, queries, first_key, keys, diagonal;
};

std::vector<part> parts_of(const kernels::attention_request& r) {
    std::vector<part> parts;
    const int diagonal = r.query_offset - r.key_offset;
    for (int n = 0; n < r.batch; ++n) {
        part p{n, 0, r.queries, 0, r.keys, 0};
        if (!r.query_starts.empty())
            p = {0, r.query_starts[n], r.query_starts[n + 1] - r.query_starts[n], r.key_starts[n], r.key_starts[n + 1] - r.key_starts[n], 0};
        if (!r.lengths.empty()) p.keys = r.lengths[n];
        p.diagonal = diagonal + (r.align_ends || r.decode ? p.keys - p.queries : 0);
        parts.push_back(p);
    }
    return parts;
}

void reference_row(const kernels::attention_request& r, const part& p, int head, int query, double weight_units, row_reference& to) {
    const int key_head = head / (r.heads / r.key_heads);
    const auto at = [](const kernels::attention_tensor& t, int b, int h, int row) { return b * t.batch_stride + h * t.head_stride + row * t.row_stride; };
    const auto of_key = [&](const kernels::attention_tensor& t, int j) {
        if (r.page_table.empty()) return at(t, p.batch, key_head, p.first_key + j);
        return at(t, r.page_table[static_cast<std::size_t>(p.batch) * ((r.keys + r.page_size - 1) / r.page_size) + j / r.page_size], key_head, j % r.page_size);
    };
    const std::int64_t q = at(r.q, p.batch, head, p.first_query + query);
    const double scale = r.scale > 0 ? static_cast<float>(r.scale) : 1 / std::sqrt(static_cast<double>(r.dim));
    const double unit = r.type == dtype::f16 ? 0x1p-11 : 0x1p-8, smallest = r.type == dtype::f16 ? 0x1p-24 : 0x1p-126, smallest_weight = r.type == dtype::f16 ? smallest : 0x1p-94;
    std::vector<double> query_values(r.dim), score(p.keys, -infinite);
    for (int d = 0; d < r.dim; ++d) query_values[d] = value(r.type, r.q.data, q + d);

    const int begin = r.window > 0 ? std::max(0, query + p.diagonal - r.window + 1) : 0;
    const int end = r.causal ? std::min(p.keys, query + p.diagonal + 1) : p.keys;
    double largest = -infinite, score_error = 0;
    for (int j = begin; j < end; ++j) {
        const std::int64_t k = of_key(r.k, j);
        double sum = 0, sum_abs = 0;
        for (int d = 0; d < r.dim; ++d) {
            const double x = query_values[d] * value(r.type, r.k.data, k + d);
            sum += x;
            sum_abs += std::abs(x);
        }
        sum *= scale;
        // Products are exact in float, the sum of dim terms is not; scale, cap and mask round a few times more.
        double error = (r.dim + 8) * 0x1p-24 * sum_abs * scale;
        if (r.soft_cap > 0) {
            sum = r.soft_cap * std::tanh(sum / r.soft_cap);
            error += r.soft_cap * 0x1p-20;
        }
        if (r.mask.data) {
            const double bias = value(r.type, r.mask.data, at(r.mask, p.batch, head, query) + j);
            sum += bias;
            if (std::isfinite(bias)) error += 0x1p-22 * std::abs(bias);
        }
        score[j] = sum;
        if (std::isfinite(error)) score_error = std::max(score_error, error);
        if (std::isnan(sum) || sum > largest || std::isnan(largest)) largest = std::isnan(largest) ? largest : sum;
    }
    to.o.assign(r.dim, 0);
    to.bound.assign(r.dim, 0);
    to.lse = -infinite;
    to.lse_bound = 0;
    if (largest == -infinite) return;
    double total = 0;
    for (int j = begin; j < end; ++j) {
        score[j] = score[j] == -infinite ? 0 : std::exp(score[j] - largest);
        total += score[j];
    }
    // Exponents are kept in powers of two, relative to the largest, in float.
    score_error += 0x1p-22 * std::min(std::abs(largest), 1e30);
    const double weight_error = weight_units * unit + 0x1p-11 + 2 * score_error;
    // A weight below the type's normal range is off by up to half its smallest step. Before they are divided by their sum, weights are
    // relative to a score that is at most the largest, so that their sum is at least `total`; or, as bf16, to one up to 2^32 above it.
    const double small_weight_error = smallest_weight / 2 / total;
    for (int j = begin; j < end; ++j) {
        const double w = score[j] / total;
        const std::int64_t v = of_key(r.v, j);
        for (int d = 0; d < r.dim; ++d) {
            const double x = value(r.type, r.v.data, v + d);
            to.o[d] += w * x;
            to.bound[d] += (w * weight_error + (w > 0 ? small_weight_error : 0)) * std::abs(x);
        }
    }
    for (int d = 0; d < r.dim; ++d) to.bound[d] += unit * std::abs(to.o[d]) + smallest;
    to.lse = largest + std::log(total);
    to.lse_bound = 0x1p-11 + score_error + 0x1p-21 * std::abs(to.lse);
}

}  // namespace

attention_comparison compare_attention(const kernels::attention_request& r, double budget, double weight_units) {
    attention_comparison result;
    const std::vector<part> parts = parts_of(r);
    struct task {
        const part* p;
        int head, query;
    };
    std::vector<task> tasks;
    for (const part& p : parts)
        for (int h = 0; h < r.heads; ++h)
            for (int i = 0; i < p.queries; ++i) tasks.push_back({&p, h, i});
    result.all_rows = static_cast<std::int64_t>(tasks.size());
    const double of_row = 2.0 * r.dim * r.keys;
    const std::int64_t wanted = std::max<std::int64_t>(64, static_cast<std::int64_t>(budget / of_row));
    // An odd step, so that rows of all places in a tile come up.
    const std::int64_t step = result.all_rows <= wanted ? 1 : (result.all_rows / wanted) | 1;
    result.rows = (result.all_rows + step - 1) / step;

    double error2 = 0, reference2 = 0;
    std::mutex lock;
    constexpr std::int64_t chunk = 16;
    parallel_for((result.rows + chunk - 1) / chunk, [&](std::int64_t c) {
        row_reference right;
        for (std::int64_t t = c * chunk; t < std::min(result.rows, (c + 1) * chunk); ++t) {
            const task& at = tasks[static_cast<std::size_t>(t * step)];
            reference_row(r, *at.p, at.head, at.query, weight_units, right);
            const int row = at.p->first_query + at.query;
            const std::int64_t o = at.p->batch * r.o.batch_stride + at.head * r.o.head_stride + row * r.o.row_stride;
            const std::lock_guard guard(lock);
            const auto judge = [&](double got, double expected, double bound, const auto& where) {
                const bool finite = std::isfinite(expected);
                const double error = std::abs(got - expected);
                const bool good = finite ? error <= bound : std::isnan(expected) ? std::isnan(got) : got == expected;
                if (!good && result.wrong++ == 0) result.first = fmt::format("{}: {:.9g} instead of {:.9g} (bound {:.2e})", where(), got, expected, bound);
                if (finite && std::isfinite(error)) {
                    result.max_abs = std::max(result.max_abs, error);
                    if (bound > 0) result.worst = std::max(result.worst, error / bound);
                }
                return finite && std::isfinite(error) ? error : 0;
            };
            for (int d = 0; d < r.dim; ++d) {
                const double e = judge(value(r.type, r.o.data, o + d), right.o[d], right.bound[d],
                                       [&] { return fmt::format("o, batch {}, head {}, query {}, column {}", at.p->batch, at.head, row, d); });
                error2 += e * e;
                if (std::isfinite(right.o[d])) reference2 += right.o[d] * right.o[d];
            }
            if (r.lse) {
                const double max_abs = result.max_abs;
                judge(r.lse[(std::int64_t(at.p->batch) * r.heads + at.head) * r.queries + row], right.lse, right.lse_bound,
                      [&] { return fmt::format("lse, batch {}, head {}, query {}", at.p->batch, at.head, row); });
                result.max_abs = max_abs;
            }
        }
    });
    result.relative_frobenius = reference2 > 0 ? std::sqrt(error2 / reference2) : error2 > 0 ? infinite : 0;
    return result;
}

}  // namespace kittens::tool
