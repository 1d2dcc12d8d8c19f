// SPDX-License-Identifier: Apache-2.0
// The grid: one case for each combination of operation, element type, layout, base shape, tile size and subgroup count.
#pragma once

#include "tensor.hpp"

#include <kittens/runtime/runtime.hpp>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace grid {

/// A case found something wrong. One line.
class failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What a case runs with: a queue, its own random numbers, and the tensors that it makes. After each launch every
/// tensor's surroundings, and every input, are checked for writes.
class context {
public:
    /// `seed` is the run's; `name` makes it the case's own.
    context(queue& on, std::uint64_t seed, std::string_view name);

    const std::string& target() const { return on_.where().target(); }
    /// Whether the subgroups of a workgroup can wait for each other but at the workgroup's barrier.
    bool runs_subgroups_together() const { return target() != "xe" || on_.where().properties().is_gpu; }
    std::uint64_t seed() const { return seed_; }
    /// A number in [0, n), the next of the case's own.
    unsigned random(unsigned n);

    /// A tensor to read; its content is the caller's to set before the first launch.
    tensor& input(dtype type, int rows, int cols) { return make(type, rows, cols, false); }
    /// A poisoned tensor to write.
    tensor& output(dtype type, int rows, int cols) { return make(type, rows, cols, true); }

    /// Runs a kernel over the tensors, in the order of `matrices`. Throws failure.
    event run(const std::string& kernel, globals g, const std::vector<const tensor*>& matrices);

private:
    tensor& make(dtype type, int rows, int cols, bool written);

    queue& on_;
    std::uint64_t seed_, state_;
    std::vector<std::unique_ptr<tensor>> tensors_;
};

struct grid_case {
    std::string name;    ///< "family/..."; the same on every target
    std::string family;
    bool paper = false;  ///< of the families that the paper's suite has (docs/test-grid.md)
    std::function<void(context&)> run;
};

/// Makes the cases of a family known to this program.
struct family {
    family(const char* name, void (*add)(std::vector<grid_case>& to));
};

/// All cases of this program, by family, in the order of their tables.
const std::vector<grid_case>& cases();

}  // namespace grid
