// SPDX-License-Identifier: Apache-2.0
// What a command writes: text for people, JSON for programs, its exit status, and the errors that it ends with.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kittens::tool {

using json = nlohmann::ordered_json;

inline constexpr int status_ok = 0;
inline constexpr int status_failed = 1;  ///< a check failed
inline constexpr int status_error = 2;   ///< the command line or the machine does not allow what was asked for

/// Something the user can put right. One line: what is wrong and what to do.
class user_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A file that is written whole or not at all. Making the object checks that the place is writable and leaves nothing
/// there; `write` puts the content beside the place and renames it.
class output_file {
public:
    /// `option` is named in errors. Throws user_error.
    output_file(std::string path, std::string option);

    const std::string& path() const { return path_; }
    void write(std::string_view content) const;

private:
    [[noreturn]] void fail(int error) const;

    std::string path_, option_;
};

/// Text goes to standard output, or to standard error where standard output is taken by JSON.
class console {
public:
    /// `json_path` is the value of --json: a file, "-" for standard output, or empty for no JSON.
    explicit console(const std::string& json_path);

    void print(std::string_view text) const;
    /// Standard error, one line, begins with "kittens: ".
    static void complain(std::string_view line);
    /// Writes the document where --json said.
    void write(const json& document) const;
    bool wants_json() const { return to_stdout_ || file_; }

private:
    bool to_stdout_ = false;
    std::optional<output_file> file_;
};

}  // namespace kittens::tool
