// SPDX-License-Identifier: Apache-2.0
// The instruction sets that the cpu target is compiled for, and which of them this machine runs.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace kittens {

/// In ascending order: each level includes those before it.
enum class cpu_isa { avx2, avx512, avx512_bf16, amx };

/// "avx2", "avx512", "avx512_bf16" or "amx".
std::string_view to_string(cpu_isa isa) noexcept;
std::optional<cpu_isa> parse_cpu_isa(std::string_view name) noexcept;

/// What processor and operating system offer, without the cap; empty below AVX2. Asks the kernel once per process
/// for the right to use AMX tiles.
std::optional<cpu_isa> detected_cpu_isa();

/// The value of KITTENS_MAX_CPU_ISA, or nothing where it is unset. Throws device_error where it names no level.
std::optional<cpu_isa> cpu_isa_cap();

/// Levels usable now, lowest first: detected, and not above the cap. Throws as cpu_isa_cap does.
std::vector<cpu_isa> usable_cpu_isas();

/// Worker threads of the host back end: KITTENS_NUM_THREADS, or the processors this process may run on.
/// Throws device_error where the variable is no whole number from 1 to 4096.
int host_threads();

}  // namespace kittens
