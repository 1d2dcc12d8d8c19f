// SPDX-License-Identifier: Apache-2.0
// How operations are done on this translation unit's target: namespace lower.
#pragma once

#include <kittens/base/target.hpp>

#if defined(KITTENS_TARGET_CPU)
#include <kittens/target/cpu/lowering.hpp>
#elif KITTENS_XE_LOWERING
#include <kittens/target/xe/lowering.hpp>
#endif
