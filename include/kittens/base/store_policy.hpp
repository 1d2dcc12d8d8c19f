// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kittens {

/// Where what is stored should be afterwards. `streaming` says that nobody reads it soon: on cpu it goes past the caches, on xe
/// it is stored as always.
enum class store_policy : int { cached, streaming };

}  // namespace kittens
