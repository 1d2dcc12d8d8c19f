// SPDX-License-Identifier: Apache-2.0
// The sanitizer for tile kernels as a call.
#pragma once

#include <kittens/runtime/queue.hpp>
#include <kittens/target/emulated/report.hpp>

#include <string_view>

namespace kittens {

/// Runs `kernel` on the emulator with the queue's options (queue::emulate_with; every check is on unless they say
/// otherwise) and returns what was found, with source lines where debug information has them. A fault of the kernel does
/// not throw: it is in the report. Throws launch_error where `on` is not a queue of target emulated, or the launch is
/// refused.
emulated::launch_report check(queue& on, const kernel_record& kernel, const void* args, std::size_t bytes);

/// `auto report = kittens::check(q, "gemm_bf16", globals);`
template <class Globals> emulated::launch_report check(queue& on, const kernel_record& kernel, const Globals& args) {
    static_assert(std::is_trivially_copyable_v<Globals>, "check: a kernel's globals are copied bytewise to the device");
    return check(on, kernel, &args, sizeof args);
}
template <class Globals> emulated::launch_report check(queue& on, std::string_view kernel, const Globals& args) {
    return check(on, kernel_for(on.where(), kernel), args);
}

}  // namespace kittens
