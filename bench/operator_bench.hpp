// SPDX-License-Identifier: Apache-2.0
// Operators against peers: the gate, the rounds, and the figures. docs/benchmarks.md describes the protocol.
#pragma once

#include "bandwidth.hpp"
#include "gemm_bench.hpp"
#include "interleave.hpp"
#include "operator_problem.hpp"
#include "peers/operator_peer.h"
#include "statistics.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kittens::bench {

/// The peers that operators are measured against, and what they are.
std::vector<std::string> operator_peer_names();

/// A loaded operator plug-in. Throws missing_peer.
class operator_peer {
public:
    operator_peer(const std::string& name, const std::filesystem::path& folder);
    const std::string& name() const noexcept { return name_; }
    std::string version() const { return api_->version(); }
    std::string isa() const { return api_->isa(); }
    const kittens_operator_peer_api& api() const { return *api_; }

private:
    std::string name_;
    const kittens_operator_peer_api* api_ = nullptr;
};

struct operator_request {
    std::string operation, suite;
    std::string policy = "default";  ///< as it was asked for
    std::vector<std::shared_ptr<const operator_problem>> problems;
    dtype type = dtype::bf16;
    std::vector<std::string> peers;
    std::filesystem::path folder = peer_folder();
    protocol how;
    int threads = 1;
    std::uint64_t seed = 0;
    std::string isa_cap;
    /// With cold caches the copies of a problem take at least this much memory together.
    std::size_t cold_bytes = 2 * largest_cache();
};

struct operator_peer_figures {
    std::string name, implementation;
    summary seconds;
    summary ratio;  ///< peer's time over ours, round by round
    operator_verdict error;
};

/// The machine's own traffic over the same bytes.
struct bandwidth_figures {
    std::string kind;  ///< "read", "copy" (stores through the caches) or "copy, streaming stores"
    summary seconds;
    summary ratio;  ///< its time over ours, round by round: what part of the bandwidth we have
};

struct operator_figures {
    std::shared_ptr<const operator_problem> problem;
    std::string policy;  ///< that ran
    int copies = 1;
    std::string failure;  ///< of ours; then there are no figures
    operator_verdict error;
    summary seconds;
    std::vector<operator_peer_figures> peers;
    std::vector<omission> omitted;
    std::vector<bandwidth_figures> bandwidth;

    const operator_peer_figures* best() const;
    /// The faster of those in `bandwidth`; nullptr where there is none.
    const bandwidth_figures* limit() const;
    double bytes() const { return problem->bytes_read() + problem->bytes_written(); }
};

struct suite_figures {
    std::vector<peer_identity> peers;
    std::vector<missing> not_here;
    std::vector<operator_figures> entries;

    /// Geometric mean of the ratios to a peer (nullptr: to the best of each entry), over the entries of a cache state or
    /// all; nothing where there is none.
    std::optional<double> geomean(const std::string* peer, std::optional<cache_state> which = {}) const;
    /// The same of the part of the bandwidth.
    std::optional<double> geomean_bandwidth(std::optional<cache_state> which = {}) const;
    bool passed() const;
};

/// Throws memory_error before anything is measured where a problem does not fit. `tick` is called after every round.
suite_figures run_operator_suite(const operator_request& request, const device& where, const std::function<void()>& tick = {});

}  // namespace kittens::bench
