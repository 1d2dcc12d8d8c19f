// SPDX-License-Identifier: Apache-2.0
#include "../operands.hpp"
#include "../text.hpp"
#include "attention_check.hpp"
#include "attention_choice.hpp"
#include "attention_operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>

namespace kittens::tool {

namespace {

kernels::attention_tensor tensor(const std::string& layout, const void* data, int heads, int length, int dim) {
    return layout == "bnhd" ? kernels::attention_tensor::bnhd(data, heads, length, dim) : kernels::attention_tensor::bhnd(data, heads, length, dim);
}

/// Pairs of a query and a key that it sees, over all sequences.
double seen_pairs(const kernels::attention_request& r) {
    double pairs = 0;
    for (int n = 0; n < r.batch; ++n) {
        const bool packed = !r.query_starts.empty();
        const int queries = packed ? r.query_starts[n + 1] - r.query_starts[n] : r.queries;
        const int keys = packed ? r.key_starts[n + 1] - r.key_starts[n] : r.lengths.empty() ? r.keys : r.lengths[n];
        const int diagonal = r.query_offset - r.key_offset + (r.align_ends || r.decode ? keys - queries : 0);
        for (int i = 0; i < queries; ++i) {
            const int begin = r.window > 0 ? std::max(0, i + diagonal - r.window + 1) : 0, end = r.causal ? std::min(keys, i + diagonal + 1) : keys;
            pairs += std::max(0, end - begin);
        }
    }
    return pairs;
}

}  // namespace

run_outcome attention_operation::run(const run_request& request) {
    const device& where = request.where;
    kernels::attention_request r = asked_;
    const int entries = query_starts_.empty() ? r.batch : 1;
    const std::int64_t row = std::int64_t{dim_} * size_of(type_);
    const auto bytes = [&](int all, int heads, int length) { return matrix_bytes(std::int64_t{all} * heads * length, dim_, type_); };
    const bool paged = r.page_size > 0;
    const int key_entries = paged ? r.pages : entries, key_rows = paged ? r.page_size : r.keys;
    const std::uint64_t q_bytes = bytes(entries, r.heads, r.queries), k_bytes = bytes(key_entries, r.key_heads, key_rows);
    const std::uint64_t mask_bytes = text_.mask ? matrix_bytes(std::int64_t{entries} * r.heads * r.queries, r.keys, type_) : 0;
    const std::uint64_t lse_bytes = text_.lse ? matrix_bytes(std::int64_t{entries} * r.heads, r.queries, dtype::f32) : 0;
    const std::uint64_t guard = guard_bytes(where, row * 256), lse_guard = guard_bytes(where, 4096);
    const std::string what = fmt::format("attention of {} x {} x {} x {} x {}", r.batch, r.heads, r.queries, r.keys, dim_);
    const std::uint64_t on_device = saturating_sum({guarded_buffer::footprint(q_bytes, guard), guarded_buffer::footprint(q_bytes, guard), guarded_buffer::footprint(k_bytes, guard),
                                                    guarded_buffer::footprint(k_bytes, guard), guarded_buffer::footprint(mask_bytes, guard), guarded_buffer::footprint(lse_bytes, lse_guard)});
    const std::uint64_t on_host = saturating_sum({q_bytes, q_bytes, k_bytes, k_bytes, mask_bytes, lse_bytes});
    if (where.properties().is_gpu) {
        require_memory(where, on_device, what);
        require_memory(find_device("emulated"), on_host, what + " on the host");
    } else {
        require_memory(where, saturating_sum({on_device, on_host}), what);
    }

    const auto random = [&](std::uint64_t n, std::uint64_t stream) { return random_operand(type_, n / size_of(type_), request.seed, stream, data_scale_); };
    const std::vector<std::byte> q = random(q_bytes, 0), k = random(k_bytes, 1), v = random(k_bytes, 2), mask = random(mask_bytes, 3);
    const guarded_buffer device_q(where, q_bytes, guard), device_k(where, k_bytes, guard), device_v(where, k_bytes, guard), device_o(where, q_bytes, guard),
        device_mask(where, std::max<std::uint64_t>(mask_bytes, 1), guard), device_lse(where, std::max<std::uint64_t>(lse_bytes, 4), lse_guard);
    queue on(where);
    device_q.upload(on, q);
    device_k.upload(on, k);
    device_v.upload(on, v);
    if (text_.mask) device_mask.upload(on, mask);
    buffer<std::int32_t> starts(where, std::max<std::size_t>(1, query_starts_.size() + key_starts_.size()));
    std::copy(query_starts_.begin(), query_starts_.end(), starts.begin());
    std::copy(key_starts_.begin(), key_starts_.end(), starts.begin() + static_cast<std::ptrdiff_t>(query_starts_.size()));

    const auto place = [&](const void* pq, const void* pk, const void* pv, const void* po, const void* pm, void* pl) {
        r.q = tensor(text_.layout, pq, r.heads, r.queries, dim_);
        r.k = tensor(text_.layout, pk, r.key_heads, key_rows, dim_);
        r.v = tensor(text_.layout, pv, r.key_heads, key_rows, dim_);
        r.o = tensor(text_.layout, po, r.heads, r.queries, dim_);
        if (text_.mask) r.mask = {pm, std::int64_t{r.heads} * r.queries * r.keys, std::int64_t{r.queries} * r.keys, r.keys};
        r.lse = text_.lse ? static_cast<float*>(pl) : nullptr;
    };
    place(device_q.data(), device_k.data(), device_v.data(), device_o.data(), device_mask.data(), device_lse.data());
    if (!query_starts_.empty()) {
        r.query_starts = {starts.data(), query_starts_.size()};
        r.key_starts = {starts.data() + query_starts_.size(), key_starts_.size()};
    }
    r.threads = where.properties().threads;
    std::vector<std::int32_t> pages = page_table_;
    if (paged && pages.empty()) {
        pages.resize(static_cast<std::size_t>(r.pages));
        std::iota(pages.begin(), pages.end(), 0);
        std::shuffle(pages.begin(), pages.end(), std::mt19937_64(request.seed));
    }
    buffer<std::int32_t> table(where, std::max<std::size_t>(1, pages.size())), lengths(where, std::max<std::size_t>(1, cache_lengths_.size()));
    std::copy(pages.begin(), pages.end(), table.begin());
    std::copy(cache_lengths_.begin(), cache_lengths_.end(), lengths.begin());
    r.page_table = {table.data(), pages.size()};
    r.lengths = {lengths.data(), cache_lengths_.size()};

    run_outcome result;
    result.policy = policy_;
    if (policy_.starts_with("keys") && where.target() != "cpu") throw user_error(fmt::format("--policy {} is for --target cpu, not {}", policy_, where.target()));
    if (policy_ == "auto") {
        const auto [chosen, why] = choose_attention(where, r);
        result.policy = chosen.text();
        result.notes.push_back(fmt::format("policy {}: {}", chosen.text(), why));
        const int splits = r.splits;
        r = with_candidate(r, chosen);
        if (splits > 0) r.splits = splits;
    }
    result.type = type_text_;
    result.shape = {{"batch", r.batch}, {"heads", r.heads}, {"kv_heads", r.key_heads}, {"queries", r.queries}, {"keys", r.keys}, {"head_dim", dim_}, {"causal", r.causal}};
    result.shape_text = fmt::format("{} x {} heads ({} of keys), {} queries, {} keys, dimension {}{}", r.batch, r.heads, r.key_heads, r.queries, r.keys, dim_, r.causal ? ", causal" : "");
    result.work = 4.0 * seen_pairs(r) * r.heads * dim_;
    std::optional<buffer<std::byte>> workspace;
    std::vector<launch_step> steps;
    try {
        const std::size_t room = kernels::attention_workspace(r);
        require_memory(where, room, what + ": parts to be merged");
        workspace.emplace(where, std::max<std::size_t>(1, room));
        r.workspace = {workspace->data(), workspace->size()};
        for (kernels::attention_launch& l : kernels::prepare_attention(r)) steps.push_back({&kernel_for(where, l.kernel), std::move(l.globals)});
    } catch (const std::invalid_argument& e) {
        throw user_error(e.what());
    }
    for (const launch_step& s : steps) result.kernel += (result.kernel.empty() ? "" : " + ") + std::string(s.kernel->name);
    result.runs = run_repeatedly(on, steps, request.repeat, [&] {
        device_o.poison(on);
        device_lse.poison(on);
        on.poison(*workspace);
        on.wait();
    });
    if (!result.runs.failure.empty()) {
        result.verdict = "the kernel did not complete";
        result.findings.push_back(result.runs.failure);
        return result;
    }
    guarded_buffer::content o = device_o.download(on), lse = device_lse.download(on);
    place(q.data(), k.data(), v.data(), o.data.data(), mask.data(), lse.data.data());
    const attention_comparison c = compare_attention(r);
    const std::uint64_t outside = o.guard_bytes_written + lse.guard_bytes_written;
    result.passed = c.passed() && outside == 0;
    result.error = {{"relative_frobenius", std::isfinite(c.relative_frobenius) ? json(c.relative_frobenius) : json(nullptr)},
                    {"gate", 0.02},
                    {"max_abs", c.max_abs},
                    {"nonfinite", nullptr},
                    {"different", nullptr},
                    {"guard_bytes_written", outside}};
    result.verdict = fmt::format("largest error {:.2e}, at most {:.2f} of its bound; relative Frobenius error {:.3e} against double precision{}", c.max_abs, c.worst, c.relative_frobenius,
                                 c.rows < c.all_rows ? fmt::format(" ({} of {} rows)", c.rows, c.all_rows) : std::string());
    if (c.wrong > 0) result.findings.push_back(fmt::format("{} elements are wrong; the first: {}", show_count(static_cast<std::uint64_t>(c.wrong)), c.first));
    if (outside > 0) result.findings.push_back(fmt::format("the kernel wrote {} bytes outside its outputs", show_count(outside)));
    return result;
}

}  // namespace kittens::tool
