// SPDX-License-Identifier: Apache-2.0
// Everything that the xe target does, on the device and emulated.
#pragma once

#include <kittens/target/xe/conversions.hpp>
#include <kittens/target/xe/maps.hpp>
#include <kittens/target/xe/mma.hpp>
#include <kittens/target/xe/movement.hpp>
#include <kittens/target/xe/reductions.hpp>
#include <kittens/target/xe/shared.hpp>
#include <kittens/target/xe/softmax.hpp>
