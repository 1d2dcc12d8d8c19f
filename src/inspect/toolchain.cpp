// SPDX-License-Identifier: Apache-2.0
#include "kittens/inspect/toolchain.hpp"

#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "kittens/inspect/process.hpp"

namespace kittens::inspect {
namespace {

namespace fs = std::filesystem;

constexpr int oldest_clang = 22;  // the first whose SPIR-V back end has the Intel extensions we use

struct tool_facts {
    const char* name;
    const char* variable;
    std::vector<const char*> file_names;  ///< best first
    std::vector<std::string> version_arguments;
};

const tool_facts& facts(tool which) {
    static const std::array<tool_facts, 3> all{{
        {"clang++-22", "KITTENS_CLANG", {"clang++-22", "clang++-23", "clang++-24", "clang++"}, {"--version"}},
        {"ocloc", "KITTENS_OCLOC", {"ocloc"}, {"--version"}},
        {"iga64", "KITTENS_IGA", {"iga64"}, {"-h"}},
    }};
    return all[static_cast<std::size_t>(which)];
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

bool is_program(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

fs::path toolchain_directory(const toolchain_options& options) {
    if (!options.directory.empty()) return options.directory;
    if (const auto set = environment("KITTENS_TOOLCHAIN"); !set.empty()) return set;
#ifdef KITTENS_TOOLCHAIN_DIR
    return KITTENS_TOOLCHAIN_DIR;
#else
    return {};
#endif
}

std::vector<fs::path> path_directories() {
    std::vector<fs::path> result;
    const std::string text = environment("PATH");
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto colon = rest.find(':');
        if (const auto part = rest.substr(0, colon); !part.empty()) result.emplace_back(part);
        rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    }
    return result;
}

/// The first thing in the text that looks like "1.2" or "1.2.3".
std::string first_version(std::string_view text) {
    const auto digit = [&](std::size_t i) {
        return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!digit(i) || (i > 0 && (digit(i - 1) || text[i - 1] == '.'))) continue;
        std::size_t end = i;
        bool dotted = false;
        while (digit(end) || (text[end] == '.' && digit(end + 1))) {
            dotted |= text[end] == '.';
            if (++end == text.size()) break;
        }
        if (dotted) return std::string(text.substr(i, end - i));
    }
    return {};
}

/// Asks the program; nothing when it does not run or gives no version.
std::optional<std::string> ask_version(tool which, const fs::path& path) {
    std::vector<std::string> command{path.string()};
    for (const auto& argument : facts(which).version_arguments) command.push_back(argument);
    try {
        const auto result =
            run_process(command, {.working_directory = {}, .environment = {}, .timeout = std::chrono::seconds(60)});
        // Any program may print a version; these two say who they are.
        if (which == tool::clang && result.out.find("clang version") == std::string::npos) return {};
        if (which == tool::iga && (result.out + result.err).find("Graphics Assembler") == std::string::npos) return {};
        auto version = first_version(result.out);
        if (version.empty()) version = first_version(result.err);
        if (version.empty()) return {};
        return version;
    } catch (const std::system_error&) {
        return {};
    }
}

bool is_new_enough(tool which, const std::string& version) {
    return which != tool::clang || std::atoi(version.c_str()) >= oldest_clang;
}

/// "2.40.14" from the file name of the graphics compiler's library beside ocloc or in the system.
std::string find_igc_version(const fs::path& ocloc, const fs::path& directory) {
    std::vector<fs::path> folders;
    if (!directory.empty() && ocloc.parent_path() == directory / "bin")
        folders.push_back(directory / "intel/usr/lib/x86_64-linux-gnu");
    folders.push_back(ocloc.parent_path().parent_path() / "lib/x86_64-linux-gnu");
    folders.push_back(ocloc.parent_path().parent_path() / "lib");
    for (const auto& folder : folders) {
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(folder, error)) {
            const std::string name = entry.path().filename().string();
            constexpr std::string_view stem = "libigc.so.";
            if (!name.starts_with(stem) || entry.is_symlink(error)) continue;
            if (auto version = first_version(name.substr(stem.size())); !version.empty()) return version;
        }
    }
    return {};
}

}  // namespace

const char* tool_name(tool which) { return facts(which).name; }

std::string toolchain::missing(tool which) {
    std::string what = std::string(tool_name(which)) + " was not found";
    if (which == tool::clang) what += " (version 22 or newer is needed)";
    return what + ": run ./scripts/setup.sh, or set " + facts(which).variable + " to the program";
}

const tool_info& toolchain::require(tool which) const {
    if (const auto* info = find(which)) return *info;
    throw inspect_error(missing(which));
}

toolchain toolchain::locate(const toolchain_options& options) {
    toolchain result;
    const fs::path directory = toolchain_directory(options);
    const std::array explicit_paths{&options.clang, &options.ocloc, &options.iga};

    for (const tool which : {tool::clang, tool::ocloc, tool::iga}) {
        const auto& fact = facts(which);
        auto& slot = result.tools_[static_cast<std::size_t>(which)];

        // A program that was named must work; falling back would hide the mistake.
        fs::path named = *explicit_paths[static_cast<std::size_t>(which)];
        std::string origin = "option";
        if (named.empty()) {
            named = environment(fact.variable);
            origin = fact.variable;
        }
        if (!named.empty()) {
            if (!is_program(named))
                throw inspect_error("'" + named.string() + "' (" + origin +
                                    ") is no program: give "
                                    "the path of " +
                                    fact.name);
            const auto version = ask_version(which, named);
            if (!version) throw inspect_error("'" + named.string() + "' (" + origin + ") does not run as " + fact.name);
            if (!is_new_enough(which, *version))
                throw inspect_error("'" + named.string() + "' (" + origin + ") is clang " + *version +
                                    "; version 22 or newer is needed");
            slot = tool_info{named, origin, *version};
            continue;
        }

        std::vector<std::pair<fs::path, std::string>> places;
        if (!directory.empty()) places.emplace_back(directory / "bin", "toolchain");
        for (auto& place : path_directories()) places.emplace_back(std::move(place), "PATH");
        for (const char* file : fact.file_names) {
            for (const auto& [place, from] : places) {
                const auto candidate = place / file;
                if (slot || !is_program(candidate)) continue;
                const auto version = ask_version(which, candidate);
                if (version && is_new_enough(which, *version)) slot = tool_info{candidate, from, *version};
            }
        }
    }
    if (const auto* ocloc = result.find(tool::ocloc)) result.igc_version_ = find_igc_version(ocloc->path, directory);
    return result;
}

}  // namespace kittens::inspect
