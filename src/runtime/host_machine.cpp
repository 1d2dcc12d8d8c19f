// SPDX-License-Identifier: Apache-2.0
#include "host_machine.hpp"

#include <fmt/format.h>

#include <cpuid.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <utility>

namespace kittens::detail {

namespace fs = std::filesystem;

namespace {

struct cpuid_result {
    unsigned a = 0, b = 0, c = 0, d = 0;
};

cpuid_result cpuid(unsigned leaf, unsigned sub = 0) {
    cpuid_result r;
    __get_cpuid_count(leaf, sub, &r.a, &r.b, &r.c, &r.d);
    return r;
}

std::uint64_t enabled_states() {
    if (!(cpuid(1).c >> 27 & 1)) return 0;  // OSXSAVE
    unsigned low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return std::uint64_t{high} << 32 | low;
}

std::string text_of(const cpuid_result& r, bool vendor) {
    const unsigned words[4] = {vendor ? r.b : r.a, vendor ? r.d : r.b, r.c, r.d};
    return std::string(reinterpret_cast<const char*>(words), vendor ? 12 : 16);
}

cpu_feature_set read_features() {
    cpu_feature_set set;
    set.vendor = text_of(cpuid(0), true);
    if (set.vendor == "GenuineIntel") set.vendor = "Intel";
    if (set.vendor == "AuthenticAMD") set.vendor = "AMD";
    if (cpuid(0x80000000).a >= 0x80000004)
        for (unsigned leaf = 0x80000002; leaf <= 0x80000004; ++leaf) set.name += text_of(cpuid(leaf), false);
    set.name = set.name.c_str();
    set.name.erase(0, set.name.find_first_not_of(' '));

    // The processor having a feature is not enough: the system must save its registers.
    constexpr std::uint64_t ymm = 0x6, zmm = 0xe6, tiles = 0x60000;
    const std::uint64_t states = enabled_states();
    const cpuid_result l1 = cpuid(1), l7 = cpuid(7), l71 = cpuid(7, 1), e1 = cpuid(0x80000001);
    const auto add = [&](const char* name, unsigned word, int bit, std::uint64_t needs) {
        if ((word >> bit & 1) && (states & needs) == needs) set.features.emplace_back(name);
    };
    add("movbe", l1.c, 22, 0);
    add("lzcnt", e1.c, 5, 0);
    add("bmi1", l7.b, 3, 0);
    add("bmi2", l7.b, 8, 0);
    add("f16c", l1.c, 29, ymm);
    add("fma", l1.c, 12, ymm);
    add("avx", l1.c, 28, ymm);
    add("avx2", l7.b, 5, ymm);
    add("avx_vnni", l71.a, 4, ymm);
    add("avx512f", l7.b, 16, zmm);
    add("avx512dq", l7.b, 17, zmm);
    add("avx512cd", l7.b, 28, zmm);
    add("avx512bw", l7.b, 30, zmm);
    add("avx512vl", l7.b, 31, zmm);
    add("avx512ifma", l7.b, 21, zmm);
    add("avx512_vbmi", l7.c, 1, zmm);
    add("avx512_vbmi2", l7.c, 6, zmm);
    add("gfni", l7.c, 8, ymm);
    add("avx512_bitalg", l7.c, 12, zmm);
    add("avx512_vpopcntdq", l7.c, 14, zmm);
    add("avx512_vnni", l7.c, 11, zmm);
    add("avx512_bf16", l71.a, 5, zmm);
    add("avx512_fp16", l7.d, 23, zmm);
    add("amx_bf16", l7.d, 22, tiles);
    add("amx_tile", l7.d, 24, tiles);
    add("amx_int8", l7.d, 25, tiles);
    add("amx_fp16", l71.a, 21, tiles);
    return set;
}

std::string read_line(const fs::path& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

/// "48K", "2048K", "300M" as sysfs writes cache sizes.
std::size_t parse_size(const std::string& text) {
    std::size_t value = 0;
    char unit = 0;
    std::istringstream(text) >> value >> unit;
    return unit == 'K' ? value << 10 : unit == 'M' ? value << 20 : value;
}

/// "0-3,8" as sysfs writes processor lists.
int count_list(const std::string& text) {
    int n = 0;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, ',');) {
        int first = 0, last = 0;
        char dash = 0;
        std::istringstream range(part);
        range >> first;
        n += range >> dash >> last ? last - first + 1 : 1;
    }
    return std::max(n, 1);
}

std::uint64_t meminfo(std::string_view field) {
    std::ifstream in("/proc/meminfo");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(field) && line[field.size()] == ':')
            return std::stoull(line.substr(field.size() + 1)) << 10;
    return 0;
}

/// Limit and use of this process's control group (version 2), the tightest of its ancestors.
std::uint64_t cgroup_headroom() {
    constexpr auto none = std::numeric_limits<std::uint64_t>::max();
    std::string own;
    std::ifstream in("/proc/self/cgroup");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("0::")) own = line.substr(3);
    if (own.empty()) return none;
    std::uint64_t room = none;
    const fs::path root = "/sys/fs/cgroup";
    for (fs::path dir = root / fs::path(own).relative_path();; dir = dir.parent_path()) {
        std::uint64_t limit = 0, used = 0;
        if (std::istringstream(read_line(dir / "memory.max")) >> limit &&
            std::istringstream(read_line(dir / "memory.current")) >> used)
            room = std::min(room, limit > used ? limit - used : 0);
        if (dir == root || !dir.has_relative_path()) break;
    }
    return room;
}

}  // namespace

bool cpu_feature_set::has(std::string_view feature) const {
    return std::find(features.begin(), features.end(), feature) != features.end();
}

const cpu_feature_set& cpu_features() {
    static const cpu_feature_set set = read_features();
    return set;
}

bool request_amx() {
    constexpr long request_permission = 0x1023, tile_data = 18;
    static const bool granted = syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
    return granted;
}

int physical_cores() {
    std::set<std::pair<std::string, std::string>> cores;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/sys/devices/system/cpu", ignored)) {
        const fs::path topology = entry.path() / "topology";
        if (fs::exists(topology / "core_id", ignored))
            cores.emplace(read_line(topology / "physical_package_id"), read_line(topology / "core_id"));
    }
    return cores.empty() ? static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)) : static_cast<int>(cores.size());
}

std::vector<cache_properties> cpu_caches() {
    std::vector<cache_properties> caches;
    for (int i = 0;; ++i) {
        const fs::path dir = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}", i);
        std::error_code ignored;
        if (!fs::exists(dir, ignored)) break;
        cache_properties c;
        c.level = std::atoi(read_line(dir / "level").c_str());
        c.type = read_line(dir / "type");
        for (char& ch : c.type) ch = static_cast<char>(std::tolower(static_cast<unsigned char>(ch)));
        c.bytes = parse_size(read_line(dir / "size"));
        c.shared_by = count_list(read_line(dir / "shared_cpu_list"));
        caches.push_back(c);
    }
    return caches;
}

std::uint64_t total_host_memory() { return meminfo("MemTotal"); }

std::uint64_t available_host_memory() { return std::min(meminfo("MemAvailable"), cgroup_headroom()); }

std::string operating_system() {
    utsname u{};
    return uname(&u) == 0 ? fmt::format("{} {}", u.sysname, u.release) : "unknown";
}

}  // namespace kittens::detail
