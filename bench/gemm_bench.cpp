// SPDX-License-Identifier: Apache-2.0
#include "gemm_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

namespace kittens::bench {

namespace {

constexpr const char* single_suffix = ":fp32";

/// A loaded peer under the name that it was asked for.
struct entrant {
    std::string name;
    std::shared_ptr<peer> library;
    bool single_only = false;
};

/// A peer that is ready for one shape.
struct ready_peer {
    std::string name;
    dtype in, out;
    buffer<std::byte> c;
    peer_gemm product;
};

std::string types_text(dtype in, dtype out, dtype wanted) {
    if (out == output_of(in) || in == dtype::i8) return name_of(in);
    return fmt::format("{} to {}", in == wanted ? name_of(wanted) : name_of(in), name_of(out));
}

double shortest_of_three(peer_gemm& product) {
    using clock = std::chrono::steady_clock;
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; ++i) {
        const auto start = clock::now();
        product.run();
        best = std::min(best, std::chrono::duration<double>(clock::now() - start).count());
    }
    return best;
}

/// Output in the candidate's type if the peer has that, else wider output, else single precision.
ready_peer make_ready(const entrant& who, gemm_data& data, const gemm_request& request) {
    const dtype in = data.in();
    std::vector<std::pair<dtype, dtype>> choices;
    if (!who.single_only) choices = {{in, output_of(in)}, {in, dtype::f32}};
    const std::pair single{dtype::f32, dtype::f32};
    const bool has_single = in != dtype::i8 && (in != dtype::f32 || who.single_only);

    std::string refusal;
    const auto attempt = [&](std::pair<dtype, dtype> types, int limit = std::numeric_limits<int>::max()) -> std::optional<ready_peer> {
        buffer<std::byte> c = data.output(types.second);
        try {
            // A smaller problem takes the same memory for smaller matrices.
            const gemm_shape s{std::min(data.shape().m, limit), std::min(data.shape().n, limit), std::min(data.shape().k, limit), {}};
            peer_gemm product = who.library->prepare({s.m, s.n, s.k, peer_dtype(types.first), peer_dtype(types.second),
                                                      data.a(types.first), data.b(types.first), c.data(), request.threads});
            return ready_peer{who.name, types.first, types.second, std::move(c), std::move(product)};
        } catch (const unsupported_by_peer& e) {
            if (refusal.empty()) refusal = e.what();
            return std::nullopt;
        }
    };
    std::optional<ready_peer> found;
    for (const auto& types : choices)
        if ((found = attempt(types))) break;
    if (has_single && (!found || request.either_type)) {
        std::optional<ready_peer> other = attempt(single);
        // Some libraries have 16-bit products that are a hundred times slower (PyTorch without AVX-512): a small product shows it.
        constexpr int small = 192;
        constexpr double hopeless = 8;
        const auto small_time = [&](std::pair<dtype, dtype> types) {
            std::optional<ready_peer> trial = attempt(types, small);
            return trial ? shortest_of_three(trial->product) : 0;
        };
        if (!found) found = std::move(other);
        else if (other && small_time({found->in, found->out}) > hopeless * small_time(single)) found = std::move(other);
        else if (other && shortest_of_three(other->product) < shortest_of_three(found->product)) found = std::move(other);
    }
    if (!found) throw unsupported_by_peer(refusal);
    return std::move(*found);
}

/// What one shape takes at most: operands, their copies in single precision, and a result for everybody.
std::uint64_t memory_for(const gemm_shape& s, dtype in, std::size_t peers) {
    const double m = s.m, n = s.n, k = s.k, operands = m * k + k * n;
    const double bytes = operands * size_of(in) + m * n * size_of(output_of(in)) +
                         (peers > 0 ? operands * 4 + m * n * 4 * static_cast<double>(peers) : 0);
    return bytes < 0x1p63 ? static_cast<std::uint64_t>(bytes) : ~std::uint64_t{0};
}

shape_figures measure(const gemm_shape& shape, const gemm_request& request, const device& where,
                      const gemm_candidate& candidate, const std::vector<entrant>& peers, const std::function<void()>& tick) {
    shape_figures result;
    result.shape = shape;
    if (request.policy_of) result.policy = request.policy_of(shape);
    gemm_data data(where, shape, request.in, request.seed);
    const dtype out = output_of(request.in);

    buffer<std::byte> c = data.output(out);
    const std::function<void()> run = candidate(shape, data.a(request.in), data.b(request.in), c.data());
    run();
    const verdict first = data.check(c.data(), out);
    result.relative_frobenius = first.relative_frobenius;
    result.failure = first.failure;
    if (!first.passed()) return result;

    std::vector<ready_peer> ready;
    std::vector<double> errors;
    for (const entrant& who : peers) {
        try {
            ready_peer one = make_ready(who, data, request);
            one.product.run();
            const verdict v = data.check(one.c.data(), one.out);
            if (!v.passed()) {
                result.omitted.push_back({who.name, fmt::format("wrong result: {}", v.failure), true});
                continue;
            }
            ready.push_back(std::move(one));
            errors.push_back(v.relative_frobenius);
        } catch (const unsupported_by_peer& e) {
            result.omitted.push_back({who.name, e.what(), false});
        }
    }

    struct ready_own {
        std::string name, policy;
        buffer<std::byte> c;
        std::function<void()> run;
        double error;
    };
    std::vector<ready_own> ours;
    for (const own_entrant& who : request.own) {
        const std::string policy = who.policy(shape);
        if (policy.empty()) {
            result.omitted.push_back({who.name, who.reason, false});
            continue;
        }
        buffer<std::byte> to = data.output(out);
        auto product = kernel_candidate(where, request.in, policy)(shape, data.a(request.in), data.b(request.in), to.data());
        product();
        const verdict v = data.check(to.data(), out);
        if (v.passed()) ours.push_back({who.name, policy, std::move(to), std::move(product), v.relative_frobenius});
        else result.omitted.push_back({who.name, fmt::format("wrong result: {}", v.failure), true});
    }

    std::vector<contender> contenders{{"candidate", run}};
    for (ready_peer& p : ready) contenders.push_back({p.name, [&p] { p.product.run(); }});
    for (ready_own& p : ours) contenders.push_back({p.name, p.run});
    surroundings around = real_surroundings();
    if (tick) around.progress = tick;
    const std::vector<samples> taken = interleave(contenders, request.how, around);

    // What was timed has to be right too, not only what came first.
    if (const verdict last = data.check(c.data(), out); !last.passed()) {
        result.failure = "after the measurement: " + last.failure;
        return result;
    }
    result.seconds = summarise(taken[0].seconds);
    for (std::size_t i = 0; i < ready.size(); ++i) {
        if (const verdict last = data.check(ready[i].c.data(), ready[i].out); !last.passed()) {
            result.omitted.push_back({ready[i].name, fmt::format("wrong result after the measurement: {}", last.failure), true});
            continue;
        }
        result.peers.push_back({ready[i].name, types_text(ready[i].in, ready[i].out, request.in), ready[i].product.implementation(),
                                summarise(taken[i + 1].seconds), summarise(ratios(taken[i + 1].seconds, taken[0].seconds)), errors[i]});
    }
    for (std::size_t i = 0; i < ours.size(); ++i) {
        const samples& of = taken[1 + ready.size() + i];
        if (const verdict last = data.check(ours[i].c.data(), out); !last.passed()) {
            result.omitted.push_back({ours[i].name, fmt::format("wrong result after the measurement: {}", last.failure), true});
            continue;
        }
        result.peers.push_back({ours[i].name, name_of(request.in), "policy " + ours[i].policy, summarise(of.seconds), summarise(ratios(of.seconds, taken[0].seconds)), ours[i].error, true});
    }
    return result;
}

}  // namespace

const peer_figures* shape_figures::best() const {
    const peer_figures* least = nullptr;
    for (const peer_figures& p : peers)
        if (!p.own && (!least || p.ratio.median < least->ratio.median)) least = &p;
    return least;
}

std::optional<double> gemm_figures::geomean(const std::string* peer, half which) const {
    std::vector<double> values;
    for (const shape_figures& s : shapes) {
        if (!s.failure.empty() || (which != half::all && s.shape.square() != (which == half::square))) continue;
        if (!peer) {
            if (const auto* b = s.best()) values.push_back(b->ratio.median);
        } else {
            for (const peer_figures& p : s.peers)
                if (p.name == *peer) values.push_back(p.ratio.median);
        }
    }
    if (values.empty()) return std::nullopt;
    return geometric_mean(values);
}

bool gemm_figures::passed() const {
    return std::all_of(shapes.begin(), shapes.end(), [](const shape_figures& s) {
        return s.failure.empty() && std::none_of(s.omitted.begin(), s.omitted.end(), [](const omission& o) { return o.wrong; });
    });
}

gemm_figures run_gemm_suite(const gemm_request& request, const device& where, const gemm_candidate& candidate,
                            const std::function<void(const shape_figures&)>& done, const std::function<void()>& tick) {
    for (const gemm_shape& s : request.shapes)
        require_memory(where, memory_for(s, request.in, request.peers.size()), fmt::format("gemm {} x {} x {} with {} peers", s.m, s.n, s.k, request.peers.size()));
    gemm_figures result;
    std::vector<entrant> peers;
    for (const std::string& asked : request.peers) {
        const bool single = asked.ends_with(single_suffix);
        const std::string name = single ? asked.substr(0, asked.size() - std::char_traits<char>::length(single_suffix)) : asked;
        try {
            auto library = std::make_shared<peer>(name, request.folder);
            result.peers.push_back({asked, library->version(), library->isa()});
            peers.push_back({asked, std::move(library), single});
        } catch (const missing_peer& e) {
            result.not_here.push_back({asked, e.what(), e.command()});
        }
    }
    for (const own_entrant& who : request.own) result.peers.push_back({who.name, "another policy of ours", where.properties().isa});
    for (const gemm_shape& shape : request.shapes) {
        result.shapes.push_back(measure(shape, request, where, candidate, peers, tick));
        if (done) done(result.shapes.back());
    }
    return result;
}

}  // namespace kittens::bench
