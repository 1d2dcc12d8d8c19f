// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host_command.hpp"

#include <kittens/target/emulated/engine.hpp>

namespace kittens::detail {

/// A launch on the emulator: its pieces are workgroups, each on one thread; the reports are merged.
command_ptr make_emulated_command(std::shared_ptr<host_core> core, const kernel_record& kernel,
                                  const launch_shape& shape, const void* args, std::size_t bytes, bool caller_waits,
                                  const emulated::options& options);

}  // namespace kittens::detail
