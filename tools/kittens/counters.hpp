// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "console.hpp"

#include <kittens/target/emulated/report.hpp>

namespace kittens::tool {

/// The emulator's counters (docs/json.md).
json to_json(const emulated::counters& count);

}  // namespace kittens::tool
