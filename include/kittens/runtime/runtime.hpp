// SPDX-License-Identifier: Apache-2.0
// The whole runtime: devices, memory, queues, launches.
#pragma once

#include <kittens/runtime/cpu_isa.hpp>
#include <kittens/runtime/device.hpp>
#include <kittens/runtime/error.hpp>
#include <kittens/runtime/memory.hpp>
#include <kittens/runtime/queue.hpp>
#include <kittens/runtime/registry.hpp>
