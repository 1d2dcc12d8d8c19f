// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <kittens/runtime/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <set>
#include <time.h>
#include <unistd.h>

namespace kittens::bench {

namespace {

constexpr const char* entered = "KITTENS_BENCH_ENTERED";

std::string first_line(const std::string& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

/// How each library calls a level. OpenBLAS has no levels; it is told a processor.
struct level_names {
    const char *onednn, *torch, *mkl, *openblas;
};
constexpr level_names names_of(cpu_isa isa) {
    switch (isa) {
    case cpu_isa::avx2: return {"AVX2", "avx2", "AVX2", "Haswell"};
    case cpu_isa::avx512: return {"AVX512_CORE", "avx512", "AVX512", "SkylakeX"};
    case cpu_isa::avx512_bf16: return {"AVX512_CORE_BF16", "avx512", "AVX512_E3", "Cooperlake"};
    case cpu_isa::amx: break;
    }
    return {"AVX512_CORE_AMX", "avx512", "AVX512_E4", "Sapphirerapids"};
}

}  // namespace

std::vector<variable> variables_for(const conditions& wanted) {
    const std::string threads = std::to_string(wanted.threads());
    std::vector<variable> all = {
        {"KITTENS_NUM_THREADS", threads},
        {"OMP_NUM_THREADS", threads},
        {"MKL_NUM_THREADS", threads},
        {"OPENBLAS_NUM_THREADS", threads},
        {"OMP_DYNAMIC", "FALSE"},
        {"MKL_DYNAMIC", "FALSE"},
        // One OpenMP runtime in the process, and 32-bit integers.
        {"MKL_THREADING_LAYER", "GNU"},
        {"MKL_INTERFACE_LAYER", "LP64"},
        {"OMP_WAIT_POLICY", wanted.passive_waiting ? std::optional<std::string>("PASSIVE") : std::nullopt},
    };
    // What a user's shell says about one library must not hold for that one alone.
    for (const char* name : {"GOMP_SPINCOUNT", "OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "GOTO_NUM_THREADS",
                             "DNNL_MAX_CPU_ISA", "DNNL_DEFAULT_FPMATH_MODE", "ONEDNN_DEFAULT_FPMATH_MODE"})
        all.push_back({name, std::nullopt});
    std::optional<std::string> ours, onednn, torch, mkl, openblas;
    if (wanted.isa) {
        const level_names names = names_of(*wanted.isa);
        ours = std::string(to_string(*wanted.isa));
        onednn = names.onednn, torch = names.torch, mkl = names.mkl, openblas = names.openblas;
    }
    // Left to itself, an OpenBLAS that is older than the processor may take code for SSE3 (0.3.21 does on a Xeon of the
    // fifth generation): it is told the level also where nobody is capped.
    if (const auto best = detected_cpu_isa(); !openblas && best && __builtin_cpu_is("intel")) openblas = names_of(*best).openblas;
    all.push_back({"KITTENS_MAX_CPU_ISA", ours});
    all.push_back({"ONEDNN_MAX_CPU_ISA", onednn});
    all.push_back({"ATEN_CPU_CAPABILITY", torch});
    all.push_back({"MKL_ENABLE_INSTRUCTIONS", mkl});
    all.push_back({"OPENBLAS_CORETYPE", openblas});
    return all;
}

std::vector<int> choose_processors(int threads) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) throw device_error("cannot ask which processors this process may use");
    std::vector<int> first, second;
    std::set<std::string> cores;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &set)) continue;
        const std::string topology = fmt::format("/sys/devices/system/cpu/cpu{}/topology/", cpu);
        const std::string core = first_line(topology + "physical_package_id") + ":" + first_line(topology + "core_id");
        (core == ":" || cores.insert(core).second ? first : second).push_back(cpu);
    }
    const std::size_t count = threads > 0 ? static_cast<std::size_t>(threads) : first.size();
    first.insert(first.end(), second.begin(), second.end());
    if (count > first.size())
        throw device_error(fmt::format("{} threads were asked for, but this process may use {} processors", count, first.size()),
                           fmt::format("choose --threads from 1 to {}", first.size()));
    first.resize(count);
    return first;
}

void enter(const conditions& wanted) {
    if (std::getenv(entered)) {
        // Children of ours, should there be any, are no part of this.
        unsetenv(entered);
        return;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : wanted.processors) CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        throw device_error(fmt::format("cannot pin this process to its processors ({})", std::strerror(errno)));
    for (const variable& v : variables_for(wanted)) {
        if (v.value) setenv(v.name.c_str(), v.value->c_str(), 1);
        else unsetenv(v.name.c_str());
    }
    setenv(entered, "1", 1);

    std::ifstream in("/proc/self/cmdline", std::ios::binary);
    std::string line{std::istreambuf_iterator<char>(in), {}};
    std::vector<char*> arguments;
    for (std::size_t at = 0; at < line.size(); at += std::strlen(&line[at]) + 1) arguments.push_back(&line[at]);
    arguments.push_back(nullptr);
    execv("/proc/self/exe", arguments.data());
    throw device_error(fmt::format("cannot start this program again ({})", std::strerror(errno)));
}

interference::interference(std::vector<int> processors) : processors_(std::move(processors)) {}

void interference::begin() {
    start_ = read();
    measuring_ = true;
}

void interference::end() {
    sum_ = measured();
    measuring_ = false;
}

interference::times interference::measured() const {
    if (!measuring_) return sum_;
    const times now = read();
    return {sum_.busy + now.busy - start_.busy, sum_.stolen + now.stolen - start_.stolen, sum_.own + now.own - start_.own, sum_.wall + now.wall - start_.wall};
}

interference::times interference::read() const {
    times t;
    const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    std::ifstream in("/proc/stat");
    for (std::string line; std::getline(in, line);) {
        int cpu = -1;
        double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, stolen = 0;
        if (std::sscanf(line.c_str(), "cpu%d %lf %lf %lf %lf %lf %lf %lf %lf", &cpu, &user, &nice, &system, &idle, &wait, &irq, &soft, &stolen) != 9 ||
            std::find(processors_.begin(), processors_.end(), cpu) == processors_.end())
            continue;
        t.busy += (user + nice + system + irq + soft) * tick;
        t.stolen += stolen * tick;
    }
    timespec own{}, now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
    clock_gettime(CLOCK_MONOTONIC, &now);
    t.own = static_cast<double>(own.tv_sec) + 1e-9 * static_cast<double>(own.tv_nsec);
    t.wall = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    return t;
}

interference::shares interference::so_far() const {
    const times t = measured();
    const double all = t.wall * static_cast<double>(processors_.size());
    if (all <= 0) return {};
    const auto part = [&](double seconds) { return std::clamp(seconds / all, 0.0, 1.0); };
    return {part(t.busy - t.own), part(t.stolen)};
}

}  // namespace kittens::bench
