// SPDX-License-Identifier: Apache-2.0
// An operator as the benchmark sees it: a problem says what its tensors are, fills them, makes ours ready, and judges
// results. Peers get the same tensors by name (bench/peers/operator_peer.h).
#pragma once

#include <kittens/base/types.hpp>
#include <kittens/runtime/device.hpp>
#include <kittens/runtime/queue.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kittens::bench {

/// A packed, row-major tensor of a problem.
struct tensor_spec {
    std::string name;
    dtype type = dtype::bf16;
    std::vector<std::int64_t> sizes;
    bool output = false;

    std::size_t count() const {
        std::size_t n = 1;
        for (const std::int64_t s : sizes) n *= static_cast<std::size_t>(s);
        return n;
    }
    std::size_t bytes() const { return count() * static_cast<std::size_t>(size_of(type)); }
};

/// Whether the operands of a run come from memory (many copies of the problem, used in turn) or from the caches.
enum class cache_state { cold, warm };

/// What a check of outputs found.
struct operator_verdict {
    double relative_frobenius = 0;  ///< the largest of the outputs'
    double max_abs = 0;
    std::string failure;  ///< empty: it is right
    bool passed() const { return failure.empty(); }
};

class operator_problem {
public:
    virtual ~operator_problem() = default;

    /// E.g. {"rows": 512, "cols": 4096}, and the same for people.
    virtual nlohmann::ordered_json shape() const = 0;
    virtual std::string text() const = 0;
    /// What it is taken from, e.g. "decode".
    virtual std::string workload() const = 0;
    virtual cache_state cache() const = 0;
    virtual double flops() const = 0;
    /// Bytes that have to be moved: each input read once and each output written once, unless a problem says otherwise.
    virtual double bytes_read() const;
    virtual double bytes_written() const;
    /// Bytes of a tensor that a run touches: all, but for a table of which some rows are taken. Copies for cold caches are counted by it.
    virtual std::size_t bytes_used(const tensor_spec& t) const { return t.bytes(); }

    /// Inputs first. The order is that of all spans of pointers below.
    virtual std::vector<tensor_spec> tensors() const = 0;
    /// The operation under the name that peers know it by, and what else defines it: numbers by name.
    virtual std::string peer_operation() const = 0;
    virtual std::vector<std::pair<std::string, double>> attributes() const { return {}; }

    /// Sets the inputs. By default all are normally distributed.
    virtual void fill(std::span<void* const> tensors, std::uint64_t seed) const;
    /// Ours, ready to run again and again on these tensors; the call returns when the work is complete.
    virtual std::function<void()> candidate(const device& where, std::span<void* const> tensors) const = 0;
    /// The policy that the candidate has on a device.
    virtual std::string policy(const device& where) const { return (void)where, "default"; }
    /// Judges the outputs against a reference in double precision. `tolerant`: they are a peer's, which may round
    /// intermediate values to the element type.
    virtual operator_verdict check(std::span<void* const> tensors, bool tolerant) const = 0;
};

/// Peers' outputs pass below this relative Frobenius error.
inline constexpr double operator_gate = 0.02;

/// Compares an output with its reference and keeps the worse figures; fails where an element is NaN and should not be,
/// or the relative Frobenius error reaches `gate`.
void compare_output(operator_verdict& to, const tensor_spec& spec, const void* got, std::span<const double> right, double gate = operator_gate);

/// The values of a tensor in double precision.
std::vector<double> values_of(const tensor_spec& spec, const void* data);

/// `count` normally distributed values of a type (uniform over all values for int8), the same for the same key.
void fill_normal(dtype type, void* to, std::size_t count, std::uint64_t key, float scale = 1.0f);

/// A launch of a registered kernel that can be repeated.
template <class Globals> std::function<void()> repeated_launch(const device& where, std::string_view kernel, const Globals& globals) {
    struct prepared {
        queue on;
        const kernel_record* kernel;
        Globals globals;
    };
    auto p = std::make_shared<prepared>(prepared{queue(where), &kernel_for(where, kernel), globals});
    return [p] { p->on.run(*p->kernel, &p->globals, sizeof p->globals); };
}

}  // namespace kittens::bench
