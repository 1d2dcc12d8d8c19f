// SPDX-License-Identifier: Apache-2.0
// SyclKittens: tiles for Intel GPUs. Everything that a kernel needs.
#pragma once

#include <kittens/base/kernel.hpp>
#include <kittens/base/launch.hpp>
#include <kittens/base/shape.hpp>
#include <kittens/base/target.hpp>
#include <kittens/base/types.hpp>
#include <kittens/ops/sync.hpp>
#include <kittens/tile/gl.hpp>
#include <kittens/tile/rt.hpp>
#include <kittens/tile/st.hpp>

#if KITTENS_HAS_TILE_OPS
#include <kittens/ops/conversions.hpp>
#include <kittens/ops/maps.hpp>
#include <kittens/ops/masks.hpp>
#include <kittens/ops/mma.hpp>
#include <kittens/ops/movement.hpp>
#include <kittens/ops/reductions.hpp>
#include <kittens/ops/shared.hpp>
#include <kittens/ops/softmax.hpp>
#endif
