// SPDX-License-Identifier: Apache-2.0
#include "host_machine.hpp"

#include <kittens/runtime/cpu_isa.hpp>
#include <kittens/runtime/error.hpp>

#include <fmt/format.h>

#include <sched.h>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>

namespace kittens {

namespace {
constexpr std::string_view names[] = {"avx2", "avx512", "avx512_bf16", "amx"};
}

std::string_view to_string(cpu_isa isa) noexcept { return names[static_cast<int>(isa)]; }

std::optional<cpu_isa> parse_cpu_isa(std::string_view name) noexcept {
    for (int i = 0; i < 4; ++i)
        if (names[i] == name) return static_cast<cpu_isa>(i);
    return std::nullopt;
}

std::optional<cpu_isa> detected_cpu_isa() {
    // What the compiler may use at each level: x86-64-v3, x86-64-v4, that with VNNI and BF16, sapphirerapids.
    static const std::optional<cpu_isa> detected = [] {
        const auto& f = detail::cpu_features();
        const auto all = [&](std::initializer_list<std::string_view> needed) {
            return std::all_of(needed.begin(), needed.end(), [&](std::string_view name) { return f.has(name); });
        };
        std::optional<cpu_isa> best;
        if (!all({"avx", "avx2", "fma", "f16c", "bmi1", "bmi2", "lzcnt", "movbe"})) return best;
        best = cpu_isa::avx2;
        if (!all({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"})) return best;
        best = cpu_isa::avx512;
        if (!all({"avx512_bf16", "avx512_vnni"})) return best;
        best = cpu_isa::avx512_bf16;
        if (all({"amx_tile", "amx_bf16", "amx_int8", "avx512_fp16", "avx_vnni", "avx512ifma", "avx512_vbmi",
                 "avx512_vbmi2", "avx512_bitalg", "avx512_vpopcntdq", "gfni"}) &&
            detail::request_amx())
            best = cpu_isa::amx;
        return best;
    }();
    return detected;
}

std::optional<cpu_isa> cpu_isa_cap() {
    const char* value = std::getenv("KITTENS_MAX_CPU_ISA");
    if (!value || !*value) return std::nullopt;
    if (const auto isa = parse_cpu_isa(value)) return isa;
    throw device_error(fmt::format("KITTENS_MAX_CPU_ISA is \"{}\"", value),
                       "set it to avx2, avx512, avx512_bf16 or amx, or unset it");
}

std::vector<cpu_isa> usable_cpu_isas() {
    const auto cap = cpu_isa_cap();
    const auto top = detected_cpu_isa();
    std::vector<cpu_isa> levels;
    if (top)
        for (int i = 0; i <= static_cast<int>(cap ? std::min(*cap, *top) : *top); ++i)
            levels.push_back(static_cast<cpu_isa>(i));
    return levels;
}

int host_threads() {
    if (const char* value = std::getenv("KITTENS_NUM_THREADS"); value && *value) {
        const std::string_view text(value);
        int n = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), n);
        if (code != std::errc{} || end != text.data() + text.size() || n < 1 || n > 4096)
            throw device_error(fmt::format("KITTENS_NUM_THREADS is \"{}\"", value),
                               "set it to a whole number from 1 to 4096, or unset it");
        return n;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
    return 1;
}

}  // namespace kittens
