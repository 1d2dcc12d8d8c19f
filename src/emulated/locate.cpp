// SPDX-License-Identifier: Apache-2.0
// From code addresses to lines of the kernel's text.
#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

#include <fmt/format.h>
#include <kittens/inspect/process.hpp>
#include <kittens/target/emulated/report.hpp>

namespace kittens::emulated {

namespace {

bool position_independent(const char* module) {
    std::ifstream f(module, std::ios::binary);
    Elf64_Ehdr header{};
    f.read(reinterpret_cast<char*>(&header), sizeof header);
    return f.gcount() == static_cast<std::streamsize>(sizeof header) && header.e_type == ET_DYN;
}

// The line of the kernel among the frames that inlining put at one address: function, file:line, innermost first.
std::string kernel_line(std::istream& in) {
    std::string function, place, best;
    while (in.peek() != '0' && std::getline(in, function)) {
        if (function.empty()) continue;  // llvm-symbolizer ends an address with an empty line
        if (!std::getline(in, place)) break;
        if (place.empty() || place[0] == '?' || place.find(":?") != std::string::npos || place.ends_with(":0"))
            continue;
        place = place.substr(0, place.find(" (discriminator"));
        if (best.empty()) best = place;
        // What the library itself is made of explains nothing: the first frame outside of it is the kernel's.
        if (place.find("include/kittens/") == std::string::npos) {
            while (in.peek() != '0' && std::getline(in, function)) {
            }
            return place;
        }
    }
    return best;
}

// Output of a symbolizer for some addresses of a module, or nothing.
std::string symbolize(const std::string& module, const std::vector<std::string>& addresses) {
    for (const char* tool : {"llvm-symbolizer", "llvm-symbolizer-22", "addr2line"}) {
        std::vector<std::string> argv{tool, "-e", module, "-i", "-f", "-C", "-a"};
        if (std::strcmp(tool, "addr2line") != 0) argv.emplace_back("--output-style=GNU");
        argv.insert(argv.end(), addresses.begin(), addresses.end());
        try {
            inspect::process_options options;
            options.timeout = std::chrono::seconds(20);
            const inspect::process_result r = inspect::run_process(argv, options);
            if (r.ok() && !r.out.empty()) return r.out;
        } catch (const std::system_error&) {
            continue;  // not installed: the next one may be
        }
    }
    return {};
}

}  // namespace

void launch_report::locate() {
    struct module {
        std::vector<std::string> addresses;
        std::vector<fault*> faults;
        bool relative = false;
    };
    std::map<std::string, module> modules;
    for (fault& f : faults) {
        Dl_info info{};
        if (f.code == nullptr || !f.source.empty() || dladdr(f.code, &info) == 0 || info.dli_fname == nullptr) continue;
        const std::string name = std::strchr(info.dli_fname, '/') != nullptr ? info.dli_fname : "/proc/self/exe";
        module& m = modules[name];
        if (m.addresses.empty()) m.relative = position_independent(name.c_str());
        // A return address belongs to the call before it.
        const auto at = reinterpret_cast<std::uintptr_t>(f.code) - 1 -
                        (m.relative ? reinterpret_cast<std::uintptr_t>(info.dli_fbase) : 0);
        m.addresses.push_back(fmt::format("{:#x}", at));
        m.faults.push_back(&f);
    }
    for (auto& [name, m] : modules) {
        std::istringstream in(symbolize(name, m.addresses));
        std::string address;
        for (fault* f : m.faults) {
            if (!std::getline(in, address) || !address.starts_with("0x")) break;
            f->source = kernel_line(in);
        }
    }
    std::vector<fault> merged;
    for (fault& f : faults) {
        const auto same = std::find_if(merged.begin(), merged.end(), [&](const fault& g) {
            return !f.source.empty() && g.kind == f.kind && g.operation == f.operation && g.tile == f.tile &&
                   g.source == f.source;
        });
        if (same == merged.end()) merged.push_back(std::move(f));
        else same->occurrences += f.occurrences;
    }
    faults = std::move(merged);
}

}  // namespace kittens::emulated
