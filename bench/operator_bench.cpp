// SPDX-License-Identifier: Apache-2.0
#include "operator_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <dlfcn.h>

namespace kittens::bench {

namespace {

/// How many copies there are at most: a small problem is not worth more, and its name says what it is measured for.
constexpr std::size_t most_copies = 256;

/// The tensors of a problem, in as many copies as its cache state asks for. All hold the same values.
class data_sets {
public:
    data_sets(const operator_problem& problem, const device& where, const operator_request& request) : specs_(problem.tensors()) {
        std::size_t bytes = 0, used = 0;
        for (const tensor_spec& t : specs_) bytes += (t.bytes() + 63) / 64 * 64, used_.push_back(problem.bytes_used(t)), used += used_.back();
        copies_ = problem.cache() == cache_state::warm ? 1 : std::clamp<std::size_t>((request.cold_bytes + used - 1) / used, 2, most_copies);
        require_memory(where, bytes * copies_, fmt::format("{} {} in {} copies", request.operation, problem.text(), copies_));
        for (std::size_t s = 0; s < copies_; ++s)
            for (const tensor_spec& t : specs_) {
                memory_.emplace_back(where, t.bytes());
                pointers_.push_back(memory_.back().data());
            }
        problem.fill(set(0), request.seed);
        for (std::size_t s = 0; s < copies_; ++s)
            for (std::size_t i = 0; i < specs_.size(); ++i) {
                void* to = pointers_[s * specs_.size() + i];
                if (specs_[i].output) std::memset(to, poison_byte, specs_[i].bytes());
                else if (s > 0) std::memcpy(to, pointers_[i], specs_[i].bytes());
            }
    }

    std::span<void* const> set(std::size_t s) const { return std::span(pointers_).subspan(s * specs_.size(), specs_.size()); }
    int copies() const { return static_cast<int>(copies_); }
    const std::vector<tensor_spec>& specs() const { return specs_; }
    void* const* all() const { return pointers_.data(); }

    void poison(std::size_t s) const {
        for (std::size_t i = 0; i < specs_.size(); ++i)
            if (specs_[i].output) std::memset(set(s)[i], poison_byte, specs_[i].bytes());
    }
    std::vector<memory_span> spans(std::size_t s, bool outputs) const {
        std::vector<memory_span> result;
        for (std::size_t i = 0; i < specs_.size(); ++i)
            if (specs_[i].output == outputs) result.push_back({set(s)[i], used_[i]});
        return result;
    }

private:
    std::vector<tensor_spec> specs_;
    std::vector<std::size_t> used_;  ///< bytes of each tensor that a run touches
    std::size_t copies_ = 1;
    std::vector<buffer<std::byte>> memory_;
    std::vector<void*> pointers_;
};

/// A peer that is ready for one problem.
class ready_operator_peer {
public:
    ready_operator_peer(const operator_peer& who, const operator_problem& problem, const data_sets& data, const operator_request& request)
        : name(who.name()), api_(&who.api()), state_(nullptr, who.api().destroy) {
        std::vector<kittens_operator_tensor> tensors;
        for (const tensor_spec& t : data.specs())
            tensors.push_back({t.name.c_str(), peer_dtype(t.type), static_cast<int>(t.sizes.size()), t.sizes.data(), t.output});
        const auto values = problem.attributes();
        std::vector<kittens_operator_attribute> attributes;
        for (const auto& [key, value] : values) attributes.push_back({key.c_str(), value});
        const std::string operation = problem.peer_operation();
        const kittens_operator_problem p{operation.c_str(), static_cast<int>(attributes.size()), attributes.data(),
                                         static_cast<int>(tensors.size()), tensors.data(), data.copies(), data.all(), request.threads, request.isa_cap.c_str()};
        void* state = nullptr;
        char message[512] = "";
        switch (api_->prepare(&p, &state, message, sizeof message)) {
        case KITTENS_PEER_OK: state_.reset(state); return;
        case KITTENS_PEER_UNSUPPORTED: throw unsupported_by_peer(message);
        default: throw std::runtime_error(fmt::format("{}: {}", name, message));
        }
    }
    void run(std::size_t set) const {
        if (api_->run(state_.get(), static_cast<int>(set)) != 0) throw std::runtime_error(fmt::format("{} failed while it was run", name));
    }
    std::string implementation() const { return api_->describe(state_.get()); }

    std::string name;

private:
    const kittens_operator_peer_api* api_;
    std::unique_ptr<void, void (*)(void*)> state_;
};

operator_figures measure(const std::shared_ptr<const operator_problem>& problem, const operator_request& request, const device& where,
                         const std::vector<std::shared_ptr<operator_peer>>& peers, memory_traffic& traffic, const std::function<void()>& tick) {
    operator_figures result;
    result.problem = problem;
    result.policy = problem->policy(where);
    const data_sets data(*problem, where, request);
    result.copies = data.copies();
    const auto copies = static_cast<std::size_t>(data.copies());
    std::vector<std::function<void()>> ours;
    for (std::size_t s = 0; s < copies; ++s) ours.push_back(problem->candidate(where, data.set(s)));

    const auto judged = [&](const auto& run, bool tolerant) {
        data.poison(0);
        run(0);
        return problem->check(data.set(0), tolerant);
    };
    const auto run_ours = [&](std::size_t s) { ours[s](); };
    result.error = judged(run_ours, false);
    result.failure = result.error.failure;
    if (!result.failure.empty()) return result;

    std::vector<ready_operator_peer> ready;
    std::vector<operator_verdict> errors;
    for (const auto& who : peers) {
        try {
            ready_operator_peer one(*who, *problem, data, request);
            const operator_verdict v = judged([&](std::size_t s) { one.run(s); }, true);
            if (!v.passed()) {
                result.omitted.push_back({who->name(), fmt::format("wrong result: {}", v.failure), true});
                continue;
            }
            ready.push_back(std::move(one));
            errors.push_back(v);
        } catch (const unsupported_by_peer& e) {
            result.omitted.push_back({who->name(), e.what(), false});
        }
    }

    // Everybody takes the next copy: whoever comes back to one finds that all others have been used since.
    std::size_t next = 0;
    const auto take = [&] { return next = (next + 1) % copies; };
    std::vector<contender> contenders{{"candidate", [&] { run_ours(take()); }}};
    for (const ready_operator_peer& p : ready) contenders.push_back({p.name, [&p, &take] { p.run(take()); }});
    std::vector<std::vector<memory_span>> in, out;
    for (std::size_t s = 0; s < copies; ++s) in.push_back(data.spans(s, false)), out.push_back(data.spans(s, true));
    const bool writes = problem->bytes_written() > 0.05 * problem->bytes_read();
    struct kind {
        std::string name;
        traffic_way way;
    };
    std::vector<kind> kinds;
    if (problem->cache() == cache_state::cold) {
        if (writes) kinds = {{"copy", traffic_way::through_caches}, {"copy, streaming stores", traffic_way::past_caches}, {"copy, streaming stores, four streams a thread", traffic_way::many_streams}};
        else kinds = {{"read", traffic_way::through_caches}, {"read, eight streams a thread", traffic_way::many_streams}};
    }
    for (const kind& k : kinds)
        contenders.push_back({k.name, [&, way = k.way] {
                                  const std::size_t s = take();
                                  traffic.run(in[s], out[s], way);
                              }});

    surroundings around = real_surroundings();
    if (tick) around.progress = tick;
    const std::vector<samples> taken = interleave(contenders, request.how, around);

    // What was timed has to be right too, not only what came first.
    if (const operator_verdict last = judged(run_ours, false); !last.passed()) {
        result.failure = "after the measurement: " + last.failure;
        return result;
    }
    result.seconds = summarise(taken[0].seconds);
    for (std::size_t i = 0; i < ready.size(); ++i) {
        if (const operator_verdict last = judged([&](std::size_t s) { ready[i].run(s); }, true); !last.passed()) {
            result.omitted.push_back({ready[i].name, fmt::format("wrong result after the measurement: {}", last.failure), true});
            continue;
        }
        const auto& seconds = taken[i + 1].seconds;
        result.peers.push_back({ready[i].name, ready[i].implementation(), summarise(seconds), summarise(ratios(seconds, taken[0].seconds)), errors[i]});
    }
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        const auto& seconds = taken[1 + ready.size() + k].seconds;
        result.bandwidth.push_back({kinds[k].name, summarise(seconds), summarise(ratios(seconds, taken[0].seconds))});
    }
    return result;
}

bool counts(const operator_figures& e, std::optional<cache_state> which) { return e.failure.empty() && (!which || e.problem->cache() == *which); }

std::optional<double> mean_of(const std::vector<double>& values) { return values.empty() ? std::nullopt : std::optional(geometric_mean(values)); }

}  // namespace

std::vector<std::string> operator_peer_names() { return {"torch", "compile", "onednn", "openblas", "mkl"}; }

operator_peer::operator_peer(const std::string& name, const std::filesystem::path& folder) : name_(name) {
    const std::string command = fmt::format("scripts/setup.sh --only {} && scripts/build.sh", name == "compile" ? "torch" : name == "openblas" ? "apt" : name);
    const std::filesystem::path file = folder / (name + "_operators.so");
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) throw missing_peer(name, "not installed when this program was built", command);
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) throw missing_peer(name, fmt::format("its plug-in does not load ({})", dlerror()), command);
    using entry_t = const kittens_operator_peer_api* (*)();
    const auto entry = reinterpret_cast<entry_t>(dlsym(library, "kittens_operator_peer"));
    api_ = entry ? entry() : nullptr;
    if (!api_ || api_->abi != KITTENS_OPERATOR_PEER_ABI) throw missing_peer(name, "its plug-in was built for another version of this program", "scripts/build.sh");
    if (const char* why = api_->unavailable()) throw missing_peer(name, why, command);
}

const operator_peer_figures* operator_figures::best() const {
    const auto at = std::min_element(peers.begin(), peers.end(), [](const auto& a, const auto& b) { return a.ratio.median < b.ratio.median; });
    return at == peers.end() ? nullptr : &*at;
}

const bandwidth_figures* operator_figures::limit() const {
    const auto at = std::min_element(bandwidth.begin(), bandwidth.end(), [](const auto& a, const auto& b) { return a.ratio.median < b.ratio.median; });
    return at == bandwidth.end() ? nullptr : &*at;
}

std::optional<double> suite_figures::geomean(const std::string* peer, std::optional<cache_state> which) const {
    std::vector<double> values;
    for (const operator_figures& e : entries) {
        if (!counts(e, which)) continue;
        if (!peer) {
            if (const auto* b = e.best()) values.push_back(b->ratio.median);
        } else {
            for (const auto& p : e.peers)
                if (p.name == *peer) values.push_back(p.ratio.median);
        }
    }
    return mean_of(values);
}

std::optional<double> suite_figures::geomean_bandwidth(std::optional<cache_state> which) const {
    std::vector<double> values;
    for (const operator_figures& e : entries)
        if (const auto* l = e.limit(); l && counts(e, which)) values.push_back(l->ratio.median);
    return mean_of(values);
}

bool suite_figures::passed() const {
    return std::all_of(entries.begin(), entries.end(), [](const operator_figures& e) {
        return e.failure.empty() && std::none_of(e.omitted.begin(), e.omitted.end(), [](const omission& o) { return o.wrong; });
    });
}

suite_figures run_operator_suite(const operator_request& request, const device& where, const std::function<void()>& tick) {
    suite_figures result;
    std::vector<std::shared_ptr<operator_peer>> peers;
    for (const std::string& name : request.peers) {
        try {
            auto library = std::make_shared<operator_peer>(name, request.folder);
            result.peers.push_back({name, library->version(), library->isa()});
            peers.push_back(std::move(library));
        } catch (const missing_peer& e) {
            result.not_here.push_back({name, e.what(), e.command()});
        }
    }
    memory_traffic traffic(request.threads);
    for (const auto& problem : request.problems) result.entries.push_back(measure(problem, request, where, peers, traffic, tick));
    return result;
}

}  // namespace kittens::bench
