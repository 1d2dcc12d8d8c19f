// SPDX-License-Identifier: Apache-2.0
// From code addresses to lines of the kernel's text.
#include <dlfcn.h>
#include <elf.h>

#include <cstdio>
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

// The frames that inlining put at one address, innermost first, as pairs of lines: function, file:line.
std::string kernel_line(const std::string& frames) {
    std::istringstream in(frames);
    std::string function, place, best;
    while (std::getline(in, function) && std::getline(in, place)) {
        if (place.empty() || place[0] == '?' || place.find(":?") != std::string::npos || place.ends_with(":0"))
            continue;
        place = place.substr(0, place.find(" (discriminator"));
        // llvm-symbolizer adds the column.
        const auto last = place.rfind(':');
        const auto before = last == std::string::npos ? last : place.rfind(':', last - 1);
        if (before != std::string::npos && before + 1 < last &&
            place.find_first_not_of("0123456789", before + 1) == last) {
            place.resize(last);
        }
        if (best.empty()) best = place;
        // What the library itself is made of explains nothing: the first frame outside of it is the kernel's.
        if (place.find("include/kittens/") == std::string::npos) return place;
    }
    return best;
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
        for (std::size_t i = 0; i < m.addresses.size(); ++i) {
            std::string frames;
            for (const char* tool : {"llvm-symbolizer", "llvm-symbolizer-22", "addr2line"}) {
                const bool binutils = std::strcmp(tool, "addr2line") == 0;
                std::vector<std::string> argv{tool};
                if (binutils) argv.insert(argv.end(), {"-e", name, "-i", "-f", "-C", m.addresses[i]});
                else argv.insert(argv.end(), {"--obj=" + name, "--inlining", "--functions", m.addresses[i]});
                try {
                    inspect::process_options options;
                    options.timeout = std::chrono::seconds(20);
                    const inspect::process_result r = inspect::run_process(argv, options);
                    if (r.ok()) frames = r.out;
                } catch (const std::system_error&) {
                    continue;  // not installed: the next one may be
                }
                if (!frames.empty()) break;
            }
            if (frames.empty()) return;  // no tool here: source stays empty
            m.faults[i]->source = kernel_line(frames);
        }
    }
}

}  // namespace kittens::emulated
