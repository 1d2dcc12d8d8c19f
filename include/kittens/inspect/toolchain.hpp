// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace kittens::inspect {

/// Something the user can put right: a missing tool, a bad option, a source that does not compile.
/// `what()` is one line; `detail()` holds the full text of a compiler, or nothing.
class inspect_error : public std::runtime_error {
public:
    explicit inspect_error(const std::string& what, std::string detail = {})
        : std::runtime_error(what),
          detail_(std::move(detail)) {}
    const std::string& detail() const { return detail_; }

private:
    std::string detail_;
};

/// The programs behind the machine-code reports.
enum class tool { clang, ocloc, iga };

/// Their usual names: "clang++-22", "ocloc", "iga64".
const char* tool_name(tool which);

struct toolchain_options {
    std::filesystem::path clang;  ///< explicit program; empty: search
    std::filesystem::path ocloc;
    std::filesystem::path iga;
    std::filesystem::path directory;  ///< folder with bin/; empty: KITTENS_TOOLCHAIN, then built-in
};

struct tool_info {
    std::filesystem::path path;
    std::string origin;   ///< how it was found: "option", "KITTENS_OCLOC", "toolchain", "PATH"
    std::string version;  ///< as the program gives it, e.g. "22.1.8"
};

/// Where each program is. Each is searched as: the option; the variable KITTENS_CLANG,
/// KITTENS_OCLOC or KITTENS_IGA; `bin/` of the toolchain folder; PATH.
class toolchain {
public:
    /// Searches now and asks each program for its version. A program that is named by an option or
    /// a variable but cannot be run is an inspect_error; one that is simply absent is not.
    static toolchain locate(const toolchain_options& options = {});

    bool has(tool which) const { return at(which).has_value(); }
    /// nullptr when absent.
    const tool_info* find(tool which) const { return has(which) ? &*at(which) : nullptr; }
    /// Throws inspect_error with missing() when absent.
    const tool_info& require(tool which) const;
    /// One line: what is missing and the command that installs it.
    static std::string missing(tool which);

    /// Version of the Intel graphics compiler behind ocloc, where it can be told; else empty.
    const std::string& igc_version() const { return igc_version_; }

private:
    const std::optional<tool_info>& at(tool which) const { return tools_[static_cast<std::size_t>(which)]; }

    std::array<std::optional<tool_info>, 3> tools_;
    std::string igc_version_;
};

}  // namespace kittens::inspect
