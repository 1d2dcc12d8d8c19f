// SPDX-License-Identifier: Apache-2.0
// A GEMM kernel against peers over a suite of shapes.
#pragma once

#include "gemm_data.hpp"
#include "interleave.hpp"
#include "peak.hpp"
#include "peer_library.hpp"
#include "statistics.hpp"
#include "suites.hpp"

#include <kittens/runtime/device.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kittens::bench {

/// Makes the candidate ready for C = A * B; the result does the product once and returns when it is complete.
using gemm_candidate =
    std::function<std::function<void()>(const gemm_shape& shape, const void* a, const void* b, void* c)>;

/// The suite's kernel through the runtime, as a user launches it: what a launch costs is in the time. A shape on which
/// 2-D block access is not allowed takes the policy for that.
gemm_candidate kernel_candidate(const device& where, dtype in, const std::string& policy);
/// The policy that kernel_candidate launches for a shape.
std::string candidate_policy(const device& where, dtype in, const std::string& policy, const gemm_shape& shape);

/// Another policy of the candidate's kernel, measured like a peer; it is never the best one.
struct own_entrant {
    std::string name;
    std::function<std::string(const gemm_shape&)> policy;  ///< empty: none for this shape, ...
    std::string reason;                                    ///< ... because of this
};
/// "unsplit": where the candidate's policy shares K out among threads, the same tiles without that.
own_entrant unsplit_entrant(const device& where, dtype in, const std::string& policy);

struct gemm_request {
    std::string suite;
    std::vector<gemm_shape> shapes;
    dtype in = dtype::bf16;
    /// Names of peer_names(), or of plug-ins in the folder; "NAME:fp32" measures its single precision.
    std::vector<std::string> peers;
    std::filesystem::path folder = peer_folder();
    protocol how;
    int threads = 1;
    std::uint64_t seed = 0;
    /// What a peer without a product of this type is measured in is single precision. Where the instruction set does
    /// 16-bit products no faster than single precision, a peer is tried in both, and its faster one is measured.
    bool either_type = false;
    /// Which policy the candidate takes for a shape, where that is known.
    std::function<std::string(const gemm_shape&)> policy_of{};
    std::vector<own_entrant> own{};
};

struct peer_figures {
    std::string name;
    std::string types;           ///< "bf16", "fp32", or "bf16 to fp32" where input and output differ from the candidate's
    std::string implementation;
    summary seconds;
    summary ratio;               ///< peer's time over candidate's, round by round: above 1 the candidate is faster
    double relative_frobenius = 0;
    bool own = false;            ///< another policy of the candidate's kernel
};

/// A peer that is not in the figures of a shape.
struct omission {
    std::string peer, reason;
    bool wrong = false;  ///< it was run, and its result did not pass the gate
};

struct shape_figures {
    gemm_shape shape;
    std::string policy;   ///< of the candidate; empty where it is not known
    std::string failure;  ///< of the candidate; then there are no figures
    double relative_frobenius = 0;
    summary seconds;
    std::vector<peer_figures> peers;
    std::vector<omission> omitted;

    double flops() const { return 2.0 * shape.m * shape.n * shape.k; }
    /// The peer that the candidate is least ahead of; nullptr where there is none.
    const peer_figures* best() const;
};

struct peer_identity {
    std::string name, version, isa;
};
struct missing {
    std::string name, why, command;
};

struct gemm_figures {
    std::vector<peer_identity> peers;
    std::vector<missing> not_here;
    std::vector<shape_figures> shapes;

    /// Geometric means over shapes; nothing where no shape has the figure. `peer`: nullptr for the best peer of each shape.
    enum class half { all, square, rectangular };
    std::optional<double> geomean(const std::string* peer, half which) const;
    /// All results were right.
    bool passed() const;
};

/// Throws memory_error before anything is measured where a shape does not fit. `done` is called when a shape is complete, `tick` after every round of any shape.
gemm_figures run_gemm_suite(const gemm_request& request, const device& where, const gemm_candidate& candidate,
                            const std::function<void(const shape_figures&)>& done = {},
                            const std::function<void()>& tick = {});

}  // namespace kittens::bench
