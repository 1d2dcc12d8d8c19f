// SPDX-License-Identifier: Apache-2.0
// Everything that the cpu target does.
#pragma once

#include <kittens/target/cpu/conversions.hpp>
#include <kittens/target/cpu/maps.hpp>
#include <kittens/target/cpu/mma.hpp>
#include <kittens/target/cpu/movement.hpp>
#include <kittens/target/cpu/reductions.hpp>
#include <kittens/target/cpu/shared.hpp>
#include <kittens/target/cpu/softmax.hpp>
