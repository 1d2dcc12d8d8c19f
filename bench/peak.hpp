// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kittens/base/types.hpp>
#include <kittens/runtime/cpu_isa.hpp>

#include <string>

namespace kittens::bench {

struct peak {
    double flops = 0;         ///< operations a second (a multiplication and an addition are two), all threads together
    std::string instruction;  ///< what was measured, e.g. "tdpbf16ps"
};

/// The rate of the processor's fastest multiply-add for this type at this instruction set: a loop of independent
/// instructions on registers, run by `threads` threads at once for about 50 ms, best of a few. Measured, so it has the
/// clock that the machine really runs at.
peak measure_peak(cpu_isa isa, dtype type, int threads);

}  // namespace kittens::bench
